"""The provenance of a skew: what every cell says is what labels, sent through the reference, say."""

import re

import numpy as np
import pytest

from course_kit import figures
from course_kit.figures.provenance import GENERAL
from course_lib.example import TOKENS
from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.music_transformer import skew, skew_causal, slice_table
from course_lib.reference.transformer_xl import relative_shift

from .test_frames import frames, texts


def final_frames(how):
    """The last step of every setting: its tables, its words, and n_q, n_k, past."""
    picture = figures.provenance(how)
    for (step, *stops), (tables, words) in frames(picture).items():
        if step < len(picture._data["sliders"][0][2]) - 1 or "Too short" in words:
            continue
        if how == "general":
            n_q, n_k, past = map(int, re.findall(r"\d+", picture._data["sliders"][1][2][stops[0]]))
        else:
            past = stops[1] if how == "shift" else 0
            n_q, n_k = stops[0] + 1, stops[0] + 1 + past
        yield tables, words, (n_q, n_k, past)


@pytest.mark.parametrize("how", ["skew", "general", "shift"])
def test_every_cell_says_what_the_reference_says(how):
    for tables, words, (n_q, n_k, past) in final_frames(how):
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
        assert [[cell[3].endswith("belongs: junk.") for cell in line] for line in tables[-1][3]] == junk.tolist()
        assert f"Junk: {junk.sum()} of {n_q * n_k} cells." in words
        assert junk.sum() == (0 if how == "general" else n_q * (n_q - 1) // 2)
        assert (junk | (columns[(grid - 1) % width] == offsets(n_q, n_k, past))).all()
        grouped = [cell for table in tables[-4:] for line in table[3] for cell in line if len(cell) > 4]
        groups = {cell[4]: cell[0].removeprefix("✗ ") for cell in grouped}
        assert groups == {str(place): text for place, text in enumerate(label[padded.ravel()])}


def test_the_table_shows_what_slice_table_takes_or_its_refusal():
    for cuts, (tables, words) in zip(GENERAL.values(), list(frames(figures.provenance("general")).values())[-5:]):
        shown = np.array([int(name.replace("−", "-")) for name in tables[0][2][1]])
        rows, taken = np.array(texts(tables[0]))
        every, sizes = np.arange(1 - cuts.longest, cuts.longest), (cuts.n_q, cuts.n_k, cuts.past)
        assert rows[np.isin(shown, every)].tolist() == [str(row) for row in range(len(every))]
        if cuts.longest < 5:
            with pytest.raises(ValueError, match=re.escape(words.split(": ", 1)[1].removesuffix("."))):
                slice_table(every[:, None], *sizes[:2], past=cuts.past)
            assert shown[taken == "✗"].tolist() == np.setdiff1d(row_offsets(*sizes), every).tolist() != []
        else:
            found = slice_table(every[:, None], *sizes[:2], past=cuts.past)[:, 0]
            assert shown[taken == "✓"].tolist() == found.tolist() and "✗" not in taken and len(tables) == 5
