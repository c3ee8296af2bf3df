"""Whole attention layers of the pinned `transformers`, small and random: ours with their weights must do the same.

Outputs, and gradients of the input, in every backend. Each test says which scheme a released model has.
"""

import pytest
import torch
from torch.nn.functional import pad

from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.nn.window import WindowAttention
from course_lib.reference import speeds

pytest.importorskip("transformers")
BACKENDS = ("eager", "sdpa")
N = 13


def drawn(module):
    """The module in float64, with weights so large that a wrong position shows. Biases are zero: ours have none."""
    torch.manual_seed(0)
    for name, parameter in module.double().eval().named_parameters():
        (torch.nn.init.zeros_ if name.endswith(".bias") else torch.nn.init.normal_)(parameter)
        parameter.data *= 0.3
    return module


def text(n=N, d=24):
    return torch.randn(2, n, d, dtype=torch.float64, requires_grad=True)


def twin(weights, position, n_heads, **options):
    """Our layer with their W_q, W_k, W_v and W_o."""
    layer = RelativeAttention(weights[0].shape[1], n_heads, position, **options).double()
    for linear, weight in zip((layer.query, layer.key, layer.value, layer.out), weights, strict=True):
        linear.weight.data = weight.detach().clone()
    return layer


def loaded(position, **tables):
    """The scheme with their tables, by the names of ours."""
    position.double().load_state_dict({name.replace("__", "."): table for name, table in tables.items()})
    return position


def of(module, names):
    """The weights of the projections with these names."""
    return [getattr(module, name).weight for name in names.split()]


def agree(layer, x, theirs, atol, **inputs):
    """Outputs and gradients of x. Where atol is not 1e-12, they compute angles, sines or the softmax in float32."""
    upstream = torch.randn_like(theirs)
    (expected,) = torch.autograd.grad((theirs * upstream).sum(), x)
    for backend in BACKENDS:
        layer.backend = backend  # which a WindowAttention does not read
        ours = layer(x, **{name: value() for name, value in inputs.items()})
        (gradient,) = torch.autograd.grad((ours * upstream).sum(), x)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)
        torch.testing.assert_close(gradient, expected, rtol=0, atol=10 * atol)


def hidden(n, w=None):
    """Their mask for decoders: what is added to the scores, with a window of w keys if given."""
    future = torch.ones(n, n).triu(1) if w is None else torch.ones(n, n).triu(1) + torch.ones(n, n).tril(-w)
    return torch.zeros(1, 1, n, n, dtype=torch.float64).masked_fill(future.bool(), -1e300)


# --- a bias: T5 -----------------------------------------------------------------------------------------------------


def our_layers(model):
    """Each T5Attention of the model with a RelativeAttention of the same weights; one T5Bias for each stack."""
    twins = {}
    for stack, decodes in ((model.encoder, False), (model.decoder, True)):
        bias = T5Bias(4, bidirectional=not decodes, num_buckets=8, max_distance=12)
        bias = loaded(bias, table=stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight)
        for block in stack.block:
            published = block.layer[0].SelfAttention
            twins[published] = twin(of(published, "q k v o"), bias, 4, causal=decodes)
            if decodes:
                published = block.layer[1].EncDecAttention
                twins[published] = twin(of(published, "q k v o"), T5CrossAttention(), 4)
    return twins


def test_every_attention_layer_of_t5():
    """In a full pass and token by token: biases shared by a stack, nothing scaled, no bias in cross-attention."""
    from transformers import T5Config, T5Model

    torch.manual_seed(0)
    config = T5Config(
        vocab_size=50, d_model=24, d_kv=6, num_heads=4, d_ff=16, num_layers=2, relative_attention_num_buckets=8,
        relative_attention_max_distance=12, dropout_rate=0.0, attn_implementation="eager",
    )  # fmt: skip
    model = T5Model(config).double().eval()
    for stack in (model.encoder, model.decoder):  # the published initial values are too small to notice a wrong bucket
        torch.nn.init.normal_(stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight)
    twins, caches, agreed = our_layers(model), {}, []

    def compare(published, args, kwargs, output):
        source = kwargs.get("key_value_states")
        cache = caches.setdefault(published, KeyValueCache()) if source is None else None
        ours = twins[published](args[0] if args else kwargs["hidden_states"], source, cache=cache)
        torch.testing.assert_close(ours, output[0], rtol=0, atol=1e-12)
        agreed.append(published)

    for published in twins:
        published.register_forward_hook(compare, with_kwargs=True)
    source, target = torch.randint(50, (2, 9)), torch.randint(50, (2, 15))
    with torch.no_grad():
        full = model(input_ids=source, decoder_input_ids=target)
        assert len(agreed) == len(twins) == 6
        caches.clear()
        encoded, past, rows = (full.encoder_last_hidden_state,), None, []
        for token in target.split(1, 1):
            step = model(encoder_outputs=encoded, decoder_input_ids=token, past_key_values=past, use_cache=True)
            past = step.past_key_values
            rows.append(step.last_hidden_state)
    assert len(agreed) == 6 + 15 * 4 and len(caches) == 2
    torch.testing.assert_close(torch.cat(rows, 1), full.last_hidden_state, rtol=0, atol=1e-12)


# --- a rotation: Llama, gpt-oss -------------------------------------------------------------------------------------


STRETCHED = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}


