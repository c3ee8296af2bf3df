"""The provenance of a skew: what every cell says is what labels, sent through the reference, say."""

import re

import numpy as np
import pytest

from course_kit import figures
from course_lib.example import TOKENS
from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.music_transformer import skew, skew_causal, slice_table
from course_lib.reference.transformer_xl import relative_shift

from .test_frames import frames, texts

GENERAL = [(1, 1, 0), (4, 2, 0), (2, 3, 6), (6, 1, 1), (6, 8, 6)]  # n_q, n_k, past


def final_frames(how, **sizes):
    """The last step of every setting: its tables, its words, and n_q, n_k, past."""
    picture = figures.provenance(how, **sizes)
    for (step, *stops), (tables, words) in frames(picture).items():
        if step < len(picture._data["sliders"][0][2]) - 1 or "Too short" in words:
            continue
        if how == "general":
            n_q, n_k, past = map(int, re.findall(r"\d+", picture._data["sliders"][1][2][stops[0]]))
        else:
            past = stops[1] if how == "shift" else 0
            n_q, n_k = stops[0] + 1, stops[0] + 1 + past
        yield tables, words, (n_q, n_k, past)


@pytest.mark.parametrize(
    "how, sizes",
    [("skew", {}), ("shift", {}), *(("general", dict(zip(("n_q", "n_k", "past"), s, strict=True))) for s in GENERAL)],
)
def test_every_cell_says_what_the_reference_says(how, sizes):
    for tables, words, (n_q, n_k, past) in final_frames(how, **sizes):
        width = n_q + n_k - 1 if how == "general" else n_k
        columns = row_offsets(n_q, n_k, past)[:width]  # without the offsets after the query in the causal forms
        names = dict(enumerate(TOKENS))
        query = [f"q{i}" if how == "general" else names.get(past + i, f"x{past + i}") for i in range(n_q)]
        shown = [str(-o) if how == "shift" else f"{o:+d}".replace("-", "−").replace("+0", "0") for o in columns]
        label = np.array(["0"] + [f"{q}\n{o}" for q in query for o in shown], dtype=object)
        places, zeros = 1 + np.arange(n_q * width).reshape(n_q, width), np.zeros((n_q, 1), int)
        padded = np.hstack([places, zeros] if how == "general" else [zeros, places])
        grid = skew(places, n_q) if how == "general" else {"skew": skew_causal, "shift": relative_shift}[how](places)
        junk = (grid - 1) // width != np.arange(n_q)[:, None]
        product, with_zeros, recut, last = map(texts, tables[-4:])
        assert product == label[places].tolist() and with_zeros == label[padded].tolist()
        assert [text for line in recut for text in line if text] == label[padded.ravel()].tolist()
        assert last == np.where(junk, "✗ " + label[grid], label[grid]).tolist()
        assert f"Junk: {junk.sum()} of {n_q * n_k} cells." in words
        assert junk.sum() == (0 if how == "general" else n_q * (n_q - 1) // 2)
        assert (junk | (columns[(grid - 1) % width] == offsets(n_q, n_k, past))).all()
        grouped = [cell for table in tables[-4:] for line in table[3] for cell in line if len(cell) > 4]
        groups = {cell[4]: cell[0].removeprefix("✗ ") for cell in grouped}
        assert groups == {str(place): text for place, text in enumerate(label[padded.ravel()])}


@pytest.mark.parametrize("longest", [1, 3, 5, 6, 9])
@pytest.mark.parametrize("n_q, n_k, past", [(3, 5, 2), (1, 4, 0), (4, 2, 0), (2, 2, 5)])
def test_the_table_shows_what_slice_table_takes_or_its_refusal(n_q, n_k, past, longest):
    picture = figures.provenance("general", n_q=n_q, n_k=n_k, past=past, longest=longest)
    tables, words = frames(picture)[tuple(picture._data["first"])]
    shown = np.array([int(name.replace("−", "-")) for name in tables[0][2][1]])
    rows, taken = np.array(texts(tables[0]))
    every = np.arange(1 - longest, longest)
    assert rows[np.isin(shown, every)].tolist() == [str(row) for row in range(2 * longest - 1)]
    try:
        found = slice_table(every[:, None], n_q, n_k, past=past)[:, 0]
    except ValueError as refusal:
        assert str(refusal) in words and len(tables) == 1
        assert shown[taken == "✗"].tolist() == np.setdiff1d(row_offsets(n_q, n_k, past), every).tolist() != []
    else:
        assert shown[taken == "✓"].tolist() == found.tolist() and "✗" not in taken and len(tables) == 5
