"""RoPE's clocks: each hand points where `rotate` takes a vector, and what cannot be drawn is refused."""

import re
from base64 import b64decode

import numpy as np
import pytest

from course_lib import figures
from course_lib.reference.rope import rotate


def test_each_hand_points_where_rotate_takes_the_arrow():
    positions, d = (0, 1, 4, 44), 8
    start = np.repeat([1.0, 0.0], d // 2)  # each pair is the arrow (1, 0)
    html = figures.rope_clocks(positions, d=d, base=100)._repr_html_()
    faces = [b64decode(face).decode() for face in re.findall("base64,([^\"]*)", html)]
    assert len(faces) == d // 2
    for m, face in enumerate(faces):
        tips = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="5"', face), float)[::-1] - 75
        for p, (right, down) in zip(positions, tips, strict=True):
            turned = rotate(start[None], past=p, base=100)[0]
            length = np.hypot(right, down)
            np.testing.assert_allclose([right, -down], length * turned[[m, m + d // 2]], atol=0.02)


def test_speeds_and_wavelengths_are_written_below_the_clocks():
    html = figures.rope_clocks(d=4)._repr_html_()
    assert "θ = 1<br>one turn: 6.28 steps" in html and "θ = 0.01<br>one turn: 628 steps" in html
    assert figures.rope_clocks((0, 44)).alt.endswith("pair 0 7.003, pair 1 0.700, pair 2 0.070, pair 3 0.007.")


def test_only_the_pairs_that_are_asked_for_are_drawn():
    some = figures.rope_clocks((0, 44), pairs=[3, 0])
    every = figures.rope_clocks((0, 44))
    faces, all_faces = (re.findall("base64,([^\"]*)", picture._repr_html_()) for picture in (some, every))
    assert faces == [all_faces[3], all_faces[0]]
    assert some.alt.startswith("2 clocks") and some.alt.endswith("position 44: pair 3 0.007, pair 0 7.003.")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"positions": []}, "expected 1 to 6"),
        ({"positions": range(7)}, "expected 1 to 6"),
        ({"positions": [-1]}, "positions=-1"),
        ({"positions": [0.5]}, "positions=0.5"),
        ({"d": 18}, "d=18"),
        ({"d": 3}, "d=3"),
        ({"base": 1}, "base=1"),
        ({"pairs": []}, "pairs=[]: expected one or more of 0 … 3"),
        ({"pairs": [4]}, "pairs=4"),
    ],
)
def test_what_cannot_be_drawn_is_refused(bad, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        figures.rope_clocks(**bad)
