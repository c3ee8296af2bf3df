"""The pictures of frames.py: every frame is what its function returns, and its numbers are those of the reference."""

import itertools
import re

import numpy as np
import pytest

from course_kit import figures
from course_kit.figures.frames import Cell, Drawing, Frame, Table, bar, live
from course_kit.figures.map_of_heads import distance_bins
from course_lib.reference.grid import from_grid
from course_lib.reference.rope import rotate

from .pictures import PAIRS
from .reading import FRAMES, elements, frames, static, tables, text, texts


def numbers(table):
    return np.array([[float(text.replace("−", "-")) for text in line] for line in texts(table)])


def test_every_frame_is_what_the_function_returns():
    sliders = {"the_n": range(1, 4), "kind": ["a", "b"], "place": [(0, 0), (0, 1)]}

    @live("alt", "title", **sliders)
    def draw(the_n, kind, place=(0, 1)):
        at = {"the_n": the_n, "kind": kind, "place": place}
        table = Table(f"{at}", ["r"], ["c"], [[Cell("t", says="s")]])
        return Frame([table, Drawing(["<g/>"], f"drawn {at}", 2, 3)], ["x", f"{at}"])

    picture = draw(1, kind="b")
    assert (
        picture._data["first"] == [0, 1, 1]
        and picture.alt == f"alt At the n 1, kind b: x {dict(the_n=1, kind='b', place=(0, 1))}"
    )
    controls = [("the n", "slider"), ("kind", "buttons"), ("place", "cells")]
    assert [(name, kind) for name, kind, _ in picture._data["sliders"]] == controls
    for (shown, words), stop in zip(frames(picture).values(), itertools.product(*sliders.values()), strict=True):
        at, (table, (parts, alt)) = dict(zip(sliders, stop, strict=True)), shown
        assert table[0] == f"{at}" and words == f"x {at}" and table[3][0][0][3] == "s"
        assert 'width="2" height="3"' in parts[0] and parts[1:] == ["<g/>", "</svg>"] and alt == f"drawn {at}"


@pytest.mark.parametrize("name", FRAMES)
def test_the_static_body_is_the_first_frame(name):
    shown, words = frames(FRAMES[name])[tuple(FRAMES[name]._data["first"])]
    page = elements(static(FRAMES[name]))
    corners = [table[2][0] for table in tables(shown)]
    cells = [e.text for e in page if e.name == "td" and e.text not in corners]
    expected = [text for table in tables(shown) for line in texts(table) for text in line]
    assert cells == [text for text in expected if text not in corners]
    assert words in text(FRAMES[name]) and all(table[0] in text(FRAMES[name]) for table in tables(shown))
    drawn = [e["alt"] for e in page if e.name == "img"]
    assert drawn == [drawing[1] for drawing in shown if drawing not in tables(shown)]


def test_a_bar_begins_at_zero():
    for value, signed, place in ((3, True, "50 38"), (-3, True, "12 38"), (-9, True, "0 50"), (1, False, "0 25")):
        assert " ".join(re.findall(r"\d+", bar(value, "", 4, signed=signed).bar[0])) == place


def test_the_map_shows_every_measure_and_the_weight_by_distance_of_every_head():
    n = 24
    q, k = np.random.default_rng(0).normal(0, 2, (2, 3, 2, n, 8))
    weights = np.where(np.tri(n) > 0, np.exp(q @ k.swapaxes(-1, -2)), 0)
    weights /= weights.sum(-1, keepdims=True)
    by_distance = from_grid(weights)[..., 0, :n][..., ::-1] / n
    scores = {"sink": weights[..., 0].mean(-1), "change": by_distance[..., 1] - 0.1}
    shown = frames(figures.map_of_heads(scores, by_distance))
    assert len(shown) == 2 * 6
    for (measure, place), ((profile, overview), words) in shown.items():
        layer, head = divmod(place, 2)
        assert np.array_equal(numbers(overview), np.rint(100 * list(scores.values())[measure]))
        assert overview[2][4] == [1, list(range(6))]  # each cell chooses its own head
        shares = [np.diagonal(weights[layer, head], -d).sum() / n for d in range(n)]
        expected = [sum(shares[low : high + 1]) for low, high in distance_bins(n)]
        assert np.allclose(numbers(profile)[:, 0], expected, atol=0.00501)
        assert words.startswith(f"Layer {layer}, head {head}: sink {scores['sink'][layer, head]:.2f},")


@pytest.mark.parametrize("n", [1, 4, 5, 6, 17, 512])
def test_every_distance_is_in_one_group(n):
    assert [d for low, high in distance_bins(n) for d in range(low, high + 1)] == list(range(n))


@pytest.mark.parametrize("interleaved", [False, True])
def test_what_the_pairs_add_is_the_score_of_the_rotated_vectors_at_every_stop(interleaved):
    distances, (q, k, speeds) = (0, 1, 7, 300), PAIRS
    picture = figures.pair_view(q, k, speeds, distances, interleaved=interleaved)
    stopped = {"nothing": [], **{f"pair {m}": [m] for m in range(32)}, "the 4 fastest": range(4)}
    stopped |= {"the 8 fastest": range(8), "the 16 slowest": range(16, 32), "the 12 slowest": range(20, 32)}
    assert picture._data["sliders"][1][2] == list(stopped)

    def score(distance, members):
        still = {"speeds": np.where(np.isin(range(32), members), 0, speeds), "interleaved": interleaved}
        query, key = rotate(q[None], past=11 + distance, **still)[0], rotate(k[None], past=11, **still)[0]
        return query @ key / 8

    for (d, s), ((by_distance, fast, slow), words) in frames(picture).items():
        stop, members = list(stopped.items())[s]
        assert (fast[0], slow[0]) == ("Pairs 0 to 15", "Pairs 16 to 31")
        added = np.array([float(line[1].replace("−", "-")) for line in texts(fast) + texts(slow)])
        assert abs(added.sum() - score(distances[d], members)) < 32 * 0.00501
        sentence = f"At distance {distances[d]} the 32 pairs add up to {score(distances[d], []):.2f}."
        sentence += f" With {stop} stopped, the score is {score(distances[d], members):.2f}." if s else ""
        assert words == sentence.replace("-", "−")
        assert np.allclose(numbers(by_distance)[:, -1], [score(d, members) for d in distances], atol=0.00501)
        hollow = [m for m, line in enumerate([*fast[3], *slow[3]]) if "2px" in line[1][1][1]]
        assert hollow == list(members)
