"""The rotation's static body: the reference's turned vectors and scores, and refusals that name the argument."""

import math
import re

import numpy as np
import pytest

from course_lib import figures
from course_lib.display.formatting import number
from course_lib.example import K, Q
from course_lib.figures.rope_rotation import turned
from course_lib.reference.rope import rotate

from .test_figures import static


@pytest.mark.parametrize("base", [10, 10000])
@pytest.mark.parametrize("i, j", [(0, 0), (2, 4), (4, 2), (64, 1)])
def test_the_turned_pairs_are_those_of_the_reference(i, j, base):
    q, k = np.random.default_rng(0).normal(size=(2, 8)).tolist()
    parts = turned(q, k, i, j, base)
    for name, x, p in (("q", q, i), ("k", k, j)):
        right = rotate([x], past=p, base=base)[0]
        assert np.allclose([part[name] for part in parts], right.reshape(2, 4).T)
    score = rotate([q], past=i, base=base)[0] @ rotate([k], past=j, base=base)[0]
    assert math.isclose(sum(part["product"] for part in parts), score, abs_tol=1e-12)
    for part in parts:
        sizes = np.linalg.norm(part["q"]) * np.linalg.norm(part["k"])
        assert math.isclose(part["product"], sizes * math.cos(part["between"]), abs_tol=1e-12)


def test_the_angle_depends_on_the_offset_alone():
    one, other = (turned(Q[2].tolist(), K[4].tolist(), 2 + by, 4 + by, 10000) for by in (0, 37))
    assert np.allclose([part["between"] for part in one], [part["between"] for part in other])


def test_the_body_holds_the_numbers():
    text = static(figures.rope_rotation())
    cells = re.findall(r"<td>(.*?)</td>", text)
    parts = turned(Q[2].tolist(), K[4].tolist(), 2, 4, 10000)
    total = number(sum(part["product"] for part in parts))
    assert [number(part["product"]) for part in parts] == cells[4::5]
    assert "(−1.3254, 0.4932)" in cells and f"= {total}, the same for all positions" in text
    assert "offset j − i = +2" in text
    assert "offset j − i = −3" in static(figures.rope_rotation(query=3, key=0))


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"q": [1, 2, 3], "k": [1, 2, 3]}, r"q=\[1, 2, 3\]: expected 2, 4, … or 16 finite numbers"),
        ({"q": [1, 2]}, "k=None: expected both or none"),
        ({"q": [1, 2], "k": [1, 2, 3, 4]}, "q 2 numbers, k 4: expected the same"),
        ({"q": [1, math.inf], "k": [1, 2]}, "q=.*finite"),
        ({"q": 3, "k": 4}, "q=3: expected 2, 4"),
        ({"query": 65}, "query=65: expected a whole number from 0 to 64"),
        ({"key": -1}, "key=-1: expected a whole number from 0 to 64"),
        ({"pair": 2}, "pair=2: expected a whole number from 0 to 1"),
        ({"base": 1}, "base=1: expected a number from 2 to 1e"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.rope_rotation(**wrong)
