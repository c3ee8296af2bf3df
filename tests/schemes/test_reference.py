"""The NumPy reference: every scheme against its loops, every published trick by index, and numbers known by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.definition import numbers
from course_lib.nn.fox import FoX
from course_lib.reference import (
    absolute,
    attention,
    bias,
    fox,
    grid,
    oracle,
    rope,
    shaw,
    sink,
    sliding_window,
    speeds,
    window,
)
from course_lib.reference import music_transformer as music
from course_lib.reference import transformer_xl as xl

from .definitions import DEFINED

few = settings(deadline=None, max_examples=40, derandomize=True)
sizes = st.tuples(st.integers(1, 7), st.integers(1, 7))  # n_q, n_k
pasts = st.integers(0, 4)
seeds = st.integers(0, 99)


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def close(computed, expected, tolerance=1e-12):
    np.testing.assert_allclose(computed, expected, rtol=0, atol=tolerance)


# --- every scheme -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, defined in DEFINED.items() if defined.in_numpy])
def test_the_scores_of_every_scheme_equal_the_loops(name):
    defined = DEFINED[name]
    module = defined(3, 4).position.double().requires_grad_(False)

    @few
    @given(sizes, pasts, seeds)
    def check(size, past, seed):
        q, k = (draw(seed, 3, n, max(4, defined.least)) for n in size)
        for head, scores in enumerate(defined.in_numpy(module, q, k, past)):
            expected = defined.definition.scores(module, head, q[head], k[head], past)
            number = defined.definition.numbers(module, head, None)
            close(scores, expected if number is None else oracle.with_numbers(expected, number, past=past))

    check()


IN_FRONT = {  # what takes axes of texts and heads in front, and the shapes for one head of one text
    attention.attention: [(3, 4), (5, 4), (5, 6)],
    fox.fox_bias: [(5,)],
    fox.key_form: [(5,)],
    grid.from_grid: [(3, 5)],
    music.skew_causal: [(3, 5)],
    sink.softmax_with_sink: [(3, 5), (3,)],
    sink.kept_share: [(3, 5), (3,)],
    shaw.key_term: [(3, 4), (7, 4)],
    shaw.value_term: [(3, 5), (7, 4)],
    xl.xl_scores: [(3, 4), (5, 4), (7, 4), (4,), (4,)],
    xl.update_memory: [(3, 4), (5, 4), 6],
    window.partition: [(4, 6, 3), 2],
    window.reverse: [(6, 4, 3), 4, 6],
}


@pytest.mark.parametrize("function", IN_FRONT, ids=lambda function: function.__name__)
def test_each_head_of_each_text_gets_the_answer_that_it_gets_alone(function):
    random = np.random.default_rng(0)
    given = [random.uniform(0.1, 0.9, (2, 3, *x)) if isinstance(x, tuple) else x for x in IN_FRONT[function]]
    alone = [x[1, 2] if isinstance(x, np.ndarray) else x for x in given]
    found, expected = (y if isinstance(y, tuple) else (y,) for y in (function(*given), function(*alone)))
    for x, y in zip(found, expected, strict=True):
        close(x[1, 2], y)


# --- the grid -----------------------------------------------------------------------------------------------------


@few
@given(sizes, seeds)
def test_to_grid_and_its_adjoint(size, seed):
    n_q, n_k = size
    rows, g = draw(seed, 2, n_q, n_q + n_k - 1), draw(seed + 100, 2, n_q, n_k)
    laid = grid.to_grid(rows, n_q)
    assert all(laid[b, i, j] == rows[b, i, j - i + n_q - 1] for b, i, j in np.ndindex(laid.shape))
    close((laid * g).sum(), (rows * grid.from_grid(g, shared=False)).sum())
    shared = rows[:, :1]
    close((grid.to_grid(shared, n_q) * g).sum(), (shared * grid.from_grid(g)).sum())


# --- attention ----------------------------------------------------------------------------------------------------


def test_oracle_gives_the_textbook_softmax():
    """Two keys whose scores differ by ln 3: weights 1/4 and 3/4, by hand."""
    output, weights = oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]])
    close(weights, [[0.25, 0.75]])
    close(output, [[7.0]])
    close(oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]], lambda r: [100.0 * r])[0], [[82.0]])
    close(oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]], causal=True)[0], [[4.0]])


@few
@given(sizes, seeds, st.sampled_from([0.5, 1.0, 40.0]))
def test_attention_equals_the_loops(size, seed, scale):
    """Scores of several hundred, too: e^x must not overflow in either. And a sink takes its share of each row."""
    n_q, n_k = size
    q, k, v, b = (3 * draw(seed, n, 4) for n in (n_q, n_k, n_k, n_q + n_k - 1))
    mask, a = draw(seed, n_q, n_k) > -0.5, draw(seed + 9, n_q)
    mask[0] = False
    added_bias = grid.to_grid(b[:, :1].T, n_q)
    output, weights = attention.attention(q, k, v, bias=added_bias, scale=scale, mask=mask)
    scores = oracle.scores_through_query(q, k, lambda r: [0.0] * 4, scale=scale)
    scores = oracle.with_numbers(scores, lambda i, j: b[j - i + n_q - 1, 0])
    expected_output, expected_weights = oracle.attend(scores, v, mask=mask)
    close(output, expected_output, 1e-10)
    close(weights, expected_weights, 1e-10)
    assert not output[0].any()
    hidden = np.where(mask, attention.scores(q, k, scale=scale) + added_bias, -np.inf)
    with_sink = sink.softmax_with_sink(hidden, a)
    for i in range(n_q):
        close(with_sink[i], oracle.attend(scores[i : i + 1], v, mask=mask[i : i + 1], sink=a[i])[1][0], 1e-10)
    close(with_sink, sink.kept_share(hidden, a)[:, None] * weights, 1e-10)


def test_what_a_window_reaches_and_what_stays_in_a_cache_with_sinks():
    assert sliding_window.reach(1, 4) == 3 and sliding_window.reach(3, 4) == 9
    kept, numbered = sink.sink_positions(10, first=4, w=4)
    assert kept == [0, 1, 2, 3, 6, 7, 8, 9] and numbered == list(range(8))
    assert sink.sink_positions(5, first=4, w=4)[0] == [0, 1, 2, 3, 4]


# --- biases -------------------------------------------------------------------------------------------------------


def test_fixed_decays_by_hand():
    close(bias.decay_row([-2, 0, 1], strength=0.5, decay="linear"), [-1.0, 0.0, -0.5])
    both = bias.decay_row([-2, 0, 1], strength=0.1, forward_strength=0.6)
    close(both, [-0.1 * math.log(3), 0.0, -0.6 * math.log(2)])


@pytest.mark.parametrize("past", [0, 4])
def test_what_fox_forgets_and_that_a_number_per_key_is_enough(past):
    """c_i − c_j, its loop, and −c_j alone: the same weights, because softmax takes c_i away."""
    module = FoX(8, 1).double().requires_grad_(False)
    q, k, source = draw(0, 6 - past, 4), draw(1, 6, 4), draw(2, 6, 8)
    gates = 1 / (1 + np.exp(-source @ numbers(module.gate.weight[0]) - module.gate.bias.item()))
    number = DEFINED["FoX"].definition.numbers(module, 0, source.tolist())
    mask = attention.causal_mask(6 - past, 6, past)
    expected = oracle.with_numbers(np.zeros_like(mask, float), number, past=past)
    close(fox.fox_bias(gates, past=past)[mask], np.array(expected)[mask])
    by_pair, by_key = (
        attention.attention(q, k, k, bias=b, mask=mask)[1]
        for b in (fox.fox_bias(gates, past=past), fox.key_form(gates))
    )
    close(by_pair, by_key)


# --- vectors ------------------------------------------------------------------------------------------------------


@few
@given(sizes, pasts, seeds, st.integers(0, 3))
def test_shaw_with_values_equals_the_loops(size, past, seed, clip):
    n_q, n_k = size
    q, k, v, table = (draw(seed, n, 4) for n in (n_q, n_k, n_k, 2 * clip + 1))
    mask = attention.causal_mask(n_q, n_k, past)
    found = shaw.shaw_attention(q, k, v, key_table=table, value_table=table, mask=mask, past=past)

    def vector(r):
        return table[min(max(r, -clip), clip) + clip]

    scores = oracle.scores_through_query(q, k, vector, scale=0.5, past=past)
    for ours, loops in zip(found, oracle.attend(scores, v, vector, causal=True, past=past), strict=True):
        close(ours, loops)


@few
@given(st.integers(1, 7), pasts, seeds)
def test_causal_skew_and_relative_shift_are_to_grid_up_to_offset_zero(n_q, past, seed):
    n_k = past + n_q
    all_rows = draw(seed, 2, n_q, n_q + n_k - 1)
    visible = attention.causal_mask(n_q, n_k, past)
    for trick in (music.skew_causal, xl.relative_shift):
        shifted = trick(all_rows[..., :n_k])
        assert (shifted == grid.to_grid(all_rows, n_q))[:, visible].all()
        # Beyond offset 0: junk, which is to say not what the definition asks for.
        assert not (shifted == grid.to_grid(all_rows, n_q))[:, ~visible].any()


def test_where_the_junk_comes_from():
    """Four tokens: right in the lower triangle, one zero to the right of the diagonal, then the next row's past."""
    source, rows = music.skew_source(4, 4), draw(0, 4, 4)
    shifted = music.skew_causal(rows)
    for i, j in np.ndindex(4, 4):
        row, column = source[i, j]
        assert shifted[i, j] == (0.0 if row < 0 else rows[row, column])
        assert (row == i) == (j <= i)
    assert source[0].tolist() == [[0, 3], [-1, -1], [1, 0], [1, 1]]


