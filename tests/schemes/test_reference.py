"""The NumPy reference: every published trick against the definition by index, every scheme against the plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.reference import absolute, alibi, attention, bias, grid, oracle, rope, shaw, t5, window
from course_lib.reference import music_transformer as music
from course_lib.reference import transformer_xl as xl

few = settings(deadline=None, max_examples=40, derandomize=True)
sizes = st.tuples(st.integers(1, 7), st.integers(1, 7))  # n_q, n_k
pasts = st.integers(0, 4)
seeds = st.integers(0, 99)


def draw(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def close(computed, expected, tolerance=1e-12):
    np.testing.assert_allclose(computed, expected, rtol=0, atol=tolerance)


# --- offsets and the grid -----------------------------------------------------------------------------------------


@few
@given(sizes, pasts)
def test_offsets_are_key_minus_query(size, past):
    n_q, n_k = size
    by_index = [[j - (past + i) for j in range(n_k)] for i in range(n_q)]
    assert grid.offsets(n_q, n_k, past).tolist() == by_index
    assert grid.row_offsets(n_q, n_k, past).tolist() == sorted({r for row in by_index for r in row})
    assert (grid.to_grid(grid.row_offsets(n_q, n_k, past)[None], n_q) == by_index).all()


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


# --- attention and its biases -------------------------------------------------------------------------------------


@few
@given(sizes, seeds, st.sampled_from([0.5, 1.0, 40.0]))
def test_attention_equals_the_loops(size, seed, scale):
    """Scores of several hundred, too: e^x must not overflow in either."""
    n_q, n_k = size
    q, k, v, b = (3 * draw(seed, n, 4) for n in (n_q, n_k, n_k, n_q + n_k - 1))
    mask = draw(seed, n_q, n_k) > -0.5
    mask[0] = False
    output, weights = attention.attention(q, k, v, bias=grid.to_grid(b[:, :1].T, n_q), scale=scale, mask=mask)
    scores = oracle.scores_with_bias(q, k, lambda r: b[r + n_q - 1, 0], scale=scale)
    expected_output, expected_weights = oracle.attend(scores, v, mask=mask)
    close(output, expected_output, 1e-10)
    close(weights, expected_weights, 1e-10)
    assert not output[0].any()


@few
@given(sizes, pasts, seeds, st.sampled_from(list(bias.DECAYS)))
def test_decay_bias_equals_the_loops(size, past, seed, decay):
    n_q, n_k = size
    q, k, v = (draw(seed, n, 4) for n in (n_q, n_k, n_k))
    b = bias.decay_bias(n_q, n_k, strength=0.2, forward_strength=0.5, decay=decay, past=past)
    formula = {"log": math.log1p, "linear": float, "square root": math.sqrt, "quadratic": lambda d: d * d}[decay]
    expected = oracle.attention_with_bias(
        q, k, v, lambda r: -(0.5 if r > 0 else 0.2) * formula(abs(r)), scale=0.5, causal=True, past=past
    )
    mask = attention.causal_mask(n_q, n_k, past)
    for computed, wanted in zip(attention.attention(q, k, v, bias=b, mask=mask), expected, strict=True):
        close(computed, wanted)


def test_oracle_gives_the_textbook_softmax():
    """Two keys whose scores differ by ln 3: weights 1/4 and 3/4, by hand."""
    output, weights = oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]])
    close(weights, [[0.25, 0.75]])
    close(output, [[7.0]])
    close(oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]], lambda r: [100.0 * r])[0], [[82.0]])
    close(oracle.attend([[0.0, math.log(3.0)]], [[4.0], [8.0]], causal=True)[0], [[4.0]])


# --- absolute positions -------------------------------------------------------------------------------------------


def test_sinusoidal_by_its_formula():
    p = absolute.sinusoidal([0, 3, -3, 500], 6)
    for row, position in zip(p, [0, 3, -3, 500], strict=True):
        for m in range(3):
            angle = position / 10000 ** (2 * m / 6)
            close(row[2 * m : 2 * m + 2], [math.sin(angle), math.cos(angle)])


def test_learned_rows_follow_the_past():
    table = draw(0, 6, 4)
    assert (absolute.learned(2, table, past=4) == table[4:]).all()


# --- T5 -----------------------------------------------------------------------------------------------------------


@few
@given(st.booleans(), st.integers(2, 40), st.integers(2, 900))
def test_buckets_by_the_formula(bidirectional, half, max_distance):
    """⌊E + ln(d / E) / ln(max_distance / E) · (N − E)⌋, wherever float64 is not too close to a whole number to say."""
    num_buckets = 2 * half
    n = half if bidirectional else num_buckets
    if max_distance <= n // 2:
        max_distance += n // 2
    exact, d = n // 2, np.arange(1, 1200)
    value = exact + np.log(d / exact) / math.log(max_distance / exact) * (n - exact)
    expected = np.where(d < exact, d, np.minimum(np.floor(value), n - 1))
    sure = abs(value - np.round(value)) > 1e-9
    options = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
    assert (t5.bucket(-d, **options) == expected)[sure | (d < exact)].all()
    future = t5.bucket(d, **options)
    assert (future == (t5.bucket(-d, **options) + half if bidirectional else 0)).all()


def test_t5_bias_by_its_definition():
    table = draw(0, 32, 3)
    b = t5.t5_bias(4, 200, table=table, past=70)
    assert all(b[h, i, j] == table[t5.bucket(j - 70 - i), h] for h, i, j in np.ndindex(b.shape))


# --- Shaw and Huang -----------------------------------------------------------------------------------------------


@few
@given(sizes, pasts, seeds, st.integers(0, 3), st.booleans())
def test_shaw_equals_the_loops(size, past, seed, clip, causal):
    n_q, n_k = size
    q, k, v = (draw(seed, 2, n, 4) for n in (n_q, n_k, n_k))
    a, c = draw(seed, 2, 2 * clip + 1, 4), draw(seed + 1, 2 * clip + 1, 4)  # per head; shared over heads
    mask = attention.causal_mask(n_q, n_k, past) if causal else None
    output, weights = shaw.shaw_attention(q, k, v, key_table=a, value_table=c, mask=mask, past=past)
    for h in range(2):

        def row(r):
            return min(max(r, -clip), clip) + clip

        scores = oracle.scores_through_query(q[h], k[h], lambda r, h=h: a[h, row(r)], scale=0.5, past=past)
        expected = oracle.attend(scores, v[h], lambda r: c[row(r)], causal=causal, past=past)
        close(output[h], expected[0])
        close(weights[h], expected[1])


@few
@given(sizes, seeds)
def test_skew_is_to_grid(size, seed):
    n_q, n_k = size
    rows = draw(seed, 2, n_q, n_q + n_k - 1)
    assert (music.skew(rows, n_q) == grid.to_grid(rows, n_q)).all()


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
    source = music.skew_source(4, 4)
    rows = draw(0, 4, 4)
    shifted = music.skew_causal(rows)
    for i, j in np.ndindex(4, 4):
        row, column = source[i, j]
        assert shifted[i, j] == (0.0 if row < 0 else rows[row, column])
        assert (row == i) == (j <= i)
    assert source[0].tolist() == [[0, 3], [-1, -1], [1, 0], [1, 1]]


@few
@given(sizes, pasts, seeds, st.booleans(), st.integers(0, 3))
def test_huang_equals_the_loops_with_a_longer_table(size, past, seed, causal, longer):
    """Self and cross, full and causal, a past, and a table made for longer texts than this one."""
    n_q, n_k = size
    max_length = max(past + n_q, n_k) + longer
    q, k = draw(seed, n_q, 4), draw(seed + 1, n_k, 4)
    table = draw(seed, max_length if causal else 2 * max_length - 1, 4)

    def vector(r):
        return np.zeros(4) if causal and r > 0 else table[r + max_length - 1]

    expected = oracle.scores_through_query(q, np.zeros_like(k), vector, scale=1.0, past=past)
    close(music.music_transformer_scores(q, table, n_k, past=past, causal=causal), expected)


# --- Transformer-XL -----------------------------------------------------------------------------------------------


@few
@given(st.integers(1, 5), pasts, seeds)
def test_xl_terms_by_index(n_q, past, seed):
    n_k, d_model = past + n_q, 6
    q, k, weight = draw(seed, 2, n_q, 4), draw(seed + 1, 2, n_k, 4), draw(seed + 2, 2, d_model, 4)
    u, v = draw(seed + 3, 2, 4), draw(seed + 4, 2, 4)
    r = xl.position_keys(n_q, n_k, weight, past=past)
    a, b, c, d = xl.term_a(q, k), xl.term_b(q, r), xl.term_c(u, k), xl.term_d(v, r, n_q)
    total = xl.xl_scores(q, k, r, u, v)
    for h, i, j in np.ndindex(2, n_q, n_k):
        distance = past + i - j  # i − j in the paper's words
        r_ij = absolute.sinusoidal(distance, d_model) @ weight[h]
        close(a[h, i, j], q[h, i] @ k[h, j])
        close(b[h, i, j], q[h, i] @ r_ij)
        close(c[h, 0, j], u[h] @ k[h, j])
        close(d[h, i, j], v[h] @ r_ij)
        close(total[h, i, j], ((q[h, i] + u[h]) @ k[h, j] + (q[h, i] + v[h]) @ r_ij) / 2)


def test_memory_keeps_the_last_rows():
    x = draw(0, 7, 3)
    assert (xl.update_memory(None, x, 4) == x[3:]).all()
    assert (xl.update_memory(x[:5], x[5:], 4) == x[3:]).all()
    assert (xl.update_memory(x[:2], x[2:5], 99) == x[:5]).all()
    assert xl.update_memory(x[:2], x[2:], 0).shape == (0, 3)


# --- ALiBi and RoPE -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("past", [0, 5])
def test_alibi_by_its_definition(past):
    b = alibi.alibi_bias(3, 9, n_heads=12, past=past)
    close(b, [[[-m * abs(j - past - i) for j in range(9)] for i in range(3)] for m in alibi.slopes(12)])


def test_rope_permutation_between_the_two_forms():
    x, p = draw(0, 5, 8), rope.to_half_split(8)
    assert p.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    close(rope.rotate(x, interleaved=True)[:, p], rope.rotate(x[:, p]))
    back = rope.to_interleaved(8)
    assert p[back].tolist() == list(range(8))
    close(rope.rotate(x)[:, back], rope.rotate(x[:, back], interleaved=True))
    assert abs(rope.rotate(x) - rope.rotate(x, interleaved=True)).max() > 0.1


# --- windows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("w", [1, 2, 3, 7])
def test_window_index_by_its_definition(w):
    index, steps = window.window_index(w), window.offsets_2d(w)
    for i, j in np.ndindex(index.shape):
        rows, columns = j // w - i // w, j % w - i % w
        assert steps[i, j].tolist() == [rows, columns]
        assert index[i, j] == (rows + w - 1) * (2 * w - 1) + columns + w - 1
    assert set(index.ravel().tolist()) == set(range((2 * w - 1) ** 2))


@pytest.mark.parametrize(("w", "height", "width"), [(1, 2, 3), (2, 4, 6), (3, 6, 3)])
def test_windows_are_cut_and_put_back(w, height, width):
    image = np.arange(2 * height * width * 3).reshape(2, height, width, 3)
    cut = window.partition(image, w)
    for y, x in np.ndindex(height, width):
        number = y // w * (width // w) + x // w
        assert (cut[:, number, y % w * w + x % w] == image[:, y, x]).all()
    assert (window.reverse(cut, height, width) == image).all()


@pytest.mark.parametrize(("w", "shift", "height", "width"), [(2, 0, 4, 4), (2, 1, 4, 6), (3, 1, 6, 6), (3, 2, 3, 6)])
def test_shift_mask_by_its_definition(w, shift, height, width):
    """Two patches of a rolled window see each other when the roll carried both across the edge, or neither."""
    y, x = np.indices((height, width))
    crossed = np.stack([y < shift, x < shift], axis=-1)
    rolled = window.partition(np.roll(crossed, (-shift, -shift), (0, 1)), w)
    expected = (rolled[:, :, None] == rolled[:, None, :]).all(-1)
    assert (window.shift_mask(height, width, w, shift) == expected).all()
