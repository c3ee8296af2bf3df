"""Every scheme once more, from its definition: what the layers of `course_lib.nn` are tested against.

`SCHEMES` says for each one how to make it and what the plain loops of `reference.oracle` compute for one head of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.reference import oracle, speeds, t5
from course_lib.reference.absolute import frequencies
from course_lib.workbench import Definition, with_bias, with_rotation, with_vectors
from course_lib.workbench.against_definition import randomise
from course_lib.workbench.definition import numbers

torch.set_num_threads(1)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
MAX_LENGTH = 300  # longer than any text drawn in the tests


@dataclass(frozen=True)
class Scheme:
    """make(n_heads, d_head) gives the module; `definition` says the same in loops."""

    make: Callable[[int, int], Position]
    definition: Definition

    def __call__(self, n_heads: int, d_head: int, **options) -> RelativeAttention:
        """A layer whose every weight and table is random, of a size that keeps scores and answers about 1."""
        layer = RelativeAttention(n_heads * d_head, n_heads, self.make(n_heads, d_head), **options)
        randomise(layer)
        return layer


def of_head(table, head):
    """One head's rows of a table (heads or 1, rows, d): shared tables have only the first."""
    return numbers(table[head if len(table) > 1 else 0])


def t5_number(module, head, r):
    sizes = {"num_buckets": module.num_buckets, "max_distance": module.max_distance}
    return module.table[int(t5.bucket(r, bidirectional=module.bidirectional, **sizes)), head]


def shaw_row(table, head, clip, r):
    return of_head(table, head)[min(max(r, -clip), clip) + clip]


def offset_row(module, head, r):
    table = of_head(module.table, head)
    return [0.0] * len(table[0]) if module.causal and r > 0 else table[r + module.max_length - 1]


