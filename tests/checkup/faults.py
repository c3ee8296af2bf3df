"""Faults that programs have had, each put into a model of transformers for the length of a block."""

import copy
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest
import torch

pytest.importorskip("transformers")

from transformers import DynamicCache
from transformers.cache_utils import DynamicSlidingWindowLayer
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.gpt2 import modeling_gpt2 as gpt2
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.llama import modeling_llama as llama
from transformers.models.mistral import modeling_mistral as mistral
from transformers.models.smollm3 import modeling_smollm3 as smollm3
from transformers.models.t5 import modeling_t5 as t5

rotate, slopes, windowed = (
    llama.apply_rotary_pos_emb,
    bloom._get_alibi_slopes,
    mistral.create_sliding_window_causal_mask,
)


def replaced(where, name, by):
    """A fault: something in a module of transformers is replaced, whatever the model."""
    return lambda model: patch.object(where, name, by)


def attributes(kind, name, change):
    """A fault: an attribute of all parts of a kind is changed."""

    @contextmanager
    def fault(model):
        parts = [part for part in model.modules() if isinstance(part, kind)]
        with ExitStack() as stack:
            for part in parts:
                stack.enter_context(patch.object(part, name, change(getattr(part, name), part)))
            yield

    return fault


# --- RoPE ---------------------------------------------------------------------------------------------------------


def rotation(change):
    """Another rotation of q and k, in place of Llama's."""
    return replaced(llama, "apply_rotary_pos_emb", lambda q, k, cos, sin, *_, **__: change(q, k, cos, sin))


def angles(positions=lambda p: p, speeds=lambda theta: theta, angle=lambda a: a):
    """Llama's angles, with something done to positions, speeds or their product."""

    def forward(self, x, position_ids):
        a = angle(positions(position_ids.float())[..., None] * speeds(self.inv_freq))
        a = torch.cat((a, a), -1)
        return a.cos().to(x), a.sin().to(x)

    return replaced(llama.LlamaRotaryEmbedding, "forward", forward)


def rounded(dtype):
    return lambda x: x.to(dtype).float()


def base(b):
    return lambda theta: torch.tensor(b) ** (-torch.arange(len(theta)) / len(theta))


def neighbours(q, k, cos, sin, interleaved_angles=True):
    """Channels 2m and 2m + 1 form a pair; with the angles of halves, the pairs do not match them."""
    half = cos.shape[-1] // 2
    if interleaved_angles:
        cos, sin = (x[..., :half].repeat_interleave(2, -1) for x in (cos, sin))

    def turned(x):
        partner = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        return x * cos.unsqueeze(1) + partner * sin.unsqueeze(1)

    return turned(q), turned(k)


def whole_head(theta, part):
    """The first speeds of a head of 16 channels."""
    return base(1e4)(torch.zeros(8))[: len(theta)]


def queries_ahead(q, k, cos, sin):
    theta = torch.cat([base(1e4)(torch.zeros(8))] * 2)[None, None]
    q, k = rotate(q, k, cos, sin)
    return rotate(q, k, theta.cos(), theta.sin())[0], k


# --- numbers of positions -----------------------------------------------------------------------------------------


def numbered(kind, change):
    """Other positions than those given: change(positions or None, past, counted)."""
    before = kind.forward

    def forward(self, input_ids=None, position_ids=None, past_key_values=None, **more):
        past = past_key_values.get_seq_length() if past_key_values is not None else 0
        counted = torch.arange(past, past + input_ids.shape[1])[None]
        position_ids = change(position_ids, past, counted)
        return before(self, input_ids=input_ids, position_ids=position_ids, past_key_values=past_key_values, **more)

    return replaced(kind, "forward", forward)


def new_by_place(kind):
    """generate() numbers the prompt by the mask, and new tokens by their place."""
    before = kind.prepare_inputs_for_generation

    def prepare(self, input_ids, **kwargs):  # generate() looks for this name
        given, cache = before(self, input_ids, **kwargs), kwargs.get("past_key_values")
        if cache is not None and cache.get_seq_length():
            given["position_ids"] = torch.full((len(input_ids), 1), cache.get_seq_length())
        return given

    return replaced(kind, "prepare_inputs_for_generation", prepare)


