"""Every scheme once more, from its definition: what the layers of `course_lib.nn` are tested against.

`SCHEMES` says for each one how to make it and what the plain loops of `reference.oracle` compute for one head of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.skew import OffsetVectors
from course_lib.nn.t5 import T5Bias, T5CrossAttention
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.reference import oracle, t5

torch.set_num_threads(1)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
MAX_LENGTH = 20  # longer than any text drawn in the tests


@dataclass(frozen=True)
class Scheme:
    """make(n_heads, d_head) gives the module; scores(module, head, q, k, past) and values(module, head) the loops."""

    make: Callable[[int, int], Position]
    scores: Callable[..., oracle.Rows]
    values: Callable[..., Callable[[int], list[float]] | None] = lambda module, head: None

    def __call__(self, n_heads: int, d_head: int, **options) -> RelativeAttention:
        """A layer whose every weight and table is random, of a size that keeps scores and answers about 1."""
        layer = RelativeAttention(n_heads * d_head, n_heads, self.make(n_heads, d_head), **options)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
        return layer


def numbers(tensor):
    """A tensor as nested lists of Python floats."""
    return tensor.detach().double().cpu().tolist()


def of_head(table, head):
    """One head's rows of a table (heads or 1, rows, d): shared tables have only the first."""
    return numbers(table[head if len(table) > 1 else 0])


def with_bias(number):
    """Scores of a scheme that is a bias: number(module, head, offset)."""

    def scores(module, head, q, k, past):
        scale = len(q[0]) ** -0.5 if module.scale is None else module.scale
        return oracle.scores_with_bias(q, k, lambda r: number(module, head, r), scale=scale, past=past)

    return scores


def with_keys(vector):
    """Scores of a scheme that is a vector per offset on the key: vector(module, head, offset)."""

    def scores(module, head, q, k, past):
        return oracle.scores_through_query(q, k, lambda r: vector(module, head, r), scale=len(q[0]) ** -0.5, past=past)

    return scores


def t5_number(module, head, r):
    sizes = {"num_buckets": module.num_buckets, "max_distance": module.max_distance}
    return module.table[int(t5.bucket(r, bidirectional=module.bidirectional, **sizes)), head]


def shaw_row(table, head, clip, r):
    return of_head(table, head)[min(max(r, -clip), clip) + clip]


def offset_row(module, head, r):
    table = of_head(module.table, head)
    return [0.0] * len(table[0]) if module.causal and r > 0 else table[r + module.max_length - 1]


def rope_scores(module, head, q, k, past):
    d = module.d_head
    speeds = [module.base ** (-2 * m / d) for m in range(d // 2)]
    pairs = [(2 * m, 2 * m + 1) if module.interleaved else (m, m + d // 2) for m in range(d // 2)]
    turning = [(a, b, speed) for (a, b), speed in zip(pairs, speeds, strict=True)]
    return oracle.scores_with_rotation(q, k, turning, scale=d**-0.5, past=past)


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


def shaw_scheme(clip, **options):
    return Scheme(
        lambda n, d: ShawVectors(n, d, clip, **options),
        with_keys(lambda module, head, r: shaw_row(module.key_table, head, clip, r)),
        lambda module, head: (
            None if module.value_table is None else lambda r: shaw_row(module.value_table, head, clip, r)
        ),
    )


def t5_scheme(**options):
    return Scheme(lambda n, d: T5Bias(n, **options), with_bias(t5_number))


def huang_scheme(**options):
    return Scheme(lambda n, d: OffsetVectors(n, d, MAX_LENGTH, **options), with_keys(offset_row))


SCHEMES = {
    "none": Scheme(lambda n, d: Position(), with_bias(lambda module, head, r: 0.0)),
    "log decay": Scheme(lambda n, d: DecayBias(0.3), decay([0.3], [0.3], math.log1p)),
    "quadratic decay, own scale forward": Scheme(
        lambda n, d: DecayBias(0.1, "quadratic", forward_scale=0.2), decay([0.1], [0.2], lambda d: d * d)
    ),
    "t5 encoder": t5_scheme(num_buckets=8, max_distance=6),
    "t5 decoder": t5_scheme(bidirectional=False, num_buckets=6, max_distance=9),
    "t5 cross-attention": Scheme(lambda n, d: T5CrossAttention(), with_bias(lambda module, head, r: 0.0)),
    "shaw": shaw_scheme(2),
    "shaw, shared, clip 0": shaw_scheme(0, shared=True),
    "shaw, keys only": shaw_scheme(3, values=False),
    "huang": huang_scheme(),
    "huang, both directions, shared": huang_scheme(causal=False, shared=True),
    "transformer-xl": Scheme(lambda n, d: TransformerXL(n * d, n), xl_scores),
    "alibi": Scheme(lambda n, d: ALiBi(n), with_bias(alibi_number)),
    "rope": Scheme(lambda n, d: RoPE(d), rope_scores),
    "rope, interleaved": Scheme(lambda n, d: RoPE(d, base=100.0, interleaved=True), rope_scores),
}


def by_definition(name, layer, x, source, *, past=0, mask=None):
    """What `layer` must answer for x (batch, n_q, d_model), looking at source (batch, n_k, d_model), all in loops."""
    scheme, module = SCHEMES[name], layer.position
    w_q, w_k, w_v, w_o = (np.array(numbers(part.weight)) for part in (layer.query, layer.key, layer.value, layer.out))
    x, source = np.array(numbers(x)), np.array(numbers(source))
    answers = []
    for one_x, one_source in zip(x, source, strict=True):
        heads = []
        parts = (np.split(a @ w.T, layer.n_heads, -1) for a, w in ((one_x, w_q), (one_source, w_k), (one_source, w_v)))
        for head, (q, k, v) in enumerate(zip(*parts, strict=True)):
            scores = scheme.scores(module, head, q, k, past)
            vector = scheme.values(module, head)
            output, _ = oracle.attend(scores, v, vector, mask=mask, causal=layer.causal, past=past)
            heads.append(output)
        answers.append(np.concatenate(heads, -1) @ w_o.T)
    return torch.from_numpy(np.stack(answers))
