"""The guide: each situation is whole, its words are what was measured, and what it does not know has no verdict."""

import re

import numpy as np
import pytest

from course_chapters import tasks_of, topics
from course_chapters.measured import BITS, COMPARED, NAMES, losses, repaired
from course_chapters.which_one import guide
from course_chapters.which_one.situations import NEW, SITUATIONS, TARGET, YARN, smol
from course_lib.reference.t5 import bucket_starts
from course_lib.schemes import SCHEMES

ADVICE = {heading: advice for situations in SITUATIONS.values() for heading, advice in situations.items()}
TASKS = {name for topic in topics() for name in tasks_of(topic)}


@pytest.mark.parametrize("heading", ADVICE)
def test_a_situation_is_whole(heading):
    advice, said = ADVICE[heading], ADVICE[heading]._asdict()
    assert all(said[field] for field in ("take", "why", "costs", "unless", "test"))
    grounds = {field for field in ("computed", "released", "small", "paper") if said[field]}
    assert grounds - {"small"} or "tiny" in heading  # small models alone decide about small models only
    assert all(text.endswith(".") for text in said.values() if text)
    assert heading not in NEW or any(scheme in advice.take.replace("Axial", "axial") for scheme in SCHEMES)
    assert set(re.findall(r"`([a-z_]+)`", advice.test)) <= TASKS


def test_the_small_models_show_what_is_said_of_them():
    """With every pair of seeds, so that it is no chance."""

    def right(run, task=NAMES):
        return losses(run, task, what="accuracy")[:, -1]

    assert right("window-64+none").min() > 0.95 > 0.65 > max(right("window-64+rope").max(), right("rope+none").max())
    rise = {run: np.ptp(losses(run)[:, [0, -1]], axis=1) for run in ("window-64+none", "window-64+rope", "rope+none")}
    assert max(rise.pop("window-64+none")) < 0.05 < 1 < min(map(min, rise.values()))  # "each needs the other"
    for better in ("t5-64", "transformer-xl", "fox"):  # "they speak against it"
        assert losses(better)[:, 0].max() < losses("rope")[:, 0].min()
    for taken in ("transformer-xl", "fox"):  # "among the lowest", and level
        assert losses(taken)[:, -1].mean() < min(losses(run)[:, -1].mean() for run in COMPARED) + 0.01
        assert np.ptp(losses(taken)[:, [0, -1]], axis=1).max() < 0.05
    assert right("transformer-xl").min() > 0.9 > 0.5 > right("fox").max()  # what each of them is taken for
    assert right("fox", BITS).min() > max(right(run, BITS).max() for run in ("transformer-xl", "window-64+none"))
    assert abs(repaired("as trained", 600, 1024)[-1] - repaired(YARN, 600, 1024)[-1]) < 0.02  # "as well without any"


def test_the_last_buckets_of_t5():
    """In its first training, many pairs of an input reach the encoder's, and one pair of a target the decoder's."""
    encoder, decoder = (bucket_starts(bidirectional=both)[-1] for both in (True, False))
    assert TARGET - decoder == 1 and (512 - encoder) * (513 - encoder) / 2 > 80_000


def test_yarn_is_no_better_than_hiding_across_the_gap():
    hidden = [row["difference"] for row in smol("gaps", "first half hidden")]
    yarn = [row["difference"] for row in smol("gaps", "YaRN 4, gap 16384")]
    assert len(hidden) == len(yarn) == 4 and np.mean(yarn) > np.mean(hidden)
    for size, finds in {12_000: True, 16_384: False, 20_000: True}.items():  # "finds no key", "it finds all"
        assert all(row["right"] == finds for row in smol("pass keys", f"gap {size}, YaRN 4"))


def test_what_is_asked_is_shown_and_the_rest_has_no_verdict():
    whole = guide.ask()._repr_html_()
    assert whole.count("<details>") == len(ADVICE) and all(f">{group}</p>" in whole for group in SITUATIONS)
    assert "<details open>" in guide.ask("SmolLM2")._repr_html_()
    assert guide.ask("padded", "left").alt.count("padded on the left") == 1
    taken = guide.ask("fox")  # a scheme by its name
    assert "a tiny decoder" in taken.alt and "Llama" not in taken.alt
    assert "a tiny decoder" in guide.ask("Transformer-XL").alt
    assert guide.ask("FIRE").alt.startswith("No verdict on FIRE")
    nobody = guide.ask("Mamba")._repr_html_()
    assert "no situation is about “Mamba”" in nobody and "<details" not in nobody