def last_mask(kind):
    """The padding of the last text is used for all."""
    before = kind.forward

    def forward(self, input_ids=None, attention_mask=None, **more):
        if attention_mask is not None and attention_mask.dim() == 2:
            attention_mask = attention_mask[-1:].expand(len(attention_mask), -1)
        return before(self, input_ids=input_ids, attention_mask=attention_mask, **more)

    return replaced(kind, "forward", forward)


# --- windows, ALiBi, sinks ----------------------------------------------------------------------------------------


def window(change, any_cache=True):
    """Mistral with another window: change(window, past). any_cache: a cache that keeps all keys."""

    def mask(config, past_key_values, **more):
        config, cached = copy.copy(config), past_key_values
        config.sliding_window = change(config.sliding_window, cached.get_seq_length() if cached is not None else 0)
        return windowed(config=config, past_key_values=past_key_values, **more)

    @contextmanager
    def fault(model):
        with ExitStack() as stack:
            stack.enter_context(patch.object(mistral, "create_sliding_window_causal_mask", mask))
            if any_cache:
                stack.enter_context(patch.object(mistral, "DynamicCache", lambda config=None: DynamicCache()))
            yield

    return fault


def ring_that_overwrites():
    """A full ring of w keys takes all keys of a call before its queries read: they find the new ones in old slots."""
    before = DynamicSlidingWindowLayer.update

    def update(self, keys, values, *more, **named):
        past, w = self.cumulative_length, self.sliding_window
        states = before(self, keys, values, *more, **named)
        n = states[0].shape[-2]
        old = torch.arange(n)
        late = n - w + (old - (n - w)) % w  # the last key that falls into the same slot
        return tuple(x[:, :, late if past and n > w else old] for x in states)

    return replaced(DynamicSlidingWindowLayer, "update", update)


def alibi(change):
    return replaced(bloom, "_get_alibi_slopes", lambda heads, device: change(heads, device))


def no_alibi_behind_a_past():
    before = bloom.BloomAttention.forward

    def forward(self, hidden_states, residual, alibi, attention_mask, *more, **named):
        alibi = alibi * (hidden_states.shape[1] == alibi.shape[-1])
        return before(self, hidden_states, residual, alibi, attention_mask, *more, **named)

    return replaced(bloom.BloomAttention, "forward", forward)


def no_sink(module, query, key, value, attention_mask, scaling, **_):
    return llama.eager_attention_forward(module, query, key, value, attention_mask, scaling)


def tiled_heads(x, times):
    """Query head h reads key head h % 2, not h // 2."""
    return x.repeat(1, times, 1, 1)


