"""Seen and unseen pairs of positions: the counts by brute force, the static body, and what is refused."""

import re
from urllib.parse import unquote

import numpy as np
import pytest

from course_lib import figures

from .test_figures import static


def brute_force(train, test, scheme, clip):
    """Train on every pair below `train`, note what was used, and look for pairs that need something else."""
    i, j = np.arange(test)[:, None], np.arange(test)

    def needs(i, j):
        r = j - i
        return {"absolute": [i + 0 * j, j + 0 * i], "relative": [r], "clipped": [np.clip(r, -clip, clip)]}[scheme]

    t = np.arange(train)
    used = [set(part.ravel().tolist()) for part in needs(t[:, None], t)]
    return sum(not all(p[a, b] in u for p, u in zip(needs(i, j), used)) for a in range(test) for b in range(test))


@pytest.mark.parametrize("scheme", ["absolute", "relative", "clipped"])
@pytest.mark.parametrize("train, test", [(1, 1), (1, 4), (4, 4), (5, 3), (5, 8), (8, 16), (7, 20), (20, 21)])
@pytest.mark.parametrize("clip", [0, 3, 4, 5, 6, 7, 100])
def test_the_counts_by_brute_force(train, test, scheme, clip):
    assert figures.unseen_pairs(train, test, scheme, clip=clip) == brute_force(train, test, scheme, clip)


def test_the_counts_of_the_course():
    assert figures.unseen_pairs(128, 256) == 49_152 and 49_152 / 256**2 == 0.75
    assert figures.unseen_pairs(128, 256, "relative") == 16_512 and round(16_512 / 256**2, 3) == 0.252
    assert figures.unseen_pairs(128, 256, "clipped") == figures.unseen_pairs(256, 128) == 0
    assert figures.unseen_pairs(128, 256, "clipped", clip=127) == 0
    assert figures.unseen_pairs(128, 256, "clipped", clip=128) == 16_512


def test_the_body_draws_one_scheme_and_counts_all():
    for scheme in ("absolute", "relative", "clipped"):
        picture = figures.seen_pairs(scheme=scheme)
        text = static(picture)
        assert "49,152</td><td>75.0 %" in text and "16,512</td><td>25.2 %" in text and ">0</td><td>0.0 %" in text
        assert f"{scheme} (drawn)" in text and text.count("(drawn)") == 1
        svg = unquote(re.search(r'src="data:image/svg\+xml,([^"]*)"', text)[1])
        assert svg.count("url(#p)") == (scheme != "clipped")  # the unseen part, striped
    assert "49,152 of 65,536 pairs are unseen, 75.0 %." in figures.seen_pairs().alt


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"train": 15}, "train=15: expected a whole number from 16 to 512"),
        ({"test": 1025}, "test=1025: expected a whole number from 16 to 1024"),
        ({"test": 256.0}, r"test=256\.0: expected a whole number"),
        ({"scheme": "rope"}, "scheme='rope': expected one of 'absolute', 'relative', 'clipped'"),
        ({"clip": -1}, "clip=-1: expected a whole number from 0 to 512"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.seen_pairs(**wrong)


def test_the_count_refuses_too():
    with pytest.raises(ValueError, match="train=0: expected a whole number from 1"):
        figures.unseen_pairs(0, 4)
    with pytest.raises(ValueError, match="scheme='Shaw': expected one of"):
        figures.unseen_pairs(4, 4, "Shaw")
