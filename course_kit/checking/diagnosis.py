"""Why an attempt is wrong: a wrong program that does the same, or else what narrows it down."""

import ast
from dataclasses import dataclass, replace

from .difference import Pair
from .error_hints import explain_error
from .matching import finite, matching
from .relations import FINISHES, WEAK, common, not_finite, regions, shapes, undone, whole, zeros
from .solution_source import source_of
from .spec import Attempt
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


def diagnose(attempt: Attempt, wrong: WrongPrograms) -> Diagnosis:
    """The most telling cause that is true in every case; or else of the case that is shown.

    In this order: programs that the author wrote down; an argument that is never read; a relation between the two
    results, such as a transpose; rules applied to the solution's lines; two programs of the author at once; what
    explains the case that is shown; what narrows the cause down.
    """
    first = attempt.difference
    if attempt.run.stopped:
        return narrowed(attempt)
    if causes := matching(attempt, wrong.written, most=2):
        return Diagnosis(first.status, " Or: ".join(causes), named=True)
    if causes := matching(attempt, wrong.starter):
        return Diagnosis(first.status, causes[0], named=True)
    if cause := unused(attempt):  # a line says more, and there are arguments that a right answer need not read
        return Diagnosis(first.status, wrong.line(attempt) or cause, named=True)
    if cause := finish(attempt):
        return Diagnosis(first.status, cause, named=True)
    if said := wrong.line(attempt) or wrong.numbers(attempt):
        return Diagnosis(first.status, one_change(attempt, said), named=True)
    if causes := matching(attempt, wrong.two_at_once):
        return Diagnosis(first.status, causes[0], named=True)
    if cause := in_this_case(attempt, wrong):
        return besides(attempt, Diagnosis(first.status, cause, named=True))
    return besides(attempt, narrowed(attempt))


def in_this_case(attempt: Attempt, wrong: WrongPrograms) -> str:
    """What explains the case that is shown, where nothing explains all; or "" if it may be more than two things."""
    k = attempt.first or 0
    if attempt.difference.status not in ("wrong shape", "wrong values"):
        return ""  # many slips end in the same error
    spec = replace(attempt.spec, cases=[attempt.spec.all_cases[k]], draw=None, axes=attempt.spec.axes_of(k))
    done = replace(attempt.run, outcomes=[attempt.run.outcomes[k]])
    alone = Attempt(spec, attempt.function, done, (attempt.differences[k],))
    causes = matching(alone, wrong.written, most=3) or list(filter(None, [finish(alone)]))
    return f"In this case: {' Or: '.join(causes)}" if 0 < len(causes) < 3 else ""


def besides(attempt: Attempt, found: Diagnosis) -> Diagnosis:
    """A cause that does not explain every case, and with it an argument that is never read and matters in another."""
    wrong = [k for k, difference in enumerate(attempt.differences) if difference]
    for name in unread(attempt, wrong) if found.cause and found.status != "raised" else ():
        return replace(found, cause=f"{found.cause} Besides, your code never reads `{name}`.", named=True)
    return found


def one_change(attempt: Attempt, said: str) -> str:
    """The sentence about a program that differs from the solution in one expression, after what is plain to see."""
    first = attempt.difference
    if first.status == "raised":
        return f"{explain_error(first.facts[-1])} {said}".strip()
    seen = common((shapes,), pairs_of(attempt, first.part, first.status)) if first.status == "wrong shape" else ""
    return f"{seen} {said}".strip()


def finish(attempt: Attempt) -> str:
    """What was done to the right result, in every case where something is wrong; or "".

    Of several results, the first wrong one is looked at, then the others: weights tell more than their mixture. Cases
    with nan are left out if they are the smaller part.
    """
    first = attempt.difference
    if first.pair is None or first.pair.words:
        return ""
    if first.status == "wrong shape":
        return common((undone,), pairs_of(attempt, first.part, first.status))
    for part in (first.part, *(other for other in attempt.spec.returns if other != first.part)):
        pairs = pairs_of(attempt, part, "wrong values")
        usable = [pair for pair in pairs if not not_finite(pair)]
        pairs = usable if len(usable) > len(pairs) / 2 else pairs
        cut = bool(common((whole,), pairs))
        if said := unfilled(attempt, common((zeros,), pairs), cut) or common(FINISHES, pairs):
            return said if part == first.part else f"{part}: {said}"
    return ""


