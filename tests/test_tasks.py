"""Every task of every chapter: what is right passes, what is wrong is refused, known mistakes get their own words."""

import linecache
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from course_lib.tasks import chapters, tasks_of
from course_lib.tasks.ch11.learned_hook import LearnedHook
from course_lib.tasks.engine import Answer, Exercise, Task
from course_lib.tasks.engine.judge import judge

from .imports import ROOT, digest, needed
from .mutants import mutants

FURTHER = range(1000, 1040)  # seeds of the draws in which an unnoticed mutant must agree with the expected
EXERCISES = {f"{chapter}.{name}": one for chapter in chapters() for name, one in tasks_of(chapter).items()}


def every(kind):
    return pytest.mark.parametrize(
        "task", [pytest.param(t, id=name) for name, t in EXERCISES.items() if isinstance(t, kind)]
    )


def defined(text, name, scope):
    """What `text` defines under `name`; its lines can be shown, as those of a notebook cell can."""
    file = f"<{name} {hash(text)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope = dict(scope)
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def prepared(task):
    """The names that the first cell of the chapter's exercises makes."""
    scope = {}
    exec(vars(__import__(task.home.__module__.rpartition(".")[0], fromlist=["PREPARE"])).get("PREPARE", ""), scope)
    return scope


# ---------------------------------------------------------------- all exercises


@every(Exercise)
def test_hints_come_in_order_and_the_last_one_stays(task, monkeypatch):
    monkeypatch.setattr(task, "_shown", 0)
    shown = [task.hint().text for _ in range(len(task.hints) + 1)]
    assert shown == [*task.hints, task.hints[-1]]


@every(Exercise)
def test_the_stub_is_not_attempted(task):
    given = defined(task.stub(), task.name, prepared(task))
    result = task.check(given)
    assert result.status == "not attempted", result


@every(Exercise)
@pytest.mark.parametrize("nothing", [None, ...])
def test_nothing_is_not_attempted(task, nothing):
    assert task.check(nothing).status == "not attempted"


@every(Exercise)
def test_the_published_solution_passes(task):
    given = defined(task.solution_source(), task.name, prepared(task))
    result = task.check(given)
    assert result.passed, result


# ---------------------------------------------------------------- functions to write


@every(Task)
def test_solution_and_alternatives_pass(task):
    for function in (task.right, *task.alternatives):
        result = task.check(function)
        assert result.passed, result
    if task.expected:
        assert task.right.__name__ not in task.expected.__code__.co_names, "expected must not come from the solution"


@every(Task)
@pytest.mark.parametrize("form", ["list", "float32", "torch", "leading axis"])
def test_other_forms_of_the_right_result_pass(task, form):
    torch = pytest.importorskip("torch") if form == "torch" or task.tensors else None
    change = {
        "list": lambda x: np.asarray(x).tolist(),
        "float32": lambda x: np.float32(np.asarray(x)),
        "torch": lambda x: torch.asarray(np.asarray(x)),
        "leading axis": lambda x: np.asarray(x)[None],
    }[form]

    def given(*args, **kwargs):
        result = task.right(*args, **kwargs)
        if task.hook and form != "list":  # as tensors, through which gradients get
            return {"float32": result.float(), "torch": result, "leading axis": result[None]}[form]
        return tuple(map(change, result)) if task.returns else change(result)

    result = task.check(given)
    if isinstance(task, LearnedHook) and form == "leading axis":
        assert "no axis for a batch" in result.cause
        return
    assert result.passed or (task.hook and form == "list" and result.status == "wrong type"), result


@every(Task)
def test_what_is_expected_has_every_property(task):
    for k, case in enumerate(task.all_cases if task.expected else ()):
        assert task.broken(k, task.right_parts(case)) == "", (case, task.properties)


@every(Task)
def test_each_known_mistake_gets_its_own_message(task):
    """Two mistakes that agree in all cases would get the same message, so this keeps them apart too.

    A bug hunt's own bug is not attempted as long as the code is untouched; written anew, it gets its message.
    """
    assert len(task.mistakes) >= 5
    assert len({mistake.message for mistake in task.mistakes}) == len(task.mistakes)
    for mistake in task.mistakes:
        wrong = task.variant(mistake)
        if task.given and task.check(wrong).status == "not attempted":
            result = task.check(lambda *args, wrong=wrong: wrong(*args))
        else:
            result = task.check(wrong)
        assert not result.passed and result.cause == mistake.message, (mistake, result)


