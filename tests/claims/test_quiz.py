"""The quiz: every right answer is computed here from the library, and what is asked is nowhere asked before."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from course_lib import figures, study
from course_lib.example import K, Q, V
from course_lib.nn.cache import SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.nn.window import WindowAttention
from course_lib.reference import transformer_xl
from course_lib.reference.absolute import frequencies, sinusoidal
from course_lib.reference.alibi import alibi_bias, slopes
from course_lib.reference.attention import attention, causal_mask, scores, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import from_grid, offsets, row_offsets, to_grid
from course_lib.reference.music_transformer import skew_source
from course_lib.reference.rope import rotate, to_half_split
from course_lib.reference.shaw import clip_index
from course_lib.reference.speeds import ntk
from course_lib.reference.t5 import bucket, bucket_starts
from course_lib.reference.window import shift_mask
from course_tasks import guide
from course_tasks.guide import FITS, OUT
from course_tasks.measured import STUDY
from course_tasks.quiz import QUESTIONS

from . import after_2021

BY_NAME = {question.name: question for question in QUESTIONS}
DECIDES = {name: function for name, function in vars(after_2021).items() if name in BY_NAME}
rng = np.random.default_rng(0)


def decides(function):
    """A function with the name of a question; it computes how the right answer begins, and no other answer does."""
    DECIDES[function.__name__] = function
    return function


@pytest.mark.parametrize("name", BY_NAME)
def test_the_answer_is_what_the_library_computes(name):
    question, found = BY_NAME[name], DECIDES[name]()
    assert [option for option in question.options if option.startswith(found)] == [question.answer], found


def test_every_question_has_its_function():
    assert DECIDES.keys() == BY_NAME.keys() and len(BY_NAME) == len(QUESTIONS) >= 45


def only(found):
    """The one that was found."""
    (one,) = found
    return one


def spoken(number):
    return str(number).replace("-", "−")


# --- order and bias ------------------------------------------------------------------------------------------------


@decides
def sign():
    x, numbers = rng.normal(size=(5, 8)), rng.normal(size=5)
    other = x[[2, 0, 1, 3, 4]]  # other words before the last, in another order

    def last(x, way):
        offset = way * offsets(5)
        output, weights = attention(x, x, x, bias=np.where(offset < 0, numbers[offset], 0), mask=causal_mask(5))
        assert weights[-1].min() > 0
        return output[-1]

    assert not np.allclose(last(x, +1), last(other, +1))
    return "Which words" if np.allclose(last(x, -1), last(other, -1)) else "The order"


@decides
def keys_shuffled():
    order = [3, 0, 4, 1, 2]
    before = attention(Q, K, V)[0]
    assert np.allclose(attention(Q[order], K[order], V[order])[0], before[order])
    return "It stays" if np.allclose(attention(Q, K[order], V[order])[0], before) else "Every row"


@decides
def unseen_pairs():
    absolute = figures.unseen_pairs(100, 300, "absolute") / 300**2
    return f"{absolute:.0%}".replace("%", " %")


@decides
def one_word():
    h = np.tile(rng.normal(size=6), (50, 1))
    for _ in range(3):
        h = np.tanh(h + attention(h, h, h, bias=decay_bias(50, scale=3.0), mask=causal_mask(50))[0])
    return "None" if np.ptp(h, axis=0).max() < 1e-12 else "All"


@decides
def no_mask():
    bias = decay_bias(9, scale=50.0)[4]
    assert bias[4] == 0 and np.isclose(bias[5], -50 * np.log(2))
    return "Both pay the same" if bias[3] == bias[5] < 0 else "The one after"


@decides
def cancels():
    s, number = scores(Q, K), rng.normal(size=5)
    changed = {
        "Add a number to each key": s + number,
        "Add a number to each offset": s + to_grid(rng.normal(size=(1, 9)), 5),
        "Multiply": 2 * s,
        "Add a number to each query": s + number[:, None],
    }
    return only(name for name, x in changed.items() if np.allclose(softmax(x), softmax(s)))


# --- vectors and grids ---------------------------------------------------------------------------------------------


def learned(module):
    return sum(parameter.numel() for parameter in module.parameters())


@decides
def shaw_parameters():
    position = ShawVectors(4, 16, clip=8)
    return f"{learned(position):,}"


@decides
def shaw_clip():
    r = row_offsets(10)
    rows = clip_index(r, 4)
    assert r[[0, -1]].tolist() == [-9, 9] and set(r[rows == 8]) == set(range(4, 10))
    own = r[np.bincount(rows)[rows] == 1]
    return spoken(f"{own.min()} to {own.max()}")


@decides
def adjoint():
    x, cells = rng.normal(size=11), from_grid(np.ones((6, 6)))[0]
    back = from_grid(to_grid(x[None], 6))[0]
    assert cells[5] == 6 and cells[0] == cells[-1] == 1
    ways = {"x, each number times": x * cells, "n · x": 6 * x, "x": x}
    return only(name for name, y in ways.items() if np.allclose(back, y))


@decides
def junk():
    source = skew_source(6, 6)
    i, j = np.indices((6, 6))
    own = (source[..., 0] == i) & (source[..., 1] == j - i + 5)
    padding = (source[..., 0] < 0).sum()
    assert own.sum() == 21 and padding == 5 and (~own).sum() - padding == 10 and np.array_equal(own, causal_mask(6))
    return str((~own).sum())


@decides
def four_terms():
    k, r, u, v = (rng.normal(size=size) for size in ((5, 4), (9, 4), 4, 4))

    def terms(q):
        t = transformer_xl
        return {"a": t.term_a(q, k), "b": t.term_b(q, r), "c": t.term_c(u, k) + 0 * q[:, :1], "d": t.term_d(v, r, 5)}

    before, after = (terms(rng.normal(size=(5, 4))) for _ in range(2))
    return " and ".join(f"({name})" for name in before if not np.allclose(before[name], after[name]))


@decides
def memory_gradients():
    torch.manual_seed(0)
    layer, memory = RelativeAttention(8, 2, TransformerXL(8, 2), causal=True), SegmentMemory(4)
    old, new = torch.randn(2, 1, 4, 8)
    layer(old.requires_grad_(), cache=memory)
    layer(new, cache=memory, mask=torch.arange(8) < 4).square().sum().backward()  # it looks at the memory alone
    learns = all(parameter.grad.abs().max() > 0 for parameter in layer.parameters())
    return "Nothing" if not learns else "The layer's weights" if old.grad is None else "All that made them"


# --- buckets, slopes, turns, windows -------------------------------------------------------------------------------


@decides
def trained_rows():
    position = T5Bias(1)
    position.bias(300, 300, 0).sum().backward()
    rows = position.table.grad[:, 0] != 0
    assert not rows[16] and rows[15] and rows[31] and len(set(bucket(-np.arange(300)))) == 16
    return str(int(rows.sum()))


@decides
def saturated():
    starts = bucket_starts(bidirectional=False)
    assert starts[:16] == list(range(16)) and starts[-1] == 113 and starts[-2] < 112
    assert max(b - a for a, b in pairwise(starts)) > 1 and bucket(-127, bidirectional=False) == 31
    pairs = [option for option in BY_NAME["saturated"].options if option[0].isdigit()]
    one, other = np.array([[int(d) for d in option.split(" and ")] for option in pairs]).T
    same = bucket(-one, bidirectional=False) == bucket(-other, bidirectional=False)
    return only(pair for pair, alike in zip(pairs, same, strict=True) if alike)


@decides
def unscaled():
    x, (w_q, w_k) = rng.normal(size=(200, 512)), rng.normal(size=(2, 512, 64)) / 512**0.5
    usual, divided = x @ w_q @ (x @ w_k).T, x @ (w_q / 64**0.5) @ (x @ w_k).T
    assert T5Bias(8).scale == 1.0 and Position().scale is None  # None: 1/√d
    assert not np.allclose(softmax(usual[:5]), softmax(usual[:5] / 8))  # a factor is not taken away
    shift = usual + to_grid(rng.normal(size=(1, 399)), 200)
    assert shift.std() > 7  # nor does a bias make scores smaller
    return "W_q starts smaller" if np.allclose(divided, usual / 64**0.5) and divided.std() < 1.1 else "The learned bias"


@decides
def cross():
    torch.manual_seed(0)
    layer, x, memory = RelativeAttention(8, 2, T5CrossAttention()), torch.randn(1, 3, 8), torch.randn(1, 6, 8)
    same = torch.allclose(layer(x, memory), layer(x, memory[:, [4, 0, 5, 2, 1, 3]]), atol=1e-6)
    return "What it returned before" if same else "Other numbers"


@decides
def steepest():
    m = slopes(12)
    return f"Head {m.argmax() + 1}"


@decides
def convert():
    d, heads = 8, 2
    x, (w_q, w_k, w_v) = rng.normal(size=(5, 16)), rng.normal(size=(3, 16, 16)) / 4
    by_head = np.concatenate([h * d + to_half_split(d) for h in range(heads)])

    def output(w_q, w_k, w_v, interleaved=False):
        q, k, v = (np.moveaxis((x @ w.T).reshape(5, heads, d), 1, 0) for w in (w_q, w_k, w_v))
        return attention(rotate(q, interleaved=interleaved), rotate(k, interleaved=interleaved), v)[0]

    over_all = to_half_split(2 * d)
    ways = {
        "The rows of W_q and W_k, over all": (w_q[over_all], w_k[over_all], w_v),
        "The rows of W_q, W_k and W_v": (w_q[by_head], w_k[by_head], w_v[by_head]),
        "The rows of W_q, head": (w_q[by_head], w_k, w_v),
        "The rows of W_q and W_k, head": (w_q[by_head], w_k[by_head], w_v),
    }
    trained = output(w_q, w_k, w_v, interleaved=True)
    return only(way for way, weights in ways.items() if np.allclose(output(*weights), trained))


@decides
def interpolation():
    trained, longer = 2048, 8192
    assert (longer - 1) / 4 / (trained - 1) < 1.001  # the largest angle

    def score(r, step):
        """A head tuned to one place back."""
        return np.cos((r * step - 1) * frequencies(64)).sum()

    lead = [score(1, step) - score(0, step) for step in (1, 1 / 4)]
    assert np.isclose(score(4, 1 / 4), score(1, 1))
    return "To tell neighbours apart" if 0 < lead[1] < lead[0] / 2 else "Nothing"


@decides
def window_table():
    heads, w = 4, 7
    return str(WindowAttention(8, heads, window=w).table.numel())


@decides
def masked_windows():
    mask = shift_mask(16, 16, 4, 2)
    assert len(mask) == 16
    return str((~mask).any(axis=(1, 2)).sum())


# --- longer texts --------------------------------------------------------------------------------------------------


def held(tensor):
    return tensor.untyped_storage().nbytes()


@decides
def bias_memory():
    matrix = torch.empty(16, 1024, 1024, device="meta")  # sizes without numbers
    row = T5Bias(16).bias(1024, 1024, 0).detach().clone()
    assert held(matrix) == held(matrix.expand(8, -1, -1, -1)) == 64 * 2**20 and row.shape[-1] == 2047
    return f"{held(matrix.repeat(8, 1, 1, 1)) // 2**20} MiB, and {held(row) / 2**10:.0f} KiB"


@decides
def new_row():
    assert row_offsets(1, 101, past=100)[[0, -1]].tolist() == [-100, 0]
    assert row_offsets(101).size == 201 and f"{offsets(101).size:,}" == "10,201"
    return str(offsets(1, 101, past=100).size)


@decides
def span():
    w = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    bits = -(w * np.log2(w)).sum()
    assert bits == 1.75 and np.isclose(2**bits, np.exp(-(w * np.log(w)).sum())) and 1 / w.max() == 2
    return f"About {2**bits:.1f}"


@decides
def ntk_divisors():
    first, *others, last = (f"{divisor:.0f}" for divisor in frequencies(8) / ntk(frequencies(8), 8))
    return f"{', '.join([first, *others])} and {last}"


@decides
def reach():
    one_layer = np.tril(np.ones((600, 600), bool)) & ~np.tril(np.ones((600, 600), bool), -128)
    assert one_layer[-1].sum() == 128
    seen = np.linalg.matrix_power(one_layer.astype(float), 4)[-1]
    return str(599 - np.flatnonzero(seen)[0])


@decides
def untrained():
    def pairs(length):
        found = bucket(-np.arange(length), bidirectional=False)
        return np.bincount(found, weights=length - np.arange(length), minlength=32)

    empty = {length: np.flatnonzero(pairs(length) == 0).tolist() for length in (64, 100)}
    assert bucket_starts(bidirectional=False)[-2:] == [99, 113]
    assert pairs(100)[30] == 1 and empty[64] == [27, 28, 29, 30, 31]
    return {(): "None", (31,): "The last one"}[tuple(empty[100])]


def committed(task, scheme, what, at):
    """Of all seeds: `what` at a test length, 128 (0) to 1,024 (3)."""
    return [row[what][at] for row in study.pick(study.committed(STUDY), task=task, scheme=scheme)]


def mean(task, scheme, at):
    return np.mean(committed(task, scheme, "accuracy", at))


@decides
def same_at_128():
    def apart(better, worse, at):
        low, high = (committed("characters", scheme, "loss", at) for scheme in (better, worse))
        assert len(low) == len(high) == 3
        return max(low) < min(high)

    tables = "t5-256", "t5-64"
    assert not apart(*tables, 0) and not apart(*tables[::-1], 0) and apart("t5-64", "none", 3)
    return "256 is behind" if apart("none", "t5-256", 3) else "256 leads"


@decides
def two_tasks():
    names = {"T5": "t5-64", "ALiBi": "alibi", "Transformer-XL": "transformer-xl", "RoPE": "rope"}
    copies, reads = ({o: mean(task, s, 3) for o, s in names.items()} for task in ("copy-back", "flip-flop"))
    solved = {option for option, scheme in names.items() if mean("copy-back", scheme, 0) > 0.999}
    return only(option for option in solved if 0.7 < copies[option] < 0.8 and 0.985 < reads[option] < 0.995)


# --- choosing ------------------------------------------------------------------------------------------------------


@decides
def no_bias_kernel():
    found = guide.decide(
        {
            "What is attended?": "text, left to right",
            "How is it computed?": "a flash kernel without a bias",
            "May position have parameters?": "no parameters",
        }
    )
    assert found["log decay"].verdict == found["T5 buckets"].verdict == OUT and found["sinusoidal"].verdict > FITS
    x, w, p = rng.normal(size=(5, 8)), rng.normal(size=(8, 8)), sinusoidal(np.arange(505), 8)
    early, late = x + p[:5], x + p[500:]
    assert not np.allclose(scores(early @ w, early), scores(late @ w, late))
    assert np.allclose(scores(rotate(x), rotate(x)), scores(rotate(x, past=500), rotate(x, past=500)))
    return only(s for s in ("log decay", "sinusoidal", "T5 buckets", "RoPE") if found[s].verdict == FITS)


@decides
def word_before():
    one = np.array([-1, 1])
    before_and_after = {
        "T5 buckets": bucket(one),
        "Shaw": clip_index(one, 2),
        "ALiBi": alibi_bias(3, n_heads=1)[0, 1, [0, 2]],
        "RoPE": scores(rotate(np.ones((3, 4))), rotate(np.tile([1.0, 1.0, 0.5, 1.0], (3, 1))))[1, [0, 2]],
    }
    return only(scheme for scheme, (before, after) in before_and_after.items() if np.isclose(before, after))


@decides
def segments():
    found = guide.decide({"What is attended?": "text in segments, with a memory"})
    names = {"ALiBi": "ALiBi", "T5 buckets": "T5 buckets", "Learned": "learned", "Transformer-XL": "Transformer-XL"}
    numbered = rng.normal(size=(5, 4)) + rng.normal(size=(5, 4))  # the same words, each segment numbered from 0
    both = scores(numbered, np.concatenate([numbered, numbered]))
    assert np.array_equal(both[:, :5], both[:, 5:])
    return only(option for option, scheme in names.items() if found[scheme].verdict == OUT)


@decides
def last_write():
    names = {"ALiBi": "alibi", "RoPE": "rope", "T5": "t5-256", "No position": "none"}
    reads = {option: [mean("flip-flop", scheme, at) for at in (0, 3)] for option, scheme in names.items()}
    return only(option for option, (_, late) in reads.items() if late > 0.99)


@decides
def bloom():
    found = guide.decide({"Which weights does it start from?": "from BLOOM, MPT"})
    assert found["RoPE"].verdict == OUT and found["ALiBi"].verdict == FITS

    def formula(heads):
        return np.allclose(slopes(heads), 2.0 ** (-8 * np.arange(1, heads + 1) / heads))

    assert formula(16) and formula(32)
    return "Keep ALiBi, slopes by" if formula(112) else "Keep ALiBi, slopes as"
