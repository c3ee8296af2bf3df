"""Every row of the page of symptoms is reproduced: by a seeded fault and the check that the row names, or in lines."""

import re
from functools import cache

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_chapters import lesson_file, tasks_of
from course_lib.checkup import checkup, compare, read
from course_lib.checkup.check import change
from course_lib.checkup.use import mean
from course_lib.nn.rope import rotate
from course_lib.reference.absolute import frequencies
from course_lib.reference.alibi import slopes
from course_lib.reference.speeds import longrope
from course_lib.reference.t5 import bucket
from course_lib.released import excerpt
from tests.released.conftest import file, model  # noqa: F401  # fixtures

from .. import ROOT
from .families import family
from .faults import FAULTS
from .test_faults import COMPARED

PAGE = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1:] for row in re.findall(r"(?m)^\| (\w\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE)}
SEEDED = {row: name for name, (*_, row) in FAULTS.items() if row}
HEALTHY = {  # the row, and a right model with the verdict that its check gives
    "t3": ("llama", "know"),
    "t9": ("falcon", "know"),
    "b1": ("gpt2", "know"),
    "b2": ("llama", "fine"),
    "l3": ("gpt2", "skipped"),
}
GPU, RELEASED = ("t10", "s10"), ("s9", "l1", "l2")
IDS = torch.arange(3, 43)[None]
AT = torch.arange(40)[None]


def decider(row):
    """The check that a row names first, or the call of `compare`."""
    return next(name for name in re.findall(r"`([^`]+)`", ROWS[row][2]) if name not in ("compare",))


@cache
def healthy(kind):
    return {check.name: check for check in checkup(family(kind)).checks}


@pytest.mark.parametrize("row", SEEDED)
def test_a_seeded_fault_is_decided_by_the_check_of_its_row(row):
    """test_faults.py runs that check."""
    fault = SEEDED[row]
    assert decider(row) == (FAULTS[fault][-2] or COMPARED[fault])


@pytest.mark.parametrize("row", HEALTHY)
def test_a_right_model_behaves_as_its_row_says(row):
    kind, verdict = HEALTHY[row]
    assert healthy(kind)[decider(row)].verdict == verdict


@torch.no_grad()
def t4():
    causal = family("llama")
    own_document = (AT.T < 15) == (AT < 15)
    grid = torch.zeros(1, 1, 40, 40).masked_fill(~(own_document & (AT <= AT.T)), -torch.inf)
    again, ones = AT - 15 * (AT >= 15), torch.ones_like(IDS)
    alone = causal(IDS[:, 15:]).logits
    assert change(causal(IDS, position_ids=again, attention_mask=ones).logits[:, 15:], alone) > 0.01
    assert change(causal(IDS, position_ids=again, attention_mask=grid).logits[:, 15:], alone) < 1e-4


def t7():
    [fault] = checkup(family("llama").bfloat16()).faults
    assert fault.name == decider("t7") and "bfloat16" in fault.says


def t8():
    mask, attention, x = torch.zeros(7, 7, dtype=torch.bool), torch.nn.MultiheadAttention(8, 2), torch.randn(7, 1, 8)
    mask[3] = True  # True means hidden here
    attention(x, x, x, attn_mask=mask)[0][:3].sum().backward()
    assert attention.in_proj_weight.grad.isnan().any() and mask.all(-1).any()


def p3():
    one, other = (family("llama", rope_parameters={"rope_type": "default", "rope_theta": b}) for b in (1e4, 1e5))
    other.load_state_dict(one.state_dict())
    assert not checkup(one).faults and decider("p3") in [check.name for check in compare(one, other).faults]


SMALL = {"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4}


def p14():
    config = {**SMALL, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    assert getattr(family("llama", rope_parameters=config["rope_parameters"]).config, "rope_theta", 1e4) == 1e4
    assert "base 500,000" in read(config).words[1]
    assert "The file gives no base" in " ".join(read({**SMALL, "model_type": "llama"}).words)
    assert "two bases" in " ".join(read({**config, "rope_theta": 1e4}).words)


def p15():
    config = {**SMALL, "rope_theta": 1e4, "use_sliding_window": True, "sliding_window": 16, "max_window_layers": 2}
    assert [layer.window for layer in read(config).layers] == [None, None, 16, 16]
    assert not [layer.window for layer in read(config | {"use_sliding_window": False}).layers if layer.window]


@torch.no_grad()
def p18():
    opt = family("opt")
    table, tokens, seen = opt.model.decoder.embed_positions, opt.model.decoder.embed_tokens, []
    opt.model.decoder.layers[0].register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    opt(IDS)
    assert torch.allclose(seen[0][0, 0] - tokens(IDS)[0, 0], table.weight[2], atol=1e-6)


def p19():
    q, k, weight = *torch.randn(2, 1, 8, generator=torch.Generator().manual_seed(0)), torch.linspace(0.5, 1.5, 8)
    after = [float((weight * rotate(q, past + 3)) @ (weight * rotate(k, past)).T) for past in (0, 50)]
    before = [float(rotate(weight * q, past + 3) @ rotate(weight * k, past).T) for past in (0, 50)]
    assert abs(after[0] - after[1]) > 0.1 and abs(before[0] - before[1]) < 1e-4


def p20():
    q = torch.randn(4, 1, 8).expand(4, 60, 8)  # heads, tokens, channels: one token, repeated

    def weights(ids, positions):
        turned = rotate(q[:, : ids.shape[1]].transpose(0, 1), 0).transpose(0, 1) if ids.shape[1] <= 60 else None
        scores = turned @ turned.mT
        return [scores.masked_fill(~torch.ones_like(scores).tril().bool(), -torch.inf).softmax(-1)]

    assert torch.allclose(weights(torch.zeros(1, 60), None)[0][:, -1], torch.tensor(1 / 60))


def s7():
    windowed = family("mistral")
    cache = windowed(IDS, use_cache=True).past_key_values
    with pytest.raises(RuntimeError):
        cache.crop(-4)
    assert healthy("mistral")[decider("s7")].verdict == "fine"  # the check-up asks for a cache that can go back


def s8():
    q, k, v = torch.randn(3, 1, 1, 5, 4)
    whole = sdpa(q, k, v, is_causal=True)[..., -1:, :]
    assert torch.allclose(sdpa(q[..., -1:, :], k, v, is_causal=True), v[..., :1, :])
    assert torch.allclose(sdpa(q[..., -1:, :], k, v, attn_mask=torch.ones(1, 5).bool()), whole, atol=1e-6)


def s11():
    q, k, v = torch.randn(3, 1, 2, 6, 16, generator=torch.Generator().manual_seed(0))

    def score(past):
        return lambda s, b, h, i, j: torch.where(j <= i + past, s - (i + past - j) / 2, -torch.inf)

    whole, new = flex_attention(q, k, v, score_mod=score(0))[:, :, -1:], q[:, :, -1:]
    assert change(flex_attention(new, k, v, score_mod=score(0)), whole) > 0.1
    assert change(flex_attention(new, k, v, score_mod=score(5)), whole) < 1e-4


def l5():
    linear = {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}
    plain, stretched = family("llama"), family("llama", rope_parameters=linear)
    stretched.load_state_dict(plain.state_dict())
    assert decider("l5") == "7 tokens" and "7 tokens" in [check.name for check in compare(stretched, plain).faults]


@torch.no_grad()
def l6():
    rule = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    dynamic, found = family("llama", rope_parameters=rule, max_position_embeddings=32), []
    for padding in (0, 30):
        ids = torch.cat([torch.zeros(1, padding, dtype=torch.long), IDS], 1)
        mask = torch.arange(40 + padding)[None] >= padding
        found.append(dynamic(ids, attention_mask=mask.long()).logits[:, padding:])
    assert change(*found) > 1e-3


def l7():
    theta, short, long = frequencies(8), [1, 1, 1, 1], [1, 2, 4, 8]
    at, behind = (longrope(theta, n, 4096, short=short, long=long) for n in (4096, 4097))
    assert (at == theta).all() and behind[-1] == theta[-1] / 8


def l8():
    near, far = bucket([-200, -5000], bidirectional=False)
    assert near == far != bucket([-100], bidirectional=False)[0]


def l9():
    assert torch.tensor(-slopes(8).max() * 200).exp() < 1e-40


@torch.no_grad()
def l10():
    causal, gap = family("llama"), AT + 300 * (AT >= 20)
    alone = causal(IDS[:, 20:], use_cache=False).logits
    assert change(causal(IDS, position_ids=gap, use_cache=False).logits[:, 20:], alone) < 1e-4
    seen = causal(IDS, position_ids=gap, use_cache=False, attention_mask=torch.ones_like(IDS)).logits
    assert change(seen[:, 20:], alone) > 0.01


@torch.no_grad()
def b6():
    windowed = family("mistral")
    grid = torch.zeros(1, 1, 40, 40).masked_fill(AT > AT.T, -torch.inf)
    drawn = grid.masked_fill(AT.T - AT >= 16, -torch.inf)
    plain = windowed(IDS).logits
    assert change(windowed(IDS, attention_mask=grid).logits, plain) > 0.1
    assert change(windowed(IDS, attention_mask=drawn).logits, plain) < 1e-4


def b7():
    q, k, v = torch.randn(3, 2, 2, 6, 4, generator=torch.Generator().manual_seed(0))  # two texts, two heads
    padding = torch.arange(6) < torch.tensor([[6], [3]])
    mask = padding[:, None].expand(2, 6, 6)
    assert change(sdpa(q, k, v, attn_mask=mask), sdpa(q, k, v, attn_mask=mask[:, None])) > 0.1


def b8():
    scores = torch.tensor([120.0, 0.0])
    assert (scores + torch.tensor([-100.0, 0])).softmax(-1)[0] > 0.99
    assert (scores + torch.tensor([-torch.inf, 0])).softmax(-1)[0] == 0


def b9():
    x, hidden = torch.randn(1, 2, 8), torch.tensor([[True, False]])
    attention = torch.nn.MultiheadAttention(8, 1, batch_first=True)
    assert attention(x[:, :1], x, x, attn_mask=hidden)[1].tolist() == [[[0.0, 1.0]]]
    assert torch.allclose(sdpa(x[:, :1], x, x, attn_mask=hidden), x[:, :1])


IN_LINES = [t4, t7, t8, p3, p14, p15, p18, p19, p20, s7, s8, s11, l5, l6, l7, l8, l9, l10, b6, b7, b8, b9]


@pytest.mark.parametrize("row", IN_LINES, ids=lambda row: row.__name__)
def test_a_row_is_reproduced_in_lines(row):
    row()


@pytest.mark.slow
@pytest.mark.parametrize("row", RELEASED)
def test_a_row_is_reproduced_in_the_released_model(row, model):  # noqa: F811
    text = model.encode(excerpt("alice"))[:256]
    first, i = AT.new_tensor(range(256)) < 128, torch.arange(256)
    hidden = (i[:, None] < 128) | (i >= 128) | (i < 4)
    changes = {
        "s9": ({"window": 64}, {"window": 64, "sinks": range(4)}),
        "l1": ({"positions": i + 16_384 * ~first}, {"mask": hidden}),
        "l2": ({"window": 16, "sinks": range(4), "mask": hidden}, {"window": 16, "sinks": range(4)}),
    }
    losses = []
    for change_ in changes[row]:
        with model.changed(**change_):
            losses.append(model.losses(text)[128:].double())
    cost, error = mean(losses[0] - losses[1])
    assert abs(cost) < 0.25 if row == "l2" else cost > max(0.5, 2 * error)


def test_every_row_is_reproduced_or_says_that_it_needs_a_gpu():
    in_lines = [row.__name__ for row in IN_LINES]
    assert set(ROWS) == {*SEEDED, *HEALTHY, *in_lines, *RELEASED, *GPU} and len(ROWS) >= 40
    assert all("needs a GPU" in ROWS[row][1] for row in GPU)
    assert {row for row in ROWS if "needs a GPU" in ROWS[row][1]} == set(GPU)


@pytest.mark.parametrize("row", ROWS)
def test_every_row_leads_to_a_section_that_exists(row):
    link = r"\[(\d\d)\]\(\.\./(notebooks/\1|exercises/\1_tasks)_(\w+)\.ipynb\), “(.+)”"
    _, kind, topic, heading = re.fullmatch(link, ROWS[row][3]).groups()
    sections = re.findall(r"(?m)^# ##+ (.*)$", lesson_file(topic).read_text(encoding="utf-8"))
    assert heading in (sections if "notebooks" in kind else {task.title for task in tasks_of(topic).values()})