@every(Task)
def test_mutants_are_noticed_and_most_of_them_explained(task, record_property, monkeypatch, cache, request):
    """An error shown with its line counts as rejected only: what is explained has a cause, in words.

    The one exception is the bug of a bug hunt put back: that it was not mended yet is all there is to say.
    What came out is kept until something that it depends on changes; only a test that passes gets so far as to keep it.
    """
    key, now = f"course/mutants/{request.node.callspec.id}", digest(depends_on(task), *VERSIONS)
    then, found = cache.get(key, None) or (None, None)
    if then != now:
        found = outcome_of_mutants(task, monkeypatch)
    record_property("table: what the checks make of small changes to the solutions", found["row"])
    assert not found["unnoticed"], "these change the result and pass"
    assert not found["unlined"], "an error is shown with the learner's line"
    assert found["share"] >= 0.6, found["unexplained"]
    cache.set(key, (now, found))


VERSIONS = (sys.version, *map(version, ("numpy", "torch")))


def depends_on(task):
    """The files that decide what a task's check makes of its mutants."""
    here, data = Path(__file__).resolve(), ROOT.glob("course_lib/study/committed/*")
    return {*needed(task.origin()[0].resolve(), here.with_name("mutants.py")), here, *data}


def outcome_of_mutants(task, monkeypatch):
    """What the check of a task makes of every mutant of its solution, as plain data."""
    made = mutants(task.solution_source())
    assert len({mutant.name for mutant in made}) == len(made)
    functions = {mutant.name: defined(mutant.source, task.name, task.right.__globals__) for mutant in made}
    monkeypatch.setattr(task, "seconds", 1.0)  # enough for all but those without an end
    results = {name: task.check(function) for name, function in functions.items()}
    monkeypatch.setattr(task, "seconds", 60.0)  # what has passed has an end, however busy the machine is
    passed = [name for name, result in results.items() if result.passed]
    equivalent = [name for name in passed if agrees(task, functions[name])]
    wrong = {name: result for name, result in results.items() if name not in equivalent}
    unnoticed = [name for name in passed if name not in equivalent]
    known = [name for name, result in wrong.items() if result.known]
    explained = [name for name, result in wrong.items() if result.cause or result.status == "not attempted"]
    shown = [name for name, result in wrong.items() if result.code and not result.cause]
    share = len(explained) / len(wrong)
    row = {
        "task": task.name, "mistakes": len(task.mistakes), "mutants": len(made), "equivalent": len(equivalent),
        "rejected": len(wrong) - len(unnoticed), "cause named": len(explained), "known": len(known),
        "error and line": len(shown), "share": f"{share:.0%}",
    }  # fmt: skip
    return {
        "row": row,
        "unnoticed": unnoticed,
        "unlined": [name for name, result in wrong.items() if result.status == "raised" and not result.code],
        "share": share,
        "unexplained": [f"{name}\n{result}" for name, result in wrong.items() if not result.cause],
    }


def agrees(task, function):
    """Whether a function that passed also agrees with what is expected in many further random cases."""
    cases = [task.random_case(seed) for seed in FURTHER] if task.draw else []
    done = task.outcomes(function, cases) if cases else None
    if done is None:
        return True
    values = [outcome.value for outcome in done.outcomes]
    return len(values) == len(cases) and not any(
        value is None or judge(value, task.right_parts(case), ()) for value, case in zip(values, cases)
    )


@every(Task)
def test_the_same_seed_draws_the_same_case(task):
    if task.draw:
        assert repr(task.random_case(7).args) == repr(task.random_case(7).args)


# ---------------------------------------------------------------- answers to commit to


@every(Answer)
def test_the_right_answer_passes_and_each_wrong_one_gets_its_own_message(task):
    assert task.check(task.expected()).passed
    assert len(task.options) + len(task.mistakes) >= 5
    for choice, message in task.options.items():
        assert task.check(choice).cause == message
    for mistake in task.mistakes:
        wrong = mistake.what[0]
        if isinstance(wrong, dict):
            wrong = {**task.expected(), **wrong}
        result = task.check(wrong)
        assert not result.passed and result.cause == mistake.message, (mistake, result)


@every(Answer)
@pytest.mark.parametrize(
    "odd",
    [object(), [[1, 2], [3]], {"something else": 1}, print, [0.0] * 17],
    ids=["object", "ragged", "dict", "function", "17"],
)
def test_another_kind_of_thing_is_told_so(task, odd):
    result = task.check(odd)
    assert result.status == "wrong type" and result.facts and not result.cause, result