@pytest.mark.parametrize(("n_kv_heads", "rule"), [(6, {}), (2, {}), (1, {}), (2, STRETCHED)])
def test_llama(n_kv_heads, rule):
    """With heads of keys for one, three and six heads of queries; and stretched by YaRN, with its factor."""
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

    heads = {"num_attention_heads": 6, "num_key_value_heads": n_kv_heads, "head_dim": 8, "hidden_size": 48}
    rope_parameters = {"rope_type": "default", "rope_theta": 1e4, **rule}
    config = LlamaConfig(**heads, rope_parameters=rope_parameters, max_position_embeddings=64)
    config._attn_implementation = "eager"
    published, x = drawn(LlamaAttention(config, 0)), text(21, 48)
    theirs = published(x, LlamaRotaryEmbedding(config)(x, torch.arange(21)[None]), hidden(21))[0]
    yarn = {"speeds": speeds.yarn(8, 4, 16), "factor": speeds.yarn_factor(4)} if rule else {}
    weights = of(published, "q_proj k_proj v_proj o_proj")
    agree(twin(weights, RoPE(8, **yarn), 6, n_kv_heads=n_kv_heads, causal=True), x, theirs, 4e-5)


@pytest.mark.parametrize("window", [None, 3])
def test_gpt_oss(window):
    """A sink for each head, in every second layer a window, and two heads of keys for six heads of queries."""
    from transformers import GptOssConfig
    from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention, GptOssRotaryEmbedding

    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8, "hidden_size": 48}
    rule = {"rope_type": "default", "rope_theta": 1e4}
    config = GptOssConfig(**heads, rope_parameters=rule, sliding_window=window, num_hidden_layers=2)
    config._attn_implementation = "eager"
    published, x = drawn(GptOssAttention(config, 0)), text(N, 48)
    theirs = published(x, GptOssRotaryEmbedding(config)(x, torch.arange(N)[None]), hidden(N, window))[0]
    position = Combined(RoPE(8), loaded(Sink(6), a=published.sinks), *([SlidingWindow(window)] if window else []))
    weights = of(published, "q_proj k_proj v_proj o_proj")
    agree(twin(weights, position, 6, n_kv_heads=2, causal=True), x, theirs, 4e-5)


# --- vectors per offset: XLNet, VITS --------------------------------------------------------------------------------


@pytest.mark.parametrize("past", [0, 7])
def test_xlnet(past):
    """Transformer-XL's four terms in both directions, with a memory; all sines before all cosines."""
    from transformers import XLNetConfig, XLNetModel

    config = XLNetConfig(vocab_size=8, d_model=24, n_layer=1, n_head=3, d_inner=8, dropout=0.0, attn_type="bi")
    model = drawn(XLNetModel(config))
    published = model.layer[0].rel_attn
    published.layer_norm = torch.nn.Identity()
    x, memory = text(), text(past).detach()
    r = model.relative_positional_encoding(N, past + N, bsz=2).double()
    mems = memory.transpose(0, 1) if past else None
    theirs = published(x.transpose(0, 1), None, None, None, r, None, mems=mems)[0].transpose(0, 1) - x
    q, k, v, w_r = (w.flatten(1).T for w in (published.q, published.k, published.v, published.r))
    w_r = torch.stack(w_r.chunk(2, -1), -1).flatten(-2)  # as our sinusoids alternate
    position = loaded(TransformerXL(24, 3), u=published.r_w_bias, v=published.r_r_bias, relative__weight=w_r)
    layer = twin([q, k, v, published.o.flatten(1)], position, 3)
    agree(layer, x, theirs, 2e-5, cache=lambda: SegmentMemory(past, memory) if past else None)


@pytest.mark.parametrize("n", [3, 5, 12])
def test_vits(n):
    """Shaw's vectors on keys and values, but zero beyond the window: a row of zeros more at each end of the table."""
    from transformers import VitsConfig
    from transformers.models.vits.modeling_vits import VitsAttention

    config = VitsConfig(hidden_size=24, num_attention_heads=3, window_size=4, attention_dropout=0.0)
    published, x = drawn(VitsAttention(config)), text(n)
    keys, values = (pad(table, (0, 0, 1, 1)) for table in (published.emb_rel_k, published.emb_rel_v))
    position = loaded(ShawVectors(3, 8, 5, shared=True), key_table=keys, value_table=values)
    agree(twin(of(published, "q_proj k_proj v_proj out_proj"), position, 3), x, published(x)[0], 1e-12)


# --- a window of a picture: Swin ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "shift", "height", "width"), [(2, 0, 4, 6), (2, 1, 4, 6), (4, 2, 8, 8), (3, 1, 9, 6)]
)
def test_swin_layer(window, shift, height, width):
    """Attention of one published layer, shifted or not: its table read backwards, its mask of −100 as good as −∞."""
    from transformers import SwinConfig
    from transformers.models.swin.modeling_swin import SwinLayer

    config = SwinConfig(window_size=window, qkv_bias=False, drop_path_rate=0.0, attn_implementation="eager")
    published = drawn(SwinLayer(config, 12, (height, width), 3, shift_size=shift))
    published.layernorm_before = published.layernorm_after = torch.nn.Identity()
    for weight in published.mlp.parameters():
        torch.nn.init.zeros_(weight)
    ours, theirs = WindowAttention(12, 3, window, shift=shift), published.attention
    weights = {f"{name}.weight": getattr(theirs, f"{name[0]}_proj").weight for name in ("query", "key", "value", "out")}
    table = theirs.relative_position_bias.relative_position_bias_table.flip(0)
    ours.double().load_state_dict({"table": table, **weights})
    x = torch.randn(2, height, width, 12, dtype=torch.float64, requires_grad=True)
    output = published(x.flatten(1, 2), (height, width))
    agree(ours, x, (output[0] if isinstance(output, tuple) else output).reshape(x.shape) - x, 1e-5)
