"""Why an attempt is wrong: a wrong program that does the same, or else what narrows it down."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import same
from ..axes import named
from ..difference import Pair
from ..error_hints import explain_error
from ..solution_source import source_of
from ..spec import Attempt
from .matching import finite, first_of, matching
from .relations import FINISHES, WEAK, common, not_finite, shapes, undone, whole, zeros
from .two_slips import OF_ONE_SLIP
from .unread import unread
from .wrong_lines import WrongPrograms


@dataclass(frozen=True)
class Diagnosis:
    """The cause in words, or ""; `named` if it says what was done, and not only where the result is wrong.

    `case` is the case that the cause is about, if it is not the first wrong one.
    """

    status: str
    cause: str = ""
    named: bool = False
    case: int | None = None


def diagnose(tried: Attempt, wrong: WrongPrograms) -> Diagnosis:
    """The most telling cause that is true in every case; or else of the case that is shown; or what narrows it down."""
    status = tried.difference.status
    stopped = tried.run.stopped  # a later case has no result, so nothing can be said of all
    if not stopped and (cause := in_every_case(tried, wrong)):
        return Diagnosis(status, cause, named=True)
    cause = in_this_case(tried, wrong)
    found = Diagnosis(status, cause, named=True) if cause else narrowed(tried)
    return found if stopped else besides(tried, found)


def in_every_case(tried: Attempt, wrong: WrongPrograms) -> str:
    """What explains all cases, or ""; the first of these that does says most."""
    return (
        " Or: ".join(matching(tried, wrong.written, most=2))
        or "".join(matching(tried, wrong.starter))
        or never_read(tried, wrong)
        or finish(tried)
        or one_change(tried, wrong.line(tried) or wrong.numbers(tried))
        or "".join(matching(tried, wrong.two_at_once))
        or written_and_finished(tried, wrong)
    )


def in_this_case(tried: Attempt, wrong: WrongPrograms) -> str:
    """What explains the case that is shown, where nothing explains all; or "" if it may be more than two things."""
    k = tried.first or 0
    if tried.difference.status not in ("wrong shape", "wrong values"):
        return ""  # many slips end in the same error
    spec = replace(tried.spec, cases=[tried.spec.all_cases[k]], draw=None, axes=tried.spec.axes_of(k))
    done = replace(tried.run, outcomes=[tried.run.outcomes[k]])
    alone = Attempt(spec, tried.function, done, (tried.differences[k],))
    causes = matching(alone, wrong.written, most=3) or list(filter(None, [finish(alone)]))
    return f"In this case: {' Or: '.join(causes)}" if 0 < len(causes) < 3 else ""


def besides(tried: Attempt, found: Diagnosis) -> Diagnosis:
    """A cause that does not explain every case, and with it an argument that is never read and matters in another."""
    wrong = [k for k, difference in enumerate(tried.differences) if difference]
    for name in unread(tried, wrong) if found.cause and found.status != "raised" else ():
        return replace(found, cause=f"{found.cause} Besides, your code never reads `{name}`.", named=True)
    return found


def one_change(tried: Attempt, said: str) -> str:
    """The sentence about a program that differs from the solution in one expression, after what is plain to see."""
    first = tried.difference
    if not said:
        return ""
    if first.status == "raised":
        return f"{explain_error(first.facts[-1])} {said}".strip()
    seen = common((shapes,), pairs_of(tried, first.part, first.status)) if first.status == "wrong shape" else ""
    return f"{seen} {said}".strip()


def finish(tried: Attempt) -> str:
    """What was done to the right result, in every case where something is wrong; or "".

    Of several results, the first wrong one is looked at, then the others: weights tell more than their mixture. Cases
    with nan are left out if they are the smaller part.
    """
    first = tried.difference
    if first.pair is None or first.pair.words:
        return ""
    if first.status == "wrong shape":
        return common((undone,), pairs_of(tried, first.part, first.status))
    for part in (first.part, *(other for other in tried.spec.returns if other != first.part)):
        pairs = pairs_of(tried, part, "wrong values")
        usable = [pair for pair in pairs if not not_finite(pair)]
        pairs = usable if len(usable) > len(pairs) / 2 else pairs
        cut = bool(common((whole,), pairs))
        if said := unfilled(tried, common((zeros,), pairs), cut) or common(FINISHES, pairs):
            return said if part == first.part else f"{part}: {said}"
    return ""


def written_and_finished(tried: Attempt, wrong: WrongPrograms) -> str:
    """A program of the author, and what was done to its result in every case, such as another sign; or ""."""
    usable = ((message, program) for message, program in wrong.written if not OF_ONE_SLIP.search(message))
    causes = (f"{message} With that repaired: {done}" for message, it in usable if (done := done_to(tried, it)))
    return "".join(first_of(causes))


def done_to(tried: Attempt, program: Callable) -> str:
    """What was done to one part of the result of a wrong program, in every case; the others are as it has them."""
    spec, yours = tried.spec, tried.run.outcomes
    part, left = "", None
    for k in sorted(range(len(yours)), key=lambda k: k != tried.first):  # most programs end at the one that is shown
        mine, theirs = yours[k].value or {}, spec.outcome(program, k).value or {}
        if not mine or mine.keys() != theirs.keys():
            return ""
        unlike = [name for name in mine if not same(mine[name], theirs[name])]
        part = unlike[0] if left is None and unlike else part
        if part not in mine or any(name != part for name in unlike) or mine[part].dtype.kind not in "iuf":
            return ""
        axes = named(spec.axes_of(k), part, theirs[part].ndim)
        with np.errstate(all="ignore"):
            said = list(undone(Pair(mine[part], theirs[part], axes, spec.numbers(k))))
        left = said if left is None else [one for one in left if one in said]
        if not left:
            return ""
    return f"{part}: {left[0]}" if part and left else left[0] if left else ""


def unfilled(tried: Attempt, said: str, cut: bool) -> str:
    """That a part of the result is 0, and a question that fits the learner's own code; or "" if nothing is said.

    If `cut`, the result is of whole numbers, and the right one is not.
    """
    nodes = list(ast.walk(ast.parse(source_of(tried.function))))
    loops = [node for node in nodes if isinstance(node, (ast.For, ast.While))]
    if any(isinstance(node, ast.Return) for loop in loops for node in ast.walk(loop)):
        why = "Is the `return` indented too far?"
    elif cut:
        why = "Is this ever filled, or does an array with `dtype=int` cut the decimals off?"
    else:
        why = "Does a loop end one too early?" if loops and "last" in said else "Is this ever filled?"
    return f"{said}. {why}" if said else ""


def narrowed(tried: Attempt) -> Diagnosis:
    """What is true of the wrong results, when no cause is known. A broken property changes the status."""
    spec, first, outcomes = tried.spec, tried.difference, tried.run.outcomes
    if first.status == "raised":
        return Diagnosis(first.status, explain_error(first.facts[-1]))
    pairs = pairs_of(tried, first.part, first.status)
    if first.status == "wrong shape":
        return Diagnosis(first.status, common((shapes,), pairs))
    if first.pair is None or first.pair.words:
        return Diagnosis(first.status)
    if odd := not_finite(pairs[0]):  # before all else, because nan has no property
        return Diagnosis(first.status, odd)
    if said := common(WEAK, [pair for pair in pairs if not not_finite(pair)]):
        return Diagnosis(first.status, said)
    for k, (difference, outcome) in enumerate(zip(tried.differences, outcomes)):
        broken = spec.broken(k, outcome.value) if difference and outcome.value and finite(outcome.value) else ""
        if broken:
            return Diagnosis("property broken", broken, case=k)
    return Diagnosis(first.status, right_parts(tried))


def never_read(tried: Attempt, wrong: WrongPrograms) -> str:
    """That an argument is never read which matters in the case shown and is given in every wrong one, or "".

    A line of the learner's that is mistaken says more, and there are arguments that a right answer need not read.
    """
    if tried.difference.status not in ("wrong shape", "wrong values"):
        return ""
    faulty = [tried.spec.arguments(k) for k, difference in enumerate(tried.differences) if difference]
    for name in unread(tried, [tried.first or 0]):
        if all(given.get(name) is not None for given in faulty):
            return wrong.line(tried) or f"Your code never reads `{name}`."
    return ""


def right_parts(tried: Attempt) -> str:
    """Of several results, those that are right in every case, and all others."""
    parts, cases = tried.spec.returns if tried.complete else (), range(len(tried.spec.all_cases))
    right = [part for part in parts if not any(tried.in_part(k, part) for k in cases)]
    wrong = [part for part in parts if part not in right]
    return f"Right in every case: {', '.join(right)}. Not right: {', '.join(wrong)}." if right else ""


def pairs_of(tried: Attempt, part: str, status: str) -> list[Pair]:
    """Yours and the expected, in each case in which this part differs in this way."""
    found = (tried.in_part(k, part) for k in range(len(tried.run.outcomes)))
    return [difference.pair for difference in found if difference and difference.pair and difference.status == status]
