"""The pictures of frames.py: every frame is what its function returns, and its numbers are those of the reference."""

import itertools
import re

import numpy as np
import pytest

from course_lib import figures
from course_lib.figures.frames import Frame, Table, bar, live
from course_lib.figures.map_of_heads import distance_bins
from course_lib.reference.absolute import frequencies
from course_lib.reference.grid import from_grid
from course_lib.reference.rope import rotate

from .pictures import KEY, PROFILES, QUERY, SCORES, clipped
from .test_figures import Page, static

SPEEDS = frequencies(64, 1e5)


def frames(picture):
    """The frames as the script reads them: {stop of every slider: (tables, words)}, stops as places."""
    opened = []
    for kept in picture._data["pool"]:
        opened.append([opened[place] for place in kept] if isinstance(kept, tuple) else kept)
    found = {}

    def walk(at, branch):
        if len(at) == len(picture._data["first"]):
            found[at] = branch[0], " ".join(branch[1])
            return
        for place, below in enumerate(branch):
            walk((*at, place), below)

    walk((), opened[-1])
    return found


def texts(table):
    return [[cell[0] for cell in line] for line in table[3]]


def numbers(table):
    return np.array([[float(text.replace("−", "-")) for text in line] for line in texts(table)])


# --- the form -------------------------------------------------------------------------------------------------------


def test_every_frame_is_what_the_function_returns_and_each_is_asked_once():
    sliders = {"n": range(1, 4), "kind": ["a", "b"], "place": [(0, 0), (0, 1)]}
    asked = []

    @live(**sliders)
    def draw(**at):
        asked.append(tuple(at.values()))
        return Frame([Table(f"{at}", ["r"], ["c"], [[bar(at["n"], "t", 3, says="s")]])], ["x", f"{at}"])

    shown = draw(alt="alt")
    stops = list(itertools.product(*sliders.values()))
    assert asked[:-1] == stops and asked[-1] == stops[0]  # the first once more, for the static body
    for (tables, words), stop in zip(frames(shown).values(), stops, strict=True):
        at = dict(zip(sliders, stop, strict=True))
        assert tables[0][0] == f"{at}" and words == f"x {at}" and tables[0][3][0][0][4] == "s"
    assert [kind for _, kind, _ in shown._data["sliders"]] == ["slider", "buttons", "cells"]


@pytest.mark.parametrize(
    "picture",
    [
        clipped(alt="clipped", n=5, clip=2),
        figures.map_of_heads(SCORES, PROFILES),
        figures.pair_view(QUERY, KEY, SPEEDS),
    ],
)
def test_the_static_body_is_the_first_frame(picture):
    tables, words = frames(picture)[tuple(picture._data["first"])]
    page = Page(static(picture))
    corners = [table[2][0] for table in tables]
    cells = [e["text"] for e in page.elements if e["tag"] == "td" and e["text"] not in corners]
    assert cells == [text for table in tables for line in texts(table) for text in line]
    assert words in page.text() and all(table[0] in page.text() for table in tables)


@pytest.mark.parametrize(
    "value, signed, place",
    [(3, True, [50, 38]), (-3, True, [12, 38]), (-9, True, [0, 50]), (1, False, [0, 25]), (0, True, [50, 0])],
)
def test_a_bar_begins_at_zero(value, signed, place):
    style = bar(value, "", 4, signed=signed).bar[0]
    assert [int(percent) for percent in re.findall(r"\d+", style)] == place


# --- the map of heads -----------------------------------------------------------------------------------------------


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
        name = list(scores)[measure]
        assert np.array_equal(numbers(overview), np.rint(100 * scores[name]))
        assert overview[2][4] == [1, list(range(6))]  # each cell chooses its own head
        shares = [np.diagonal(weights[layer, head], -d).sum() / n for d in range(n)]
        expected = [sum(shares[low : high + 1]) for low, high in distance_bins(n)]
        assert np.allclose(numbers(profile)[:, 0], expected, atol=0.00501)
        assert words.startswith(f"Layer {layer}, head {head}: sink {scores['sink'][layer, head]:.2f},")


@pytest.mark.parametrize("n", [1, 4, 5, 6, 17, 512])
def test_every_distance_is_in_one_group(n):
    assert [d for low, high in distance_bins(n) for d in range(low, high + 1)] == list(range(n))
    assert len(distance_bins(n)) <= 5 + max(np.log2(n), 0)