def test_memory_keeps_the_last_rows():
    x = draw(0, 7, 3)
    assert (xl.update_memory(None, x, 4) == x[3:]).all()
    assert (xl.update_memory(x[:5], x[5:], 4) == x[3:]).all()
    assert (xl.update_memory(x[:2], x[2:5], 99) == x[:5]).all()
    assert xl.update_memory(x[:2], x[2:], 0).shape == (0, 3)


# --- positions ----------------------------------------------------------------------------------------------------


def test_absolute_positions_by_their_formulas():
    for row, position in zip(absolute.sinusoidal([0, 3, -3, 500], 6, base=100.0), [0, 3, -3, 500], strict=True):
        for m in range(3):
            angle = position / 100 ** (2 * m / 6)
            close(row[2 * m : 2 * m + 2], [math.sin(angle), math.cos(angle)])
    table = draw(0, 6, 4)
    assert (absolute.learned(2, table, past=3) == table[3:5]).all()


def test_rope_permutation_between_the_two_forms():
    x, p = draw(0, 5, 8), rope.to_half_split(8)
    assert p.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    close(rope.rotate(x, interleaved=True)[:, p], rope.rotate(x[:, p]))
    assert p[rope.to_interleaved(8)].tolist() == list(range(8))
    assert abs(rope.rotate(x) - rope.rotate(x, interleaved=True)).max() > 0.1


