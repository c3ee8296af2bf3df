"""Every scheme once more, from its definition: what the layers of `course_lib.nn` are tested against.

`DEFINED` says for each one how to make it, what the plain loops of `reference.oracle` compute for one head of it, and
what its NumPy file computes for all of them, under its name in the registry. docs/contributing.md says how to add one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from course_lib.definition import Definition, numbers, randomise, with_bias, with_rotation, with_vectors
from course_lib.nn.alibi import ALiBi
from course_lib.nn.axial_rope import AxialRoPE, MRoPE
from course_lib.nn.bias import DecayBias
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Position
from course_lib.nn.query_scale import LogScale
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.reference import alibi, axial_rope, bias, oracle, speeds, t5
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import Array

from . import in_numpy

MAX_LENGTH = 300  # longer than any text drawn in the tests


@dataclass(frozen=True)
class Defined:
    """make(n_heads, d_head) gives the module; `definition` says the same in loops.

    in_numpy(module, q, k, past): the scores of all heads as its file in `course_lib.reference` computes them.
    relative: whether the answer stays when the whole text is moved. Where it does not, position 0 must be the first
    token, which a memory of segments forgets. least: the channels that a head needs.
    """

    make: Callable[[int, int], Position]
    definition: Definition
    in_numpy: Callable[..., Array] | None = None
    relative: bool = True
    least: int = 2

    def __call__(self, n_heads: int, d_head: int, **options) -> RelativeAttention:
        """A layer whose every weight and table is random, of a size that keeps scores and answers about 1.

        Its heads have d_head channels, or the least that the scheme needs.
        """
        d_head = max(d_head, self.least)
        layer = RelativeAttention(n_heads * d_head, n_heads, self.make(n_heads, d_head), **options)
        randomise(layer)
        return layer


def of_head(table, head):
    """One head's rows of a table (heads or 1, rows, d): shared tables have only the first."""
    return numbers(table[head if len(table) > 1 else 0])


def t5_number(module, head, r):
    """The row of the table by the formula of T5's code, in which a logarithm numbers the wide buckets."""
    if module.bidirectional:
        many, first, distance = module.num_buckets // 2, module.num_buckets // 2 * (r > 0), abs(r)
    else:
        many, first, distance = module.num_buckets, 0, max(-r, 0)
    exact = many // 2
    if distance >= exact:
        steps = math.log(distance / exact) / math.log(module.max_distance / exact) * (many - exact)
        distance = min(exact + int(steps), many - 1)
    return module.table[first + distance, head]


def offset_row(module, head, r):
    if module.causal and r > 0:
        return [0.0] * module.table.shape[-1]
    return numbers(module.table[head % len(module.table), r + module.max_length - 1])


