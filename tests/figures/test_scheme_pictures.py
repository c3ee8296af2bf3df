"""The pictures of single schemes: at every stop of their sliders the numbers are those of the reference."""

import math
import re
from base64 import b64decode

import numpy as np
import pytest

from course_kit import figures
from course_kit.figures.alibi_slopes import DISTANCES, plain_slopes
from course_lib.example import TOKENS, K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets
from course_lib.reference.rope import rotate
from course_lib.reference.shaw import clip_index
from course_lib.reference.t5 import bucket, bucket_starts

from .test_frames import frames, texts


def at_every_stop(picture):
    """For each frame the labels of its stops, its tables and drawings, and its words."""
    labels = [stops for _, _, stops in picture._data["sliders"]]
    for places, (shown, words) in frames(picture).items():
        yield [stops[place] for stops, place in zip(labels, places, strict=True)], shown, words


def found(text):
    """The numbers in a text."""
    return [float(number.replace("−", "-")) for number in re.findall(r"[−-]?\d+\.?\d*", text)]


def column(table, place):
    """The first number in each cell of a column."""
    return np.array([found(line[place])[0] for line in texts(table)])


def spoken(*tables):
    """What the cells say instead of their texts."""
    return [cell[3] for table in tables for line in table[3] for cell in line if cell[3:]]


def test_the_bias_and_what_it_does_to_a_weight():
    for (strength, decay), (table,), words in at_every_stop(figures.bias_heatmap(n=8)):
        bias = decay_bias(8, strength=float(strength), decay=decay)
        assert np.allclose([found(text)[0] for line in texts(table) for text in line], bias.ravel(), atol=5.01e-5)
        assert np.allclose([found(says)[-1] for says in spoken(table)], np.exp(bias.ravel()), atol=5.01e-5)
        assert f"−{float(strength):g} · " in words


def test_the_keys_that_gain_are_those_whose_factor_is_above_the_mean():
    for (query, strength), (table,), words in at_every_stop(figures.attention_explorer(Q, K)):
        i = int(query[0])
        bias = decay_bias(5, strength=float(strength))[i]
        before, after, factor = softmax(scores(Q, K)[i]), softmax(scores(Q, K)[i] + bias), np.exp(bias)
        for place, right in enumerate((offsets(5)[i], before, after, factor)):
            assert np.allclose(column(table, place), right, atol=5.01e-5)
        gains = (factor > before @ factor) & (float(strength) > 0)
        for key, (*_, side, change) in enumerate(texts(table)):
            assert ("above" in side, "gains" in change) == (gains[key], gains[key])
            assert np.isclose([0, *found(change)][-1], after[key] - before[key], atol=5.01e-5)
        assert words.endswith(f"Here: {', '.join(np.array(TOKENS)[gains])}." if gains.any() else "nothing moves.")