def test_rules_for_speeds_by_hand():
    theta = absolute.frequencies(8)  # 1, 0.1, 0.01, 0.001
    close(speeds.turns(theta, 20 * np.pi), [10, 1, 0.1, 0.01])
    close(speeds.ntk(theta, 8), [1, 1 / 20, 1 / 400, 1 / 8000])  # divided by 1, 2, 4, 8
    close(speeds.by_factors(theta, [1, 2, 4, 8]), speeds.ntk(theta, 8))
    close(speeds.by_parts([1, 0.1], 4, 40 * np.pi, high=4), [1, 0.05])  # 20 turns and 2: γ = 1 and 1/3
    close(speeds.by_parts(theta, 8, 20 * np.pi, low=1, high=1), [1, 0.0125, 0.00125, 0.000125])  # no pair between
    close(speeds.ramp([0, 1, 2, 3, 4], 1, 3), [0, 0, 0.5, 1, 1])


# --- windows of an image ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [1, 2, 3, 7])
def test_window_index_by_its_definition(w):
    index, steps = window.window_index(w), window.offsets_2d(w)
    for i, j in np.ndindex(index.shape):
        rows, columns = j // w - i // w, j % w - i % w
        assert steps[i, j].tolist() == [rows, columns]
        assert index[i, j] == (rows + w - 1) * (2 * w - 1) + columns + w - 1
    table = draw(0, (2 * w - 1) ** 2, 3)
    assert (window.window_bias(table, w) == table[index].transpose(2, 0, 1)).all()


@pytest.mark.parametrize(("w", "shift", "height", "width"), [(2, 0, 4, 4), (2, 1, 4, 6), (3, 1, 6, 6), (3, 2, 3, 6)])
def test_shift_mask_by_its_definition(w, shift, height, width):
    """Two patches of a rolled window see each other when the roll carried both across the edge, or neither."""
    y, x = np.indices((height, width))
    crossed = np.stack([y < shift, x < shift], axis=-1)
    rolled = window.partition(np.roll(crossed, (-shift, -shift), (0, 1)), w)
    expected = (rolled[:, :, None] == rolled[:, None, :]).all(-1)
    assert (window.shift_mask(height, width, w, shift) == expected).all()
