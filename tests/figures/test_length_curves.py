"""The length curves' static body: every number with its half width and its tint, and what is refused."""

import re

import numpy as np
import pytest

from course_lib import figures
from course_lib.display.colours import LINES, contrast, signed_colour

from .losses import LENGTHS, PANELS
from .test_figures import static

ONE = {"none": [(2.0, 1.9, 2.2), (3.0, 3.0, 3.0)], "rope": [(1.0, 0.5, 1.5), (0.5, 0.4, 0.6)]}


def cells(picture):
    """For each table its rows: scheme → [(colour or None, text)]."""
    return [
        {
            scheme: re.findall(r'<td(?: style="background-color:(#\w+)")?>([^<]*)</td>', row)
            for scheme, row in re.findall(r'<tr [^>]*><th scope="row">(.*?)</th>(.*?)</tr>', table)
        }
        for table in re.findall(r"<table.*?</table>", static(picture))
    ]


def test_every_number_stands_in_the_body_with_half_its_interval():
    tables = cells(figures.length_curves(LENGTHS, PANELS, trained=64))
    assert len(tables) == len(PANELS)
    for table, (name, curves) in zip(tables, PANELS.items(), strict=True):
        assert list(table) == list(curves), name
        for scheme, points in curves.items():
            assert [text for _, text in table[scheme]] == [
                f"{mean:.3f} ±\u00a0{(high - low) / 2:.3f}" for mean, low, high in points
            ]


def test_the_tint_is_the_rise_over_the_training_length():
    rows = cells(figures.length_curves((8, 16), {"one": ONE}, trained=8))[0]
    assert rows["none"] == [("", "2.00 ±\u00a00.15"), (signed_colour(1), "3.00 ±\u00a00.00")]
    assert rows["rope"] == [("", "1.00 ±\u00a00.50"), (signed_colour(-0.5), "0.50 ±\u00a00.10")]
    level = cells(figures.length_curves((8, 16), {"one": {"none": [(1, 1, 1)] * 2}}, trained=8))[0]
    assert level["none"] == [("", "1 ±\u00a00")] * 2


def test_the_words_name_who_changes_most_and_least():
    picture = figures.length_curves((8, 16), {"copy": ONE}, trained=8, y="accuracy")
    words = "From length 8 to 16 the mean accuracy changes most for none (+1.00) and least for rope (−0.50)."
    assert words in static(picture) and words in picture.alt
    assert picture.alt.startswith("Accuracy beyond the training length 8: 2 schemes, tested at 8, 16. copy: From")
    alone = figures.length_curves((8, 16), {"copy": {"none": ONE["none"]}}, trained=8, alt="said otherwise", title="T")
    assert "changes by +1.00 for none." in static(alone) and "<b>T</b>" in static(alone)
    assert alone.alt == "said otherwise"


def test_the_training_length_may_stand_between_the_others():
    points = [(3.0, 3.0, 3.0), (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)]
    picture = figures.length_curves((4, 8, 16), {"one": {"none": points}}, trained=8)
    assert '<th scope="col">8 (trained)</th>' in static(picture)
    assert [colour for colour, _ in cells(picture)[0]["none"]] == [signed_colour(1), "", signed_colour(0.5)]


def test_arrays_are_taken_and_names_are_escaped():
    points = np.array([(1.0, 0.9, 1.1), (2.0, 1.5, 2.5)], dtype=np.float32)
    picture = figures.length_curves(np.array([8, 16]), {"<b>": {"<i>": points}}, trained=np.int64(8))
    assert "&lt;i&gt;" in static(picture) and "<i>" not in static(picture)
    assert cells(picture)[0]["&lt;i&gt;"][1][1] == "2.0 ±\u00a00.5"


def test_every_line_can_be_read_on_white():
    assert len(set(LINES)) == len(LINES) == 6
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in LINES)