def rope_pairs(module, head):
    return [*triples([module.base ** (-2 * m / module.d_head) for m in range(module.d_head // 2)], module.interleaved)]


def triples(speeds, interleaved):
    """The two channels of each pair and its speed: fewer than d/2 speeds turn only the first 2·len(speeds) channels."""
    half = len(speeds)
    for m, speed in enumerate(speeds):
        yield (2 * m, 2 * m + 1, speed) if interleaved else (m, m + half, speed)


def trained(d):
    """The speeds of all pairs before a rule stretches them, with base 100."""
    return [100.0 ** (-2 * m / d) for m in range(d // 2)]


def parts_by_hand(d, n):
    """YaRN's Definition 2: a pair that turns r times within 20 tokens is slowed 4 times, less so from r = 1 to 32."""
    found = []
    for speed in trained(d):
        r = 20 * speed / (2 * math.pi)
        kept = 0.0 if r < 1 else 1.0 if r > 32 else (r - 1) / (32 - 1)
        found.append((1 - kept) * speed / 4 + kept * speed)
    return found


def dynamic_by_hand(d, n):
    """YaRN's code, trained on 5 tokens, strength 2: beyond them the base grows by (2n/5 − 1)^(d / (d − 2))."""
    base = 100.0 if n <= 5 else 100.0 * (2 * n / 5 - (2 - 1)) ** (d / (d - 2))
    return [base ** (-2 * m / d) for m in range(d // 2)]


def longrope_by_hand(d, n):
    """Pair m is slowed 1 + m times in texts of up to 5 tokens, and 3 + m times in longer ones."""
    return [speed / ((1 if n <= 5 else 3) + m) for m, speed in enumerate(trained(d))]


def stretched(speeds_of, by_hand, factor=1.0, *, interleaved=False, by_length=False):
    """RoPE with the speeds that speeds_of(d, n) gives for a text of n tokens, and a factor on what is turned.

    The loops take the same speeds from by_hand(d, n), where no function of the library is called.
    """

    def make(n_heads, d):
        speeds = (lambda n: speeds_of(d, n)) if by_length else speeds_of(d, None)
        return RoPE(d, speeds=speeds, factor=factor, interleaved=interleaved)

    def scores(module, head, q, k, past):
        d, n = len(q[0]), max(past + len(q), len(k))
        pairs = [*triples(by_hand(d, n), interleaved)]
        turning = {channel for first, second, _ in pairs for channel in (first, second)}
        q, k = ([[factor * x if c in turning else x for c, x in enumerate(row)] for row in rows] for rows in (q, k))
        return oracle.scores_with_rotation(q, k, pairs, scale=d**-0.5, past=past)

    by_numpy = None if by_length else in_numpy.turned(in_numpy.by_rope)
    return Defined(make, Definition(scores), by_numpy, least=4 if by_length else 2)


unscaled = with_bias(lambda module, head, r: 0.0).scores  # those of plain attention


def xl_scores(module, head, q, k, past):
    """((q_i + u) · k_j + (q_i + v) · r_{j−i}) / √d: the content part and the distance part, each by its own loop."""
    u, v, d = numbers(module.u[head]), numbers(module.v[head]), module.d_model
    w_r = numbers(module.relative.weight.unflatten(0, (module.n_heads, -1))[head])

    def r_vector(r):
        angles = [-r * 10000.0 ** (-2 * m / d) for m in range(d // 2)]
        sinusoid = [f(angle) for angle in angles for f in (math.sin, math.cos)]
        return [oracle.dot(row, sinusoid) for row in w_r]

    scale, nowhere = module.d_head**-0.5, [[0.0] * module.d_head for _ in k]
    content = unscaled(module, head, [oracle.add(x, u) for x in q], k, past)
    distance = oracle.scores_through_query([oracle.add(x, v) for x in q], nowhere, r_vector, scale=scale, past=past)
    return [oracle.add(a, b) for a, b in zip(content, distance, strict=True)]


def alibi_number(module, head, r):
    n = len(module.strengths)
    lower = 2 ** int(math.log2(n))
    h, heads = (head + 1, lower) if head < lower else (2 * (head - lower) + 1, 2 * lower)
    return -(2 ** (-8 * h / heads)) * abs(r)


def window_number(w):
    """0 or −∞, by counting keys."""
    return lambda module, head, source: lambda i, j: 0.0 if i - w < j < i + w else -math.inf


def log_scaled(module, head, q, k, past):
    """The query at position p is multiplied by s_h · ln(p + 1)."""
    factors = [float(module.s[head]) * math.log(past + i + 1) for i in range(len(q))]
    return unscaled(module, head, [[f * x for x in q_i] for f, q_i in zip(factors, q, strict=True)], k, past)


def turned_on_axes(place, axis_and_speed):
    """Pair m of d turned by place(p)[axis] · speed, with the two numbers from axis_and_speed(m, d)."""

    def turned(x, p):
        half = len(x) // 2
        y = [0.0] * len(x)
        for m in range(half):
            axis, speed = axis_and_speed(m, len(x))
            c, s, a, b = math.cos(place(p)[axis] * speed), math.sin(place(p)[axis] * speed), x[m], x[m + half]
            y[m], y[m + half] = c * a - s * b, s * a + c * b
        return y

    def scores(module, head, q, k, past):
        q, k = [turned(q_i, past + i) for i, q_i in enumerate(q)], [turned(k_j, j) for j, k_j in enumerate(k)]
        return unscaled(module, head, q, k, past)

    return Definition(scores)


MIXED_TEXT = [(0, 0, 0), (1, 1, 1), (2, 2, 2), (2, 2, 3), (2, 3, 2), (2, 3, 3), (4, 4, 4)]  # a picture, and a word


def mrope_scheme(axis, least, **options):
    """axis(m, d): the axis of pair m. Rows and columns get one pair each."""

    def place(p):
        return MIXED_TEXT[p] if p < len(MIXED_TEXT) else (p - 2, p - 2, p - 2)  # the picture has two tokens too many

    return Defined(
        lambda n, d: MRoPE(d, MIXED_TEXT, (d // 2 - 2, 1, 1), **options),
        turned_on_axes(place, lambda m, d: (axis(m, d), 10000.0 ** (-2 * m / d))),
        in_numpy.on_axes(
            axial_rope.text_positions([2, (2, 2), MAX_LENGTH]),
            lambda d: axial_rope.mrope(d, (d // 2 - 2, 1, 1), **options),
        ),
        relative=False,
        least=least,
    )


def fox_number(module, head, source):
    """Σ_{l=j+1}^{i} ln f_l; where there is no token i, up to the last one."""
    gates = module.gate.weight[head].tolist(), float(module.gate.bias[head])
    log_f = [float(logsigmoid(torch.tensor(oracle.dot(gates[0], x) + gates[1], dtype=torch.float64))) for x in source]
    return lambda i, j: sum(log_f[j + 1 : i + 1]) - sum(log_f[min(i, len(log_f) - 1) + 1 : j + 1])


def fire_number(module, head, source):
    """The network of one number, written out."""
    c, limit = abs(float(module.c)), abs(float(module.multiplier)) * module.threshold
    (w_in, b_in), (w_out, b_out) = ((numbers(part.weight), numbers(part.bias)) for part in module.network[::2])

    def number(i, j):
        share = math.log(c * abs(i - j) + 1) / math.log(c * max(i, limit) + 1)
        hidden = [max(w[0] * share + b, 0.0) for w, b in zip(w_in, b_in, strict=True)]
        return oracle.dot(w_out[head], hidden) + b_out[head]

    return number


def shaw_scheme(clip, values=True, **options):
    def row_of(name):
        return lambda module, head, r: of_head(getattr(module, name), head)[min(max(r, -clip), clip) + clip]

    definition = with_vectors(row_of("key_table"), row_of("value_table") if values else None)
    by_numpy = in_numpy.through_query(in_numpy.shaw_term)
    return Defined(lambda n, d: ShawVectors(n, d, clip, values=values, **options), definition, by_numpy)


def t5_scheme(**options):
    by_numpy = in_numpy.added(t5.t5_bias, scale=1.0, of=in_numpy.t5_options)
    return Defined(lambda n, d: T5Bias(n, **options), with_bias(t5_number, scale=1.0), by_numpy)  # as T5 does


def huang_scheme(**options):
    by_numpy = in_numpy.through_query(in_numpy.music_term)
    return Defined(lambda n, d: MusicTransformer(n, d, MAX_LENGTH, **options), with_vectors(offset_row), by_numpy)


DEFINED = {
    "none": Defined(lambda n, d: Position(), with_bias(lambda module, head, r: 0.0)),
    "log decay": Defined(
        lambda n, d: DecayBias(0.3),
        with_bias(lambda module, head, r: -0.3 * math.log1p(abs(r))),
        in_numpy.added(bias.decay_bias, strength=0.3),
    ),
    "T5 buckets": t5_scheme(num_buckets=8, max_distance=6),
    "T5 buckets, causal": t5_scheme(bidirectional=False, num_buckets=6, max_distance=9),
    "T5, cross-attention": Defined(lambda n, d: T5CrossAttention(), with_bias(lambda module, head, r: 0.0, scale=1.0)),
    "Shaw": shaw_scheme(2),
    "Shaw, shared, clip 0": shaw_scheme(0, shared=True),
    "Shaw, keys only": shaw_scheme(3, values=False),
    "Music Transformer": huang_scheme(),
    "Music Transformer, both directions, shared": huang_scheme(causal=False, shared=True),
    "Transformer-XL": Defined(lambda n, d: TransformerXL(n * d, n), Definition(xl_scores), in_numpy.xl_scores),
    "ALiBi": Defined(
        lambda n, d: ALiBi(n),
        with_bias(alibi_number),
        in_numpy.added(alibi.alibi_bias, of=lambda m: {"n_heads": len(m.strengths)}),
    ),
    "RoPE": Defined(lambda n, d: RoPE(d), with_rotation(rope_pairs), in_numpy.turned(in_numpy.by_rope)),
    "RoPE, interleaved": Defined(
        lambda n, d: RoPE(d, base=100.0, interleaved=True),
        with_rotation(rope_pairs),
        in_numpy.turned(in_numpy.by_rope),
    ),
    "RoPE, by parts, with a factor": stretched(
        lambda d, n: speeds.by_parts(frequencies(d, 100.0), 4.0, 20.0), parts_by_hand, 1.2
    ),
    "RoPE, partial, interleaved, with a factor": stretched(
        lambda d, n: [0.7], lambda d, n: [0.7], 1.2, interleaved=True
    ),
    "sliding window": Defined(
        lambda n, d: SlidingWindow(3),
        Definition(unscaled, numbers=window_number(3)),
        in_numpy.added(in_numpy.window_grid, w=3),
    ),
    "RoPE in a sliding window": Defined(
        lambda n, d: Combined(RoPE(d), SlidingWindow(2)),
        replace(with_rotation(lambda module, head: rope_pairs(module.positions[0], head)), numbers=window_number(2)),
    ),
    "sink": Defined(lambda n, d: Sink(n), Definition(unscaled, sink=lambda module, head: module.a[head])),
    "sliding window with sink": Defined(  # as gpt-oss has it in every second layer
        lambda n, d: Combined(SlidingWindow(2), Sink(n)),
        Definition(unscaled, numbers=window_number(2), sink=lambda module, head: module.positions[1].a[head]),
    ),
    "log scale": Defined(lambda n, d: LogScale(n, 8), Definition(log_scaled), in_numpy.log_scaled, relative=False),
    "axial RoPE": Defined(
        lambda n, d: AxialRoPE(d, [divmod(p, 3) for p in range(MAX_LENGTH)], base=100.0),
        turned_on_axes(lambda p: divmod(p, 3), lambda m, d: (m // (d // 4), 100.0 ** (-(m % (d // 4)) * 4 / d))),
        in_numpy.on_axes(axial_rope.grid_positions(9, 3), lambda d: axial_rope.axial(d, base=100.0)),
        relative=False,
        least=4,
    ),
    "M-RoPE": mrope_scheme(lambda m, d: max(0, m - d // 2 + 3), 6),
    "M-RoPE, interleaved": mrope_scheme(lambda m, d: m if m < 3 else 0, 8, interleaved=True),
    "FoX": Defined(lambda n, d: FoX(n * d, n), Definition(unscaled, numbers=fox_number)),
    "FIRE": Defined(
        lambda n, d: FIRE(n, threshold=3.0),
        Definition(unscaled, numbers=fire_number),
        in_numpy.fire_scores,
        relative=False,
    ),
}

# The speeds change with the text from 5 tokens on. One pass over a text turns all keys by the speeds for its whole
# length, and a cache those read so far, so that tests which compare the two row by row do not apply.
STRETCHED_BY_LENGTH = {
    "dynamic NTK": stretched(
        lambda d, n: speeds.dynamic_ntk(frequencies(d, 100.0), n, 5, strength=2.0), dynamic_by_hand, by_length=True
    ),
    "LongRoPE": stretched(
        lambda d, n: speeds.longrope(
            frequencies(d, 100.0), n, 5, short=[1 + m for m in range(d // 2)], long=[3.0 + m for m in range(d // 2)]
        ),
        longrope_by_hand,
        math.sqrt(1 + math.log(2) / math.log(5)),
        by_length=True,
    ),
}

EVERY = DEFINED | STRETCHED_BY_LENGTH
every_scheme = pytest.mark.parametrize("name", EVERY)


def make(name, n_heads=2, d_head=4, *, device="cpu", dtype=torch.float64, seed=0, **options) -> RelativeAttention:
    """The layer of a scheme, as drawn with this seed."""
    torch.manual_seed(seed)
    return EVERY[name](n_heads, d_head, **options).to(device, dtype)


def draw_text(layer, n, batch=2, *, seed=1) -> Tensor:
    """Random input of a layer whose memory is not in the order of its axes, as after a transpose."""
    weight, generator = layer.query.weight, torch.Generator().manual_seed(seed)
    return torch.randn(batch, weight.shape[1], n, dtype=torch.float64, generator=generator).to(weight).transpose(1, 2)
