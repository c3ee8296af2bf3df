"""What “Longer than training” says holds for every seed, in a smaller study; and where committed results come from."""

from dataclasses import replace

import pytest

from course_lib import study
from course_lib.study import convergence
from course_lib.study.results import COMMITTED as COMMITTED_FOLDER

SMALL = study.Settings(length=32, steps=150, test_texts=32)  # tests at 32, 64, 128, 256
GUESSING = 2.77  # ln 16


def learned(loss):
    """Solved at the length it was trained at."""
    return loss[0] < 0.05


SAID = {  # by scheme, of the losses of copy-back at the four lengths
    "t5-64": lambda loss: learned(loss) and loss[3] > 2,  # its far buckets are untrained
    "t5-20": lambda loss: learned(loss) and loss[3] < 1.2,  # its last bucket is trained, and far keys share it
    "transformer-xl": lambda loss: learned(loss) and loss[3] < 0.05,
    "rope": lambda loss: learned(loss) and loss[3] > 2,
    "alibi": lambda loss: 1 < loss[0] < loss[3] < loss[0] + 0.4 < GUESSING,  # level, not good
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scheme", SAID)
def test_what_holds_for_every_seed(scheme, seed):
    loss = study.run(SMALL, "copy-back", scheme, seed)["loss"]
    assert SAID[scheme](loss), loss


QUICK, LONG = study.PRESETS["quick"], study.PRESETS["long"]
TEXT, LENGTH = ["characters"], LONG.length
COMMITTED = {
    "quick": (QUICK, list(study.QUICK), [*study.compared(LENGTH), *(s for s in study.later(LENGTH) if s != "fire")]),
    "ablation": (LONG, TEXT, study.ablation()),
    "p-rope": (LONG, ["characters", "copy-back"], ["p-rope-0.5", "p-rope-0.25"]),
    "table-rate-1": (replace(LONG, table_rate=1.0), TEXT, ["t5-256", "t5-64"]),
}


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_results_are_complete_and_of_their_settings(name):
    settings, tasks, schemes = COMMITTED[name]
    rows = study.committed(name)
    found = {(row["task"], row["scheme"], row["seed"]) for row in rows}
    assert found == set(study.plan(tasks, schemes, seeds=3)) and len(rows) == len(found)
    assert all(row["settings"] == settings.as_json() for row in rows)


def test_the_long_study_may_be_unfinished_but_every_run_is_of_its_settings():
    schemes = [*study.compared(LENGTH), *study.later(LENGTH)]
    budgets = convergence.read(COMMITTED_FOLDER)
    assert budgets
    for steps, rows in budgets.items():
        found = [(row["task"], row["scheme"], row["seed"]) for row in rows]
        assert len(found) == len(set(found)) and set(found) <= set(study.plan(list(study.TASKS), schemes, seeds=3))
        assert all(row["settings"] == replace(LONG, steps=steps).as_json() for row in rows)


@pytest.mark.slow
def test_a_committed_run_comes_out_again():
    (row,) = study.pick(study.committed("quick"), task="copy-back", scheme="alibi", seed=0)
    again = study.run(study.PRESETS["quick"], "copy-back", "alibi", 0)
    # On the same kind of processor to the last digit; another one rounds otherwise, and 300 steps carry that on.
    assert again["loss"] == pytest.approx(row["loss"], abs=0.15)
