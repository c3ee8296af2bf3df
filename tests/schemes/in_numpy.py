"""The scores (heads, n_q, n_k) that a NumPy file of `course_lib.reference` gives, with the numbers of a torch module.

Each function here makes `scores(module, q, k, past)`, which `definitions.py` names beside the loops.
"""

import math

import numpy as np

from course_lib.definition import numbers
from course_lib.reference import attention, axial_rope, fire, grid, query_scale, rope, shaw, sliding_window
from course_lib.reference import music_transformer as music
from course_lib.reference import transformer_xl as xl


def added(bias_of, scale=None, of=lambda m: {}, **options):
    """The scores of plain attention, and bias_of(n_q, n_k, …) with options, some of them from the module."""

    def scores(m, q, k, past):
        added_bias = bias_of(q.shape[-2], k.shape[-2], past=past, **options, **of(m))
        return attention.scores(q, k, scale=scale) + added_bias

    return scores


def through_query(term):
    """q_i · (k_j + a_{j−i}) with what `term` says of the vectors: inside the scaling, for heads of four channels."""
    return lambda m, q, k, past: attention.scores(q, k) + term(m, q, k.shape[-2], past) / 2


def turned(turn):
    """The scores of queries and keys that turn(module, x, first position) has turned."""
    return lambda m, q, k, past: attention.scores(turn(m, q, past), turn(m, k, 0))


def by_rope(m, x, past):
    return rope.rotate(x, past=past, base=m.base, interleaved=m.interleaved, speeds=m.speeds, factor=m.factor)


def on_axes(table, axis_and_speeds):
    """axis_and_speeds(d) for vectors of d channels."""
    return turned(lambda m, x, p: axial_rope.rotate(x, table[p : p + x.shape[-2]], *axis_and_speeds(x.shape[-1])))


def t5_options(m):
    return {"table": numbers(m.table), "bidirectional": m.bidirectional, "max_distance": m.max_distance}


def shaw_term(m, q, n_k, past):
    return shaw.key_term(q, numbers(m.key_table), n_k, past=past)


def music_term(m, q, n_k, past):
    return music.music_transformer_scores(q, numbers(m.table), n_k, past=past, causal=m.causal)


def window_grid(n_q, n_k, past, w):
    return grid.to_grid(sliding_window.window_row(n_q, n_k, w=w, past=past)[None], n_q)


def xl_scores(m, q, k, past):
    w_r = np.swapaxes(np.reshape(numbers(m.relative.weight), (len(q), -1, m.d_model)), -1, -2)
    r = xl.position_keys(q.shape[-2], k.shape[-2], w_r, past=past)
    return xl.xl_scores(q, k, r, numbers(m.u), numbers(m.v))


def fire_scores(m, q, k, past):
    w_in, b_in, w_out, b_out = (numbers(part) for part in m.network.parameters())
    limit = abs(m.multiplier.item()) * m.threshold
    shares = fire.shares(q.shape[-2], k.shape[-2], c=abs(m.c.item()), threshold=limit, past=past)
    hidden = np.maximum(shares[..., None] * np.ravel(w_in) + b_in, 0)
    return attention.scores(q, k) + np.moveaxis(hidden @ np.transpose(w_out) + b_out, -1, 0)


def log_scaled(m, q, k, past):
    factors = math.log(8) * query_scale.log_scale(past + np.arange(q.shape[-2]), length=8)
    return attention.scores(query_scale.scaled(q, factors) * np.reshape(numbers(m.s), (-1, 1, 1)), k)
