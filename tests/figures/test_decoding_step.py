"""The decoding picture's static body: the new row that each scheme's own module gives, and refusals."""

import re

import pytest
import torch

from course_lib import figures
from course_lib.example import TOKENS
from course_lib.figures.decoding_step import SCHEMES, entry, new_row
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias

from .test_figures import static


def test_the_new_row_is_the_one_the_modules_give():
    for step in range(5):
        n_k = step + 1
        for name, module in {"log decay": DecayBias(0.3), "ALiBi": ALiBi(2)}.items():
            numbers = module.bias(1, n_k, step)[0]
            assert [float(text.replace("−", "-")) for text in new_row(name, step)] == pytest.approx(
                numbers.tolist(), abs=1e-4
            )
        t5 = T5Bias(1, bidirectional=False)
        with torch.no_grad():
            t5.table[:, 0] = torch.arange(32.0)
        buckets = t5.bias(1, n_k, step)[0].int().tolist()
        assert new_row("T5 buckets", step) == [f"b[{bucket}]" for bucket in buckets]
        first = ShawVectors(1, 4, clip=2).key_vectors(1, n_k, step).first
        rows = [min(max(column + first, 0), 4) - 2 for column in range(n_k)]
        assert new_row("Shaw", step) == [f"a[{r}]".replace("-", "−") for r in rows]


def test_the_body_shows_done_new_and_to_come():
    text = static(figures.decoding_step("T5 buckets", 2))
    assert text.count("sat (new)") == 1 and "mat (new)" not in text
    assert ">b[2]</td>" in text and ">b[3]</td>" not in text, "rows to come are empty"
    for name in SCHEMES:
        assert f">{name}</th>" in text and f">{entry(name, 2)}</td>" in text
    assert len(re.findall(r"background-color:#f0f2f4", text)) == 2, "two rows are done"
    assert "past = 2: query sat meets 3 keys, 2 of them from the cache" in figures.decoding_step("T5 buckets", 2).alt
    assert "meets 1 key, 0 of them" in figures.decoding_step("RoPE", 0).alt


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"scheme": "Swin"}, "scheme='Swin': expected one of 'log decay'"),
        ({"step": 5}, "step=5: expected a whole number from 0 to 4"),
        ({"tokens": ["one"]}, "expected a list of 2 to 8 words"),
        ({"tokens": "cat"}, "tokens='cat': expected a list"),
        ({"clip": -1}, "clip=-1: expected a whole number"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.decoding_step(**wrong)


def test_other_tokens_and_another_clip():
    text = static(figures.decoding_step("Shaw", 3, [*TOKENS, "today"], clip=1))
    assert ">today</th>" in text and ">a[−1]</td>" in text and ">a[−2]</td>" not in text
