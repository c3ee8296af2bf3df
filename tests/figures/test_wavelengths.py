"""The wavelengths of RoPE's pairs: marks lie where the speeds say, and squares are the pairs with new angles."""

import re
from base64 import b64decode

import numpy as np
import pytest

from course_lib import figures
from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import interpolated, llama3, ntk, p_rope, turns

THETA = frequencies(16)


def drawing(picture):
    return b64decode(re.search('base64,([^"]*)', picture._repr_html_())[1]).decode()


def test_each_mark_lies_at_its_wavelength():
    after = ntk(THETA, 8)
    drawn = drawing(figures.wavelengths(THETA, after))
    lines = np.array(re.findall(r'd="M[\d.]+ ([\d.]+)V([\d.]+)"', drawn), float)
    waves = np.log(2 * np.pi / np.array([THETA, after])).T
    slope, start = np.polyfit(waves.ravel(), lines.ravel(), 1)
    np.testing.assert_allclose(start + slope * waves, lines, atol=0.06)
    assert slope < 0, "a longer wave lies higher"


@pytest.mark.parametrize(
    ("after", "n", "new"),
    [
        (THETA, 1024, [3, 4, 5, 6, 7]),
        (THETA, 128, []),
        (ntk(THETA, 8), 1024, [3, 4, 5, 6]),
        (interpolated(THETA, 8), 1024, []),
        (interpolated(THETA, 8), 2048, [3, 4, 5, 6, 7]),
        (llama3(THETA, 8, 128), 1024, []),
        (p_rope(THETA, 0.5), 1024, [3]),
    ],
)
def test_squares_are_the_pairs_that_meet_new_angles(after, n, new):
    picture = figures.wavelengths(THETA, after, trained=128, n=n)
    assert drawing(picture).count("<rect") == len(new)
    assert picture.alt.endswith(f"new angles: {', '.join(map(str, new)) or 'none'}.")
    reached = (np.asarray(after) * n / 2 / np.pi > turns(THETA, 128) * (1 + 1e-9)) & (turns(THETA, 128) < 1)
    assert np.flatnonzero(reached).tolist() == new


def test_the_divisors_are_written():
    picture = figures.wavelengths(frequencies(8), ntk(frequencies(8), 8))
    assert "Divisors of their speeds: 1, 2, 4, 8." in picture.alt
    assert "∞" in figures.wavelengths(THETA, p_rope(THETA, 0.5)).alt


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"after": THETA[:3]}, "8 speeds before, 3 after: expected as many"),
        ({"after": -THETA}, "none below 0"),
        ({"before": [0.0] * 8}, "none below 0"),
        ({"before": np.ones(17), "after": np.ones(17)}, "1 to 16"),
        ({"trained": 1}, "trained=1"),
        ({"n": 0.5}, "n=0.5"),
        ({"after": [[1.0]]}, "expected one row"),
    ],
)
def test_what_cannot_be_drawn_is_refused(bad, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        figures.wavelengths(**{"before": THETA, "after": THETA, **bad})
