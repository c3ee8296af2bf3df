"""Seen and unseen pairs of positions: the counts by brute force, and the blocks of every frame."""

import numpy as np
import pytest

from course_kit import figures
from course_kit.figures.seen_pairs import SCHEMES, TEST, TRAIN, unseen_shares

from .test_frames import frames, texts


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


def test_the_blocks_of_every_frame_hold_the_pairs_that_are_counted():
    for (a, b, c), ((table,), words) in frames(figures.seen_pairs()).items():
        train, test, (scheme, clip) = TRAIN[a], TEST[b], list(SCHEMES.items())[c]
        shares, count = (
            unseen_shares(train, test, scheme),
            figures.unseen_pairs(train, test, scheme.split()[0], clip=clip),
        )
        assert (shares * (test // 8) ** 2).sum() == count and words.startswith(f"{count:,} of {test**2:,} pairs")
        assert texts(table) == [[f"{100 * share:.0f}" for share in line] for line in shares]
        if test == 16:  # few enough to look at each
            i, j = np.mgrid[:16, :16]
            offset = np.clip(j - i, -clip, clip) if clip else j - i
            unseen = np.maximum(i, j) >= train if scheme == "absolute" else abs(offset) >= train
            assert (unseen.reshape(8, 2, 8, 2).mean((1, 3)) == shares).all()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: figures.seen_pairs(train=100), "train=100: expected one of the stops"),
        (
            lambda: figures.seen_pairs(scheme="rope"),
            "scheme='rope': expected one of 'absolute', 'relative', 'clipped to ±16'",
        ),
        (lambda: figures.unseen_pairs(0, 4), "train=0: expected a whole number from 1"),
        (lambda: figures.unseen_pairs(4, 4, "Shaw"), "scheme='Shaw': expected one of"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
