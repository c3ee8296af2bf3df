"""What a learner's code does besides answering: writing into arguments, printing, warning."""

import numpy as np
import pytest

from course_kit.checking import Case

from .common import SLOPE, _centred, array_task, right, slope_task


def test_writing_into_an_argument_passes_with_a_note_and_spoils_nothing():
    shared = np.array([1.0, 2.0, 6.0])
    task = array_task(_centred, cases=[Case(shared), Case(shared)], returns=("rest", "mean"))

    def in_place(x):
        mean = x.mean()
        x -= mean
        return x, mean

    result = task.check(in_place)
    assert result.passed and "writes into its argument `x`" in repr(result)
    assert shared.tolist() == [1.0, 2.0, 6.0]
    assert not task.check(task.spec.solution).notes


@pytest.mark.parametrize("spoil", [lambda runs: runs["b"].sort(), lambda runs: runs.clear()])
def test_writing_into_what_an_argument_holds_is_noticed(spoil):
    def _longest(runs):
        """The length of the longest."""
        return max(map(len, runs.values()))

    def spoiling(runs):
        found = _longest(runs)
        spoil(runs)
        return found

    runs = {"a": [2.0], "b": [3.0, 1.0]}
    task = array_task(_longest, cases=[Case(runs)])
    assert "writes into its argument `runs`" in repr(task.check(spoiling))
    assert runs == {"a": [2.0], "b": [3.0, 1.0]} and not task.check(_longest).notes


def test_a_million_printed_lines_become_one_sentence(capsys):
    def talks(n, strength):
        for k in range(1_000_000 // 6 + 1):
            print(k)
        return right(n, strength)

    result = slope_task(seconds=20.0).check(talks)
    assert result.passed and "1,000,002 lines in all cases together; the first 3: 0 ⏎ 1 ⏎ 2" in repr(result)
    assert capsys.readouterr() == ("", "")
    assert len(repr(result)) < 300


def test_warnings_stay_out_of_sight(recwarn):
    def divides(n, strength):
        with np.errstate(all="warn"):
            np.ones(2) / np.zeros(2)
        return right(n, strength)

    assert SLOPE.check(divides).passed
    assert not list(recwarn)