@pytest.mark.parametrize("start", [(32, 128), (12, 100), (64, 512)])
def test_every_bucket_and_its_calculation_and_what_is_never_used(start):
    for (query, num, most, direction), shown, words in at_every_stop(figures.bucket_explorer(*start)):
        sizes = {"num_buckets": int(num), "max_distance": int(most), "bidirectional": direction == "both"}
        try:
            starts = bucket_starts(**sizes)
        except ValueError as refused:
            assert not shown and words == f"{refused}."
            continue
        strip, shared = shown
        n, r = len(starts), np.arange(21) - int(query)
        assert [found(text)[0] for text in texts(strip)[0]] == r.tolist()
        assert [found(text)[0] for text in texts(strip)[1]] == bucket(r, **sizes).tolist()
        assert [found(row)[0] for row in shared[2][2]] == sorted(set(starts[n // 2 :]))
        for says in spoken(strip, shared):
            if "⌊" in says:
                d, exact, inside, b, *_ = found(says)
                assert exact + math.floor(inside) == b and min(b, n - 1) == bucket(-int(d), **sizes)
        unused = set(range(int(num))) - set(bucket(range(-2000, 2001), **sizes).tolist())
        assert set(found(words.partition(f"begins at distance {starts[-1]}.")[2])) == unused


def test_every_cell_takes_the_row_that_shaw_gives_it():
    for (n, clip), (grid, table), words in at_every_stop(figures.clip_grid(12, 8)):
        n, clip = int(n), int(clip)
        rows = clip_index(offsets(n), clip).ravel()
        ends = [(found(text)[0], found(text)[-1]) for line in texts(grid) for text in line]
        assert ends == list(zip(offsets(n).ravel(), rows - clip))
        assert [found(cell[4])[0] for line in grid[3] for cell in line] == rows.tolist()
        assert column(table, 2).tolist() == np.bincount(rows, minlength=2 * clip + 1).tolist()
        beyond = (abs(offsets(n)) > clip).sum()
        assert words.startswith(f"{beyond} of {n * n} cells" if beyond else f"No offset exceeds {clip}")


def test_both_formulas_for_the_slopes_and_the_biases():
    for (heads, formula), (table,), words in at_every_stop(figures.alibi_slopes(40)):
        both = slopes(int(heads)), np.array(plain_slopes(int(heads)))
        m = both["code" not in formula]
        for place, right, digits in ((0, both[0], 4), (1, both[1], 4), (3, 1 / m, 1)):
            assert np.allclose(column(table, place), right, atol=0.501 * 10**-digits)
        assert np.allclose([2 ** (a * h / n) for _, a, h, n in (found(line[2]) for line in texts(table))], m)
        for place, d in enumerate(DISTANCES, 4):
            assert np.allclose(column(table, place), -m * d, atol=0.00501)
        differ = (~np.isclose(*both)).sum()
        assert (f"differ in {differ} of {heads} heads" if differ else "both formulas give the same slopes") in words


@pytest.mark.parametrize("query, key, vectors", [(2, 4, (Q[2], K[4])), (64, 0, np.cos(np.arange(12.0)).reshape(2, 6))])
def test_the_arrows_their_products_and_the_score(query, key, vectors):
    seen = {}
    for stops, (*drawings, table), words in at_every_stop(figures.rope_rotation(*vectors, query=query, key=key)):
        i, j, both, base = map(int, stops)
        q, k = (rotate(x[None], past=p + both, base=base)[0] for x, p in zip(vectors, (i, j)))
        tips = np.array([found(line[3]) + found(line[4]) for line in texts(table)])
        half = len(q) // 2
        assert np.allclose(tips, np.stack([q[:half], q[half:], k[:half], k[half:]], 1), atol=5.01e-5)
        assert np.allclose(column(table, 6), q[:half] * k[:half] + q[half:] * k[half:], atol=5.01e-5)
        assert np.isclose(found(words)[-1], q @ k, atol=5.01e-5)
        lengths = np.hypot(*tips.T[:2]) * np.hypot(*tips.T[2:])
        assert np.allclose(np.cos(column(table, 5)) * lengths, column(table, 6), atol=5e-4)
        assert np.allclose(column(table, 1), (i + both) * frequencies(len(q), base), atol=5.01e-5)
        for (parts, _), (a, b, c, d) in zip(drawings, tips, strict=True):
            right = np.exp(1j * np.arctan2([b, d], [a, c]))
            assert np.allclose([np.exp(-1j * np.deg2rad(found(parts[at])[-1])) for at in (2, 5)], right, atol=2e-3)
        angles = [line[5:] for line in texts(table)]
        assert seen.setdefault((j - i, base), angles) == angles  # whatever moves both


def test_each_hand_of_a_clock_points_where_rotate_takes_the_arrow():
    positions, d = (0, 1, 4, 44), 8
    start = np.repeat([1.0, 0.0], d // 2)  # each pair is the arrow (1, 0)
    html = figures.rope_clocks(positions, d=d, base=100, pairs=[3, 0, 1])._repr_html_()
    faces = [b64decode(face).decode() for face in re.findall('base64,([^"]*)', html)]
    assert "θ = 1<br>one turn: 6.28 steps" in html and len(faces) == 3
    for m, face in zip((3, 0, 1), faces):
        tips = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="5"', face), float)[::-1] - 75
        for p, (right, down) in zip(positions, tips, strict=True):
            turned = rotate(start[None], past=p, base=100)[0]
            np.testing.assert_allclose([right, -down], np.hypot(right, down) * turned[[m, m + d // 2]], atol=0.02)


BUCKETS, CLIP, SLOPES = figures.bucket_explorer, figures.clip_grid, figures.alibi_slopes
ROTATION, CLOCKS = figures.rope_rotation, figures.rope_clocks


@pytest.mark.parametrize(
    "picture, wrong, message",
    [
        (BUCKETS, {"num_buckets": 3}, "num_buckets=3: expected a whole number from 4 to 128"),
        (BUCKETS, {"num_buckets": 9}, "num_buckets=9: expected an even number"),
        (BUCKETS, {"max_distance": 8}, "max_distance=8: max_distance must exceed the 8 exact buckets"),
        (BUCKETS, {"bidirectional": "no"}, "bidirectional='no': expected True or False"),
        (BUCKETS, {"n": 26}, "n=26: expected a whole number from 2 to 25"),
        (BUCKETS, {"query": 21}, "query=21: expected a whole number from 0 to 20"),
        (CLIP, {"n": 13}, "n=13: expected a whole number from 2 to 12"),
        (CLIP, {"clip": -1}, "clip=-1: expected a whole number from 0 to 8"),
        (CLIP, {"tokens": "cat"}, "tokens='cat': expected a list of words"),
        (SLOPES, {"n_heads": 65}, "n_heads=65: expected a whole number from 1 to 64"),
        (SLOPES, {"formula": "paper"}, "formula='paper': expected one of 'code', 'formula'"),
        (ROTATION, {"q": [1, 2, 3], "k": [1, 2, 3]}, "q=[1, 2, 3]: expected 2, 4, … or 16 finite numbers"),
        (ROTATION, {"q": [1, 2]}, "k=None: expected both or none"),
        (ROTATION, {"q": [1, 2], "k": [1, 2, 3, 4]}, "q 2 numbers, k 4: expected the same"),
        (ROTATION, {"q": [1, math.inf], "k": [1, 2]}, "q=[1, inf]: expected"),
        (ROTATION, {"query": 65}, "query=65: expected a whole number from 0 to 64"),
        (ROTATION, {"base": 1}, "base=1: expected a number from 2 to 1e"),
        (CLOCKS, {"positions": range(7)}, "expected 1 to 6"),
        (CLOCKS, {"positions": [0.5]}, "positions=0.5"),
        (CLOCKS, {"d": 18}, "d=18"),
        (CLOCKS, {"base": 1}, "base=1"),
        (CLOCKS, {"pairs": []}, "pairs=[]: expected one or more of 0 … 3"),
        (CLOCKS, {"pairs": [4]}, "pairs=4"),
    ],
)
def test_what_it_cannot_show_it_refuses(picture, wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        picture(**wrong)