LINEAR = {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}
SIX = {"n_head": 6, "num_attention_heads": 6, "hidden_size": 96}
LLAMA, GPT2 = llama.LlamaModel, gpt2.GPT2Model
FLAT, SPEEDS, SLOPES = "layers without positions", "speeds of the rotation", "slopes of the heads"
KEYS, CACHE = "keys that a query sees", "cache: one by one"
# By what is wrong: the family, more of its configuration, the fault, the check that finds it alone if one does, and the
# row of the page of symptoms.
FAULTS = {
    "RoPE left out": ("llama", {}, rotation(lambda q, k, *_: (q, k)), FLAT, "t1"),
    "rotated twice": ("llama", {}, rotation(lambda q, k, c, s: rotate(*rotate(q, k, c, s), c, s)), SPEEDS, "p9"),
    "other pairs": ("llama", {}, rotation(neighbours), None, "p1"),
    "pairs and angles do not match": (
        "llama", {}, rotation(lambda *x: neighbours(*x, interleaved_angles=False)),
        "depends on the distance alone", "p10"),
    "another base": ("llama", {}, angles(speeds=base(1e3)), SPEEDS, "p2"),
    "positions in bfloat16": ("llama", {}, angles(rounded(torch.bfloat16)), "text moved by 1,000", "t5"),
    "positions in float16": ("llama", {}, angles(rounded(torch.float16)), "text moved by 5,001", "t6"),
    "speeds in bfloat16": ("llama", {}, angles(speeds=rounded(torch.bfloat16)), SPEEDS, "p4"),
    "angles in bfloat16": ("llama", {}, angles(angle=rounded(torch.bfloat16)), "text moved by 1,000", "p5"),
    "positions ignored": (
        "llama", {}, numbered(LLAMA, lambda given, past, counted: counted), "positions are read", "b5"),
    "positions ignored by a table": (
        "gpt2", {}, numbered(GPT2, lambda given, past, counted: counted), "left padding, numbered by the mask", "b4"),
    "new tokens by place": ("llama", {}, new_by_place(llama.LlamaForCausalLM), "generate in a left padded batch", "s1"),
    "new rows by place": ("gpt2", {}, new_by_place(gpt2.GPT2LMHeadModel), "generate in a left padded batch", None),
    "one too far behind a past": (
        "llama", {}, numbered(LLAMA, lambda p, past, n: (n if p is None else p) + (past > 0)), CACHE, "s2"),
    "from 0 behind a past": ("gpt2", {}, numbered(GPT2, lambda p, past, n: n - past if past else p), CACHE, "s3"),
    "window in prefill only": ("mistral", {}, window(lambda w, past: 4096 if past else w), CACHE, "s4"),
    "window one too wide behind a past": ("mistral", {}, window(lambda w, past: w + (past > 0)), CACHE, None),
    "ring that overwrites": ("mistral", {}, ring_that_overwrites(), "cache: in two chunks", "s12"),
    "window in decoding only": (
        "mistral", {}, window(lambda w, past: w if past else 4096, any_cache=False), KEYS, "s5"),
    "window one too wide": ("mistral", {}, window(lambda w, past: w + 1), KEYS, "p21"),
    "no window": ("mistral", {}, window(lambda w, past: 4096), KEYS, "p22"),
    "ALiBi lost behind a past": ("bloom", {}, no_alibi_behind_a_past(), CACHE, "s6"),
    "slopes of 8 heads for 6": ("bloom", SIX, alibi(lambda h, where: slopes(8, where)[:h]), SLOPES, "p16"),
    "ALiBi left out": ("bloom", {}, alibi(lambda h, where: 0 * slopes(h, where)), FLAT, "t2"),
    "ALiBi's sign": ("bloom", {}, alibi(lambda h, where: -slopes(h, where)), SLOPES, "p17"),
    "sink left out": (
        "gpt_oss", {}, replaced(gpt_oss, "eager_attention_forward", no_sink), "weight of a learned sink", "p7"),
    "speeds of the whole head": (
        "gpt_neox", {}, attributes(GPTNeoXRotaryEmbedding, "inv_freq", whole_head), SPEEDS, "p8"),
    "T5 scaled": (
        "t5", {}, attributes(t5.T5Attention, "scaling", lambda old, part: part.key_value_proj_dim**-0.5), None, "p6"),
    "no_rope_layers the other way round": (
        "smollm3", {}, attributes(smollm3.SmolLM3Attention, "use_rope", lambda on, part: 1 - on),
        FLAT, "p13"),
    "only queries rotated": (
        "llama", {}, rotation(lambda q, k, c, s: (rotate(q, k, c, s)[0], k)), FLAT, "p11"),
    "queries one ahead": ("llama", {}, rotation(queries_ahead), None, "p12"),
    "scale": ("llama", {}, attributes(llama.LlamaAttention, "scaling", lambda old, part: 2 * old), None, None),
    "heads tiled": (
        "llama", {"attn_implementation": "eager"}, replaced(llama, "repeat_kv", tiled_heads), None, "p23"),
    "one mask for all texts": ("llama", {}, last_mask(LLAMA), "another, shorter text in the batch", "b3"),
    "linear factor ignored": (
        "llama", {"rope_parameters": LINEAR}, angles(speeds=lambda theta: 4 * theta), SPEEDS, "l4"),
}  # fmt: skip
