"""Every task of every chapter: what is right passes, what is wrong is refused, known mistakes get their own words."""

import numpy as np
import pytest

from course_kit.checking import CodingTask, Exercise, Prediction
from course_kit.checking.difference import first_difference
from course_tasks import tasks_of, topics

from .mutants import mutants
from .notebook import defined, prepared

FURTHER = range(1000, 1040)  # seeds of the draws in which an unnoticed mutant must agree with the expected
EXERCISES = {f"{chapter}.{name}": one for chapter in topics() for name, one in tasks_of(chapter).items()}


def every(kind):
    return pytest.mark.parametrize(
        "task", [pytest.param(t, id=name) for name, t in EXERCISES.items() if isinstance(t, kind)]
    )


# ---------------------------------------------------------------- all exercises


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


# ---------------------------------------------------------------- functions to write


@every(CodingTask)
def test_the_solution_passes(task):
    solution, expected = task.spec.solution, task.spec.expected
    result = task.check(solution)
    assert result.passed, result
    if expected:
        assert solution.__name__ not in expected.__code__.co_names, "expected must not come from the solution"


@every(CodingTask)
@pytest.mark.parametrize("form", ["list", "float32", "torch", "leading axis"])
def test_other_forms_of_the_right_result_pass(task, form):
    torch = pytest.importorskip("torch") if form == "torch" or task.spec.tensors else None
    change = {
        "list": lambda x: np.asarray(x).tolist(),
        "float32": lambda x: np.float32(np.asarray(x)),
        "torch": lambda x: torch.asarray(np.asarray(x)),
        "leading axis": lambda x: np.asarray(x)[None],
    }[form]

    def given(*args, **kwargs):
        result = task.spec.solution(*args, **kwargs)
        if task.spec.hook and form != "list":  # as tensors, through which gradients get
            return {"float32": result.float(), "torch": result, "leading axis": result[None]}[form]
        return tuple(map(change, result)) if task.spec.returns else change(result)

    result = task.check(given)
    unfit = (task.spec.hook and form == "list") or (task.spec.index and form == "float32")
    assert result.status == ("wrong type" if unfit else "passed"), result


@every(CodingTask)
def test_what_is_expected_has_every_property(task):
    for k, outputs in enumerate(task.spec.right if task.spec.expected else ()):
        assert task.spec.broken(k, outputs) == "", (task.spec.all_cases[k], task.spec.properties)


@every(CodingTask)
def test_every_wrong_program_has_its_message(task):
    """Each written program is wrong, and the check answers with its message."""
    programs = task.wrong_programs
    assert len(programs.written) >= 5
    for message, program in programs.written:
        result = task.check(lambda *args, program=program: program(*args))
        assert not result.passed and message in result.cause, (message, result)
        assert not any("UnboundLocalError" in fact for fact in result.facts), (message, result)


@pytest.mark.slow
@every(CodingTask)
def test_mutants_are_noticed_and_most_of_them_explained(task, record_property, monkeypatch):
    """An error is shown with its line, and of the wrong results at least 80 % get a cause that was written for them."""
    made = {mutant.name: mutant.source for mutant in mutants(task.solution_source())}
    functions = {name: defined(source, task.name, task.source.globals) for name, source in made.items()}
    monkeypatch.setattr(task.spec, "seconds", 1.0)  # enough for all but those without an end
    results = {name: task.check(function) for name, function in functions.items()}
    monkeypatch.setattr(task.spec, "seconds", 60.0)  # what has passed has an end, however busy the machine is
    passed = [name for name, result in results.items() if result.passed]
    unnoticed = [name for name in passed if not agrees(task.spec, functions[name])]
    assert not unnoticed, "these change the result and pass"
    wrong = {name: result for name, result in results.items() if not result.passed}
    unlined = [name for name, result in wrong.items() if result.status == "raised" and not result.code]
    assert not unlined, "an error is shown with the learner's line"
    valued = {name: result for name, result in wrong.items() if result.status != "raised"}
    unnamed = {name: result for name, result in valued.items() if not result.known}
    row = {"task": task.name, "mutants": len(made), "equivalent": len(passed), "raised": len(wrong) - len(valued)}
    row |= {"wrong": len(valued), "named": f"{1 - len(unnamed) / len(valued):.0%}"}
    record_property("table: what the checks make of small changes to the solutions", row)
    assert len(unnamed) <= 0.2 * len(valued), unnamed


def agrees(spec, function):
    """Whether a function that passed also agrees with what is expected in many further random cases."""
    cases = [spec.random_case(seed) for seed in FURTHER] if spec.draw else []
    values = [outcome.value for outcome in spec.run(function, cases).outcomes] if cases else []
    return len(values) == len(cases) and not any(
        value is None or first_difference(value, spec.right_outputs(case), ()) for value, case in zip(values, cases)
    )


# ---------------------------------------------------------------- answers to commit to


@every(Prediction)
def test_the_right_answer_passes_and_each_wrong_one_gets_its_own_message(task):
    assert task.check(task.expected()).passed
    assert len(task.wrong_answers) >= 5
    for values, message in task.wrong_answers:
        whole = {**task.expected(), **values} if isinstance(task.expected(), dict) else values[""]
        result = task.check(whole)
        assert not result.passed and result.cause == message, (message, result)


@every(Prediction)
@pytest.mark.parametrize(
    "odd",
    [object(), [[1, 2], [3]], {"something else": 1}, print, [0.0] * 17],
    ids=["object", "ragged", "dict", "function", "17"],
)
def test_another_kind_of_thing_is_told_so(task, odd):
    result = task.check(odd)
    assert result.status == "wrong type" and result.facts and not result.cause, result