# Red, green and blue light as an eye without one kind of cone takes them (Machado, Oliveira and Fernandes 2009).
EYES = {
    "all cones": np.eye(3),
    "no long": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no middle": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no short": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


@pytest.mark.parametrize("eye", EYES)
def test_no_two_lines_look_alike_to_any_eye(eye):
    rgb = np.array([[int(colour[c : c + 2], 16) / 255 for c in (1, 3, 5)] for colour in LINES])
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    r, g, b = np.clip(light @ np.transpose(EYES[eye]), 0, 1).T
    to_xyz = [(0.4124, 0.3576, 0.1805, 0.9505), (0.2126, 0.7152, 0.0722, 1.0), (0.0193, 0.1192, 0.9505, 1.089)]
    x, y, z = ((kr * r + kg * g + kb * b) / white for kr, kg, kb, white in to_xyz)
    x, y, z = (np.where(v > 0.008856, np.cbrt(v), 7.787 * v + 16 / 116) for v in (x, y, z))
    lab = np.stack([116 * y, 500 * (x - y), 200 * (y - z)], axis=1)  # CIELAB: a distance of 2 can just be seen
    distances = np.linalg.norm(lab[:, None] - lab, axis=-1)
    assert distances[np.triu_indices(6, 1)].min() > 20


def wrong(points):
    return {"panels": {"one": {"rope": points}}}


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"lengths": (16, 8)}, r"lengths=\(16, 8\): expected ascending numbers"),
        ({"lengths": (8, 8)}, r"lengths=\(8, 8\): expected ascending numbers"),
        ({"lengths": (8,)}, r"lengths=\(8,\): expected 2 to 8 ascending whole numbers"),
        ({"lengths": "816"}, "lengths='816': expected 2 to 8"),
        ({"lengths": None}, "lengths=None: expected 2 to 8"),
        ({"lengths": (8, 16.0)}, r"lengths\[1\]=16\.0: expected a whole number from 1"),
        ({"lengths": (0, 16)}, r"lengths\[0\]=0: expected a whole number from 1"),
        ({"trained": 12}, r"trained=12: expected one of the lengths \(8, 16\), with a longer one after it"),
        ({"trained": 16}, r"trained=16: expected one of the lengths \(8, 16\), with a longer one after it"),
        ({"trained": "8"}, "trained='8': expected a whole number from 1 to 16"),
        ({"y": " "}, "y=' ': expected what the numbers are"),
        ({"panels": []}, r"panels=\[\]: expected a dictionary of 1 to 6 panels"),
        ({"panels": {}}, r"panels=\{\}: expected a dictionary of 1 to 6 panels"),
        ({"panels": {"one": {}}}, r"panels\['one'\]=\{\}: expected a dictionary from scheme to points"),
        ({"panels": {1: ONE}}, "panels: the name 1, expected 1 to 20 letters"),
        ({"panels": {"one": {"x" * 21: ONE["none"]}}}, r"panels\['one'\]: the name 'x+', expected 1 to 20 letters"),
        ({"panels": {"one": dict.fromkeys("abcdefghijklm", ONE["none"])}}, "panels: 13 schemes, .*expected at most 12"),
        (wrong([(1, 1, 1)]), r"panels\['one'\]\['rope'\]: 1 points, expected 2, one for each length"),
        (wrong(1.0), r"panels\['one'\]\['rope'\]: 0 points, expected 2"),
        (wrong([(1, 1, 1), (1, 1)]), r"panels\['one'\]\['rope'\] at 16=\(1, 1\): expected \(mean, low, high\)"),
        (wrong([1.0, 2.0]), r"panels\['one'\]\['rope'\] at 8=1\.0: expected \(mean, low, high\)"),
        (wrong([(2, 2.5, 3), (1, 1, 1)]), r"at 8=\(2, 2\.5, 3\): expected \(mean, low, high\) with low ≤ mean ≤ high"),
        (wrong([(2, 1, 1.5), (1, 1, 1)]), "with low ≤ mean ≤ high"),
        (wrong([(float("nan"), 1, 2), (1, 1, 1)]), r"panels\['one'\]\['rope'\] at 8=nan: expected a number"),
        (wrong([(1, 1, float("inf")), (1, 1, 1)]), "at 8=inf: expected a number"),
        (wrong([("1", 1, 2), (1, 1, 1)]), "at 8='1': expected a number"),
        ({"alt": " "}, "alt=' ': expected a sentence"),
    ],
)
def test_what_it_cannot_show_it_refuses(changes, message):
    arguments = {"lengths": (8, 16), "panels": {"one": ONE}, "trained": 8} | changes
    with pytest.raises(ValueError, match=message):
        figures.length_curves(arguments.pop("lengths"), arguments.pop("panels"), **arguments)
