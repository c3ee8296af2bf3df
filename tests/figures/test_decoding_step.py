"""Decoding: the new row of each scheme is the one that its own module gives."""

import numpy as np
import pytest
import torch

from course_kit import figures
from course_kit.figures.decoding_step import SAYS
from course_lib.example import TOKENS
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias

from .test_frames import frames, texts


def test_the_new_row_is_the_one_the_modules_give():
    buckets = T5Bias(1, bidirectional=False)
    with torch.no_grad():
        buckets.table[:, 0] = torch.arange(32.0)
    for (scheme, past), ((grid, every), words) in frames(figures.decoding_step(clip=1)).items():
        row = dict(zip(SAYS, texts(every), strict=True))
        for name, module in {"log decay": DecayBias(0.3), "ALiBi": ALiBi(2)}.items():
            shown = [float(text.replace("−", "-")) for text in row[name]]
            assert shown == pytest.approx(module.bias(1, past + 1, past)[0].tolist(), abs=1e-4)
        assert row["T5 buckets"] == [f"b[{int(b)}]" for b in buckets.bias(1, past + 1, past)[0]]
        first = ShawVectors(1, 4, clip=1).key_vectors(1, past + 1, past).first
        rows = np.clip(np.arange(past + 1) + first, 0, 2) - 1
        assert row["Shaw"] == [f"a[{r}]".replace("-", "−") for r in rows]
        assert texts(grid)[past][: past + 1] == list(row.values())[scheme]
        assert words.startswith(f"{past + 1} new score")


def test_only_the_rows_that_were_read_are_filled():
    (grid, every), _ = frames(figures.decoding_step(tokens=[*TOKENS, "today"]))[4, 2]
    assert [[bool(text) for text in line] for line in texts(grid)] == (np.tri(6) * (np.arange(6) < 3)[:, None]).tolist()
    assert every[2][1] == ["The", "cat", "sat"]


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"scheme": "Swin"}, "scheme='Swin': expected one of the stops"),
        ({"past": 5}, "past=5: expected one of the stops"),
        ({"tokens": ["one"]}, "expected a list of 2 to 8 words"),
        ({"tokens": "cat"}, "tokens='cat': expected a list"),
        ({"clip": -1}, "clip=-1: expected a whole number"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.decoding_step(**wrong)
