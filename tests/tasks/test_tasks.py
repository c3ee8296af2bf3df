"""Every task of every chapter: what is right passes, what is wrong is refused, known mistakes get their own words."""

import numpy as np
import pytest

from course_chapters import FOLDER
from course_kit.checking import CodingTask, Exercise, Prediction
from course_kit.checking.difference import first_difference
from course_kit.checking.spec import attempt
from tools.notebook import defined, prepared
from tools.page import wrong_ones
from tools.transcript import exercises

from .. import ROOT

FURTHER = range(1000, 1040)  # seeds of the draws in which an unnoticed change must agree with the expected
EXERCISES = exercises()


def every(*kinds):
    chosen = {name: task for name, task in EXERCISES.items() if isinstance(task, kinds)}
    return pytest.mark.parametrize("task", chosen.values(), ids=chosen)


# ---------------------------------------------------------------- all exercises


def test_every_page_is_named_among_the_tasks_of_its_chapter():
    """A file of an exercise has its hints; another file beside it has what they share."""
    files = [path for path in FOLDER.glob("*/tasks/*.py") if "\nHINTS = " in path.read_text(encoding="utf-8")]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files}
    assert modules == {task.module for task in EXERCISES.values()}


@every(Exercise)
def test_the_stub_is_not_attempted(task):
    for given in (defined(task.stub(), task.name, prepared(task)), None, ...):
        result = task.check(given)
        assert result.status == "not attempted", result


@every(Exercise)
def test_the_published_solution_passes(task):
    given = defined(task.solution_source(), task.name, prepared(task))
    result = task.check(given)
    assert result.passed, result


@every(CodingTask, Prediction)
def test_what_is_wrong_on_the_page_has_its_message(task):
    """An author writes at least five; a learner who gives one reads its message."""
    found = list(wrong_ones(task))
    assert len(found) >= 5
    unread = [(one, words) for mark, one, words in found if mark == "✗" and not words.startswith("read: ")]
    assert not unread and not [one for _, one, _ in found if "UnboundLocalError" in one]


# ---------------------------------------------------------------- functions to write


@every(CodingTask)
def test_a_bug_hunt_has_a_bug(task):
    assert task.starter is None or attempt(task.spec, task.starter).first is not None


@every(CodingTask)
@pytest.mark.parametrize("form", ["list", "float32", "torch", "leading axis"])
def test_other_forms_of_the_right_result_pass(task, form):
    torch = pytest.importorskip("torch") if form == "torch" or task.spec.tensors else None
    wants_tensors = task.spec.outcome(task.spec.solution, 0).tensor
    change = {
        "list": lambda x: np.asarray(x).tolist(),
        "float32": lambda x: np.float32(np.asarray(x)),
        "torch": lambda x: torch.asarray(np.asarray(x)),
        "leading axis": lambda x: np.asarray(x)[None],
    }[form]

    def given(*args, **kwargs):
        result = task.spec.solution(*args, **kwargs)
        if wants_tensors and form != "list":
            return {"float32": result.float(), "torch": result, "leading axis": result[None]}[form]
        return tuple(map(change, result)) if task.spec.returns else change(result)

    result = task.check(given)
    unfit = (wants_tensors and form == "list") or (task.spec.index and form == "float32")
    assert result.status == ("wrong type" if unfit else "passed"), result


@every(CodingTask)
def test_what_is_expected_has_every_property_and_does_not_come_from_the_solution(task):
    assert task.spec.solution.__name__ not in task.spec.expected.__code__.co_names
    for k, outputs in enumerate(task.spec.right):
        assert task.spec.broken(k, outputs) == "", (task.spec.all_cases[k], task.spec.properties)


@pytest.mark.slow
@every(CodingTask)
def test_small_changes_to_the_solution_are_noticed(task, monkeypatch):
    """With the changes that the rules of the checks make, 60 of all at equal steps; what passes is as right."""
    monkeypatch.setattr(task.spec, "seconds", 1.0)  # enough for all but those without an end
    made = task.wrong_programs.made_by_rules
    tried = [(done, attempt(task.spec, function)) for done, function in made[:: len(made) // 60 + 1]]
    monkeypatch.setattr(task.spec, "seconds", 60.0)  # what has passed has an end, however busy the machine is
    passed = [(done, one.function) for done, one in tried if one.first is None and one.complete]
    assert not [done for done, function in passed if not agrees(task.spec, function)]


def agrees(spec, function):
    """Whether a function that passed also agrees with what is expected in many further random cases."""
    cases = [spec.random_case(seed) for seed in FURTHER] if spec.draw else []
    values = [outcome.value for outcome in spec.run(function, cases).outcomes] if cases else []
    return len(values) == len(cases) and not any(
        value is None or first_difference(value, spec.right_outputs(case), ()) for value, case in zip(values, cases)
    )