def unfilled(attempt: Attempt, said: str, cut: bool) -> str:
    """That a part of the result is 0, and a question that fits the learner's own code; or "" if nothing is said.

    If `cut`, the result is of whole numbers, and the right one is not.
    """
    nodes = list(ast.walk(ast.parse(source_of(attempt.function))))
    loops = [node for node in nodes if isinstance(node, (ast.For, ast.While))]
    if any(isinstance(node, ast.Return) for loop in loops for node in ast.walk(loop)):
        why = "Is the `return` indented too far?"
    elif cut:
        why = "Is this ever filled, or does an array with `dtype=int` cut the decimals off?"
    else:
        why = "Does a loop end one too early?" if loops and "last" in said else "Is this ever filled?"
    return f"{said}. {why}" if said else ""


def narrowed(attempt: Attempt) -> Diagnosis:
    """What is true of the wrong results, when no cause is known. A broken property changes the status."""
    spec, first, outcomes = attempt.spec, attempt.difference, attempt.run.outcomes
    if first.status == "raised":
        return Diagnosis(first.status, explain_error(first.facts[-1]))
    pairs = pairs_of(attempt, first.part, first.status)
    if first.status == "wrong shape":
        return Diagnosis(first.status, common((shapes,), pairs))
    if first.pair is None or first.pair.words:
        return Diagnosis(first.status)
    if odd := not_finite(pairs[0]):  # before all else, because nan has no property
        return Diagnosis(first.status, odd)
    usable = [pair for pair in pairs if not not_finite(pair)]
    if said := common(WEAK, usable) if not is_alone(attempt) else "":
        return Diagnosis(first.status, said)
    for k, (difference, outcome) in enumerate(zip(attempt.differences, outcomes)):
        broken = spec.broken(k, outcome.value) if difference and outcome.value and finite(outcome.value) else ""
        if broken:
            return Diagnosis("property broken", broken, case=k)
    return Diagnosis(first.status, right_parts(attempt) or only_wrong(attempt) or common((regions,), pairs))


def unused(attempt: Attempt) -> str:
    """That an argument is never read which matters in the case shown and is given in every wrong one, or ""."""
    if attempt.difference.status not in ("wrong shape", "wrong values"):
        return ""
    wrong = [attempt.spec.arguments(k) for k, difference in enumerate(attempt.differences) if difference]
    for name in unread(attempt, [attempt.first or 0]):
        if all(given.get(name) is not None for given in wrong):
            return f"Your code never reads `{name}`."
    return ""


def right_parts(attempt: Attempt) -> str:
    """Of several results, those that are right in every case, and all others."""
    parts, cases = attempt.spec.returns if attempt.complete else (), range(len(attempt.spec.all_cases))
    right = [part for part in parts if not any(attempt.in_part(k, part) for k in cases)]
    wrong = [part for part in parts if part not in right]
    return f"Right in every case: {', '.join(right)}. Not right: {', '.join(wrong)}." if right else ""


def only_wrong(attempt: Attempt) -> str:
    """The argument whose one value all right cases share, such as a `past` of 0; or that a single case is wrong."""
    wrong = [bool(difference) for difference in attempt.differences]
    many = min(sum(wrong), len(wrong) - sum(wrong)) > 2  # of each
    for name in attempt.spec.arguments(0) if many else ():
        values = [attempt.spec.arguments(k).get(name) for k in range(len(wrong))]
        if all(isinstance(value, (bool, int, float, str)) or value is None for value in values):
            bad, good = ({value for value, is_bad in zip(values, wrong) if is_bad is which} for which in (True, False))
            if len(good) == 1 and not bad & good:
                return f"In these cases it is right only when `{name}` is {good.pop()!r}: what does `{name}` change?"
    return "All other cases are right: what is special about this one?" if is_alone(attempt) else ""


def is_alone(attempt: Attempt) -> bool:
    """Whether a single case is wrong, and not the first, the plainest. Its call then tells more than its numbers."""
    wrong = [bool(difference) for difference in attempt.differences]
    return len(wrong) > 3 and sum(wrong) == 1 and not wrong[0]


def pairs_of(attempt: Attempt, part: str, status: str) -> list[Pair]:
    """Yours and the expected, in each case in which this part differs in this way."""
    found = (attempt.in_part(k, part) for k in range(len(attempt.run.outcomes)))
    return [difference.pair for difference in found if difference and difference.pair and difference.status == status]
