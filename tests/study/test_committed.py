"""Where committed results come from: their plan, and runs that give them again."""

import pytest

import course_study as study
from course_study.__main__ import planned


@pytest.mark.parametrize("name", [*study.PRESETS, "two_layers"])
def test_the_committed_results_are_those_that_the_command_plans(name):
    rows, plan = keys(study.committed(name)), keys(run.inputs for run in planned(name))
    missing = set(plan) - set(rows)
    assert rows == [one for one in plan if one not in missing]
    assert all('"fire"' in one for one in missing)  # a text of 1,024 tokens takes FIRE an hour: one seed, one task


def keys(rows):
    """Of which runs the rows are, whichever help texts they read: those of another Python are others."""
    return sorted(study.key({**row, "text": None}) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["alibi", "t5-64", "transformer-xl", "rope"])
def test_a_committed_run_comes_out_again(scheme):
    (row,) = study.pick(study.committed("quick"), task="copy-back", scheme=scheme, seed=0)
    again = study.run(study.Settings(), "copy-back", scheme, 0)
    # On the same kind of processor to the last digit; another one rounds otherwise, and 300 steps carry that on.
    assert again["loss"] == pytest.approx(row["loss"], abs=0.15, rel=0.3)