# --- the pairs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interleaved", [False, True])
def test_what_the_pairs_add_is_the_score_of_the_rotated_vectors_at_every_stop(interleaved):
    distances = (0, 1, 7, 300)
    picture = figures.pair_view(QUERY, KEY, SPEEDS, distances, interleaved=interleaved)
    stops = picture._data["sliders"][1][2]
    assert stops[:2] == ["nothing", "pair 0"] and stops[-1] == "the 12 slowest"

    def score(distance, still):
        speeds = [0 if m in still else speed for m, speed in enumerate(SPEEDS)]
        query, key = (
            rotate(x[None], past=past, speeds=speeds, interleaved=interleaved)[0]
            for x, past in ((QUERY, 11 + distance), (KEY, 11))
        )
        return query @ key / 8

    groups = {"nothing": [], "the 4 fastest": range(4), "the 8 fastest": range(8)}
    groups |= {"the 16 slowest": range(16, 32), "the 12 slowest": range(20, 32)} | {f"pair {m}": [m] for m in range(32)}
    for (d, s), ((by_distance, fast, slow), words) in frames(picture).items():
        expected = score(distances[d], groups[stops[s]])
        added = np.concatenate([[float(line[1].replace("−", "-")) for line in texts(table)] for table in (fast, slow)])
        assert abs(added.sum() - expected) < 32 * 0.00501
        assert f"add up to {score(distances[d], []):.2f}".replace("-", "−") in words
        assert s == 0 or words.endswith(f"With {stops[s]} stopped, the score is {expected:.2f}.".replace("-", "−"))
        assert np.allclose(numbers(by_distance)[:, -1], [score(d, groups[stops[s]]) for d in distances], atol=0.00501)
        hollow = [m for m, line in enumerate([*fast[3], *slow[3]]) if "2px" in line[1][1][1]]
        assert hollow == list(groups[stops[s]])


def test_the_scale_is_a_factor_of_every_number():
    def shown(scale):
        return numbers(frames(figures.pair_view([2, 0], [1, 0], [0.5], (0, 1), scale=scale))[0, 0][0][0])

    assert shown(1)[0, 0] == 2 and shown(3)[0, 0] == 6 and shown(None)[0, 0] == round(2 / np.sqrt(2), 2)


# --- refusals -------------------------------------------------------------------------------------------------------

TINY = np.full((2, 1, 4), 0.25)


def heads(scores, profiles=TINY):
    return lambda: figures.map_of_heads(scores, profiles)


def pairs(*given, **more):
    return lambda: figures.pair_view(*given, **more)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: clipped(alt="clipped", n=9), r"n=9: expected one of the stops \[2, 3, 4, 5\]"),
        (lambda: clipped(alt="clipped", m=2), "m=2: expected one of the stops"),
        (lambda: clipped(), "alt=None: expected a sentence"),
        (lambda: live(n=[]), r"n=\[\]: expected at least one stop"),
        (lambda: live(a=range(50), b=range(41)), "a × b: 2050 frames, expected at most 2000"),
        (heads({}), "expected a dict of 1 to 5 measures"),
        (heads({"a": [[1.0]]}), r"scores\['a'\] \(1, 1\): expected \(2, 1\)"),
        (heads({"a": [[1], [np.nan]]}), r"scores\['a'\] \(2, 1\): expected finite numbers"),
        (heads({"a": [[1], [2]]}, TINY[0]), r"profiles \(1, 4\): expected \(layers, heads, distances\)"),
        (heads({"a": [[1], [2]]}, TINY * 2), r"profiles\[0, 0\]: sum 2, smallest 0.5, expected shares"),
        (heads({"a": [[1], [2]]}, TINY - [0.5, -0.5, 0, 0]), "sum 1, smallest -0.25, expected shares"),
        (heads({"a": [[1], [2]]}, np.ones((41, 10, 1))), "410 heads, expected at most 400"),
        (pairs([1, 2], [1, 2, 3, 4], [1]), r"q \(2,\), k \(4,\): expected as many, an even number up to 64"),
        (pairs([1, 2, 3], [1, 2, 3], [1]), r"q \(3,\), k \(3,\): expected as many, an even number"),
        (pairs(np.ones(66), np.ones(66), np.ones(33)), "an even number up to 64"),
        (pairs([[1, 2]], [1, 2], [1]), r"q \(1, 2\): expected a row of finite numbers"),
        (pairs([1, np.inf], [1, 2], [1]), r"q \(2,\): expected a row of finite numbers"),
        (pairs([1, 2], [1, 2], [1, 2]), r"speeds \(2,\): expected \(1,\), one for each pair"),
        (pairs([1, 2], [1, 2], [1], [3, 1]), r"distances=\[3, 1\]: expected 2 to 16 whole numbers"),
        (pairs([1, 2], [1, 2], [1], [0, 0.5]), r"distances\[1\]=0.5: expected a whole number"),
        (pairs([1, 2], [1, 2], [1], scale=0), "scale=0: expected a number from"),
    ],
)
def test_what_is_refused_says_why(call, message):
    with pytest.raises(ValueError, match=message):
        call()