def rope_pairs(module, head):
    return [*triples([module.base ** (-2 * m / module.d_head) for m in range(module.d_head // 2)], module.interleaved)]


def triples(speeds, interleaved):
    """The two channels of each pair and its speed: fewer than d/2 speeds turn only the first 2·len(speeds) channels."""
    half = len(speeds)
    for m, speed in enumerate(speeds):
        yield (2 * m, 2 * m + 1, speed) if interleaved else (m, m + half, speed)


def stretched(speeds_of, factor=1.0, *, interleaved=False, by_length=False):
    """RoPE with the speeds that speeds_of(d, n) gives for a text of n tokens, and a factor on what is turned."""

    def make(n_heads, d):
        speeds = (lambda n: speeds_of(d, n)) if by_length else speeds_of(d, None)
        return RoPE(d, speeds=speeds, factor=factor, interleaved=interleaved)

    def scores(module, head, q, k, past):
        d, n = len(q[0]), max(past + len(q), len(k))
        pairs = [*triples(speeds_of(d, n), interleaved)]
        turning = {channel for first, second, _ in pairs for channel in (first, second)}
        q, k = ([[factor * x if c in turning else x for c, x in enumerate(row)] for row in rows] for rows in (q, k))
        return oracle.scores_with_rotation(q, k, pairs, scale=d**-0.5, past=past)

    return Scheme(make, Definition(scores))


def xl_scores(module, head, q, k, past):
    """((q_i + u) · k_j + (q_i + v) · r_{j−i}) / √d: the content part and the distance part, each by its own loop."""
    u, v, d = numbers(module.u[head]), numbers(module.v[head]), module.d_model
    w_r = numbers(module.relative.weight.unflatten(0, (module.n_heads, -1))[head])

    def r_vector(r):
        angles = [-r * 10000.0 ** (-2 * m / d) for m in range(d // 2)]
        sinusoid = [f(angle) for angle in angles for f in (math.sin, math.cos)]
        return [oracle.dot(row, sinusoid) for row in w_r]

    scale, nowhere = module.d_head**-0.5, [[0.0] * module.d_head for _ in k]
    content = oracle.scores_with_bias([oracle.add(x, u) for x in q], k, lambda r: 0.0, scale=scale, past=past)
    distance = oracle.scores_through_query([oracle.add(x, v) for x in q], nowhere, r_vector, scale=scale, past=past)
    return [oracle.add(a, b) for a, b in zip(content, distance, strict=True)]


def decay(scales, forward_scales, f):
    """The bias −scale_h · f(|r|), with another scale for the keys after the query."""
    return with_bias(lambda module, head, r: -(forward_scales if r > 0 else scales)[head % len(scales)] * f(abs(r)))


def alibi_number(module, head, r):
    n = len(module.scales)
    lower = 2 ** int(math.log2(n))
    h, heads = (head + 1, lower) if head < lower else (2 * (head - lower) + 1, 2 * lower)
    return -(2 ** (-8 * h / heads)) * abs(r)


def shaw_scheme(clip, values=True, **options):
    return Scheme(
        lambda n, d: ShawVectors(n, d, clip, values=values, **options),
        with_vectors(
            lambda module, head, r: shaw_row(module.key_table, head, clip, r),
            (lambda module, head, r: shaw_row(module.value_table, head, clip, r)) if values else None,
        ),
    )


def t5_scheme(**options):
    return Scheme(lambda n, d: T5Bias(n, **options), with_bias(t5_number, scale=1.0))  # as T5 does


def huang_scheme(**options):
    return Scheme(lambda n, d: MusicTransformer(n, d, MAX_LENGTH, **options), with_vectors(offset_row))


SCHEMES = {
    "none": Scheme(lambda n, d: Position(), with_bias(lambda module, head, r: 0.0)),
    "log decay": Scheme(lambda n, d: DecayBias(0.3), decay([0.3], [0.3], math.log1p)),
    "quadratic decay, own scale forward": Scheme(
        lambda n, d: DecayBias(0.1, "quadratic", forward_scale=0.2), decay([0.1], [0.2], lambda d: d * d)
    ),
    "T5 buckets": t5_scheme(num_buckets=8, max_distance=6),
    "T5 buckets, causal": t5_scheme(bidirectional=False, num_buckets=6, max_distance=9),
    "T5, cross-attention": Scheme(lambda n, d: T5CrossAttention(), with_bias(lambda module, head, r: 0.0, scale=1.0)),
    "Shaw": shaw_scheme(2),
    "Shaw, shared, clip 0": shaw_scheme(0, shared=True),
    "Shaw, keys only": shaw_scheme(3, values=False),
    "Music Transformer": huang_scheme(),
    "Music Transformer, both directions, shared": huang_scheme(causal=False, shared=True),
    "Transformer-XL": Scheme(lambda n, d: TransformerXL(n * d, n), Definition(xl_scores)),
    "ALiBi": Scheme(lambda n, d: ALiBi(n), with_bias(alibi_number)),
    "RoPE": Scheme(lambda n, d: RoPE(d), with_rotation(rope_pairs)),
    "RoPE, interleaved": Scheme(lambda n, d: RoPE(d, base=100.0, interleaved=True), with_rotation(rope_pairs)),
    "RoPE, by parts, with a factor": stretched(lambda d, n: speeds.by_parts(frequencies(d, 100.0), 4.0, 20.0), 1.2),
    "RoPE, partial, interleaved, with a factor": stretched(lambda d, n: [0.7], 1.2, interleaved=True),
    "RoPE, slow pairs stopped": stretched(lambda d, n: speeds.p_rope(frequencies(d, 100.0), 0.5)),
}

# The speeds change with the text from 5 tokens on. One pass over a text turns all keys by the speeds for its whole
# length, and a cache those read so far, so that tests which compare the two row by row do not apply.
STRETCHED_BY_LENGTH = {
    "dynamic NTK": stretched(
        lambda d, n: speeds.dynamic_ntk(frequencies(d, 100.0), n, 5, strength=2.0), by_length=True
    ),
    "LongRoPE": stretched(
        lambda d, n: speeds.longrope(
            frequencies(d, 100.0), n, 5, short=[1 + m for m in range(d // 2)], long=[3.0 + m for m in range(d // 2)]
        ),
        speeds.longrope_factor(2.0, 5),
        by_length=True,
    ),
}
