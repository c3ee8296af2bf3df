"""Why a function is wrong: a known mistake that does just the same, or else what narrows it down."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .diagnose import WHOLE, Pair, common, nearly, scores, transposed
from .judge import Fault, judge
from .parts import named
from .run import Outcome
from .source import unread
from .values import NOTHING, Parts, same
from .whereabouts import PARTLY, SHAPES, UNFILLED, not_finite, separating
from .wording import in_other_words

if TYPE_CHECKING:
    from .task import Task

AXIS = re.compile(r" for axis \d+")  # x[i, j] and x[i][j] run over the same edge


def known_cause(outcomes: Sequence[Outcome], mistaken: Sequence[tuple[str, Sequence[Outcome]]]) -> str:
    """The message of the mistake that comes to the same in every case, or ""."""
    for message, wrong in mistaken:
        if len(wrong) == len(outcomes) and all(map(_equal, outcomes, wrong)):
            return message
    return ""


def nearly_known_cause(
    outcomes: Sequence[Outcome], faults: Sequence[Fault | None], mistaken: Sequence[tuple[str, Sequence[Outcome]]]
) -> str:
    """The message of the mistake that agrees wherever yours is finite, which is in most cases; or "".

    A second slip, such as an e^x that overflows, shows in a case of its own and should not hide the first.
    """
    finite = [k for k, outcome in enumerate(outcomes) if not outcome.value or _finite(outcome.value)]
    wrong_there = [k for k in finite if faults[k]]
    if len(finite) == len(outcomes) or len(wrong_there) < 2 or len(finite) <= len(outcomes) // 2:
        return ""
    return known_cause([outcomes[k] for k in finite], [
        (message, [wrong[k] for k in finite]) for message, wrong in mistaken if len(wrong) == len(outcomes)
    ])  # fmt: skip


def partly_known_cause(
    outcomes: Sequence[Outcome], right: Sequence[Parts], part: str, mistaken: Sequence[tuple[str, Sequence[Outcome]]]
) -> str:
    """The message of the mistake that makes the same of this part in every case and leaves the others right; or "".

    Where several results are asked for, a second slip in another of them should not hide the first.
    """
    if len(outcomes) != len(right) or not all(outcome.value for outcome in outcomes):
        return ""
    for message, wrong in mistaken:
        if len(wrong) == len(right) and all(
            w.value and all(same(w.value[p], (y.value or {})[p] if p == part else r[p]) for p in r)
            for w, y, r in zip(wrong, outcomes, right)
        ):
            return message
    return ""


def narrowed_cause(
    task: Task, function: Callable, outcomes: Sequence[Outcome], faults: Sequence[Fault | None], first: Fault
) -> tuple[str, str]:
    """The status, which a broken property may change, and the cause or ""."""
    arguments = [case.arguments(task.signature) for case in task.all_cases]
    wrong_in = [arguments[k] for k, fault in enumerate(faults) if fault]
    unused = [
        name
        for name in unread(function)
        if _matters(wrong_in[0].get(name)) and all(given.get(name) is not None for given in wrong_in)
    ]
    if unused and first.status in ("wrong shape", "wrong values", "property broken"):
        return first.status, f"Your code never reads `{unused[0]}`."
    if first.status == "raised":
        return first.status, in_other_words(first.facts[-1])
    if outcomes[faults.index(first)].unusable == NOTHING and any(outcome.value for outcome in outcomes):
        return first.status, "Other cases have a result: in this one no `return` was reached."
    told = telling(task, faults)
    separated = separating([arguments[k] for k in told], [faults[k] is not None for k in told])
    pairs = [
        _pair(task, k, fault, arguments[k])
        for k, fault in enumerate(faults)
        if fault and fault.status == first.status and fault.part == first.part and fault.yours is not None
    ]
    if first.status == "wrong shape":
        return first.status, common((transposed, *SHAPES), pairs) or separated
    if first.status != "wrong values":
        return first.status, ""
    if "U" in (pairs[0].yours.dtype.kind, pairs[0].expected.dtype.kind):
        return first.status, separated
    if unsoftened := common((scores,), pairs):
        return first.status, unsoftened
    if odd := not_finite(pairs[0]):  # before all else: what is nan has no property
        return first.status, odd
    pairs = [pair for pair in pairs if not not_finite(pair)]
    whole = common((*UNFILLED, *WHOLE), pairs) or _elsewhere(task, outcomes, first.part, arguments)
    if not whole:
        for k, (fault, outcome) in enumerate(zip(faults, outcomes)):
            broken = task.broken(k, outcome.value) if fault and outcome.value and _finite(outcome.value) else ""
            if broken:
                return "property broken", broken
    right = _right_parts(task, outcomes, first.part)
    return first.status, whole or common((nearly,), pairs) or right or separated or common(PARTLY, pairs)


def _matters(value: Any) -> bool:
    """Whether reading an argument can change a result: `past` cannot where it is 0, and False is a choice."""
    return value is not None and not (type(value) in (int, float) and value == 0)


def _right_parts(task: Task, outcomes: Sequence[Outcome], part: str) -> str:
    """Of several results, those that are right in every case: the slip comes after them."""
    right = [
        other
        for other in task.returns
        if other != part
        and len(outcomes) == len(task.all_cases)
        and all(
            outcome.value and not judge({other: outcome.value[other]}, {other: task.right_parts(case)[other]}, ())
            for outcome, case in zip(outcomes, task.all_cases)
        )
    ]
    return f"Your {listed(right)} {_are(right)} right; your {part} {_are([part])} not." if right else ""


def listed(names: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 or names[0].endswith("s") else "is"


def _finite(value: Parts) -> bool:
    return all(bool(np.isfinite(array).all()) for array in value.values() if array.dtype.kind != "U")


def telling(task: Task, faults: Sequence[Fault | None]) -> list[int]:
    """The cases that count when wrong ones are set against right ones.

    That one token alone is right says little, nor does a result that is the same everywhere, as without a bias.
    """
    sizes = [
        max(len(np.unique(array)) for array in task.right_parts(case).values()) if task.expected else 1
        for case in task.all_cases
    ]
    return [k for k, fault in enumerate(faults) if fault or sizes[k] > 1 or max(sizes) == 1]


def _elsewhere(task: Task, outcomes: Sequence[Outcome], part: str, arguments: Sequence[dict[str, Any]]) -> str:
    """What is wrong with another part of the result: the weights tell more than the output made of them."""
    for other in task.returns:
        pairs = []
        for k, outcome in enumerate(outcomes):
            if other != part and outcome.value and other in outcome.value:
                right = task.right_parts(task.all_cases[k])[other]
                fault = judge({other: outcome.value[other]}, {other: right}, task.axes_of(k))
                pairs += [_pair(task, k, fault, arguments[k])] if fault and fault.status == "wrong values" else []
        if said := common((*UNFILLED, *WHOLE), [pair for pair in pairs if not not_finite(pair)]):
            return f"{other}: {said}"
    return ""


def _pair(task: Task, k: int, fault: Fault, arguments: dict[str, Any]) -> Pair:
    assert fault.yours is not None and fault.expected is not None
    axes = named(task.axes_of(k), fault.part, fault.expected.ndim)
    return Pair(fault.yours, fault.expected, axes, numbers_of(arguments), fault.truth)


def numbers_of(arguments: dict[str, Any]) -> dict[str, float]:
    """The numbers of a case by which a result may be off: its scalars, and √ and length of its arrays' last axes."""
    numbers: dict[str, float] = {}
    for name, value in arguments.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers[f"`{name}`"] = float(value)
        shape = getattr(value, "shape", ())
        if shape:
            numbers[f"√(last axis of `{name}`)"] = float(shape[-1]) ** 0.5
            numbers[f"(last axis of `{name}`)"] = float(shape[-1])
    return numbers


def _equal(a: Outcome, b: Outcome) -> bool:
    if a.value is None or b.value is None:
        kinds = [(o.value is None, o.blank, o.unusable, AXIS.sub("", o.error)) for o in (a, b)]
        return kinds[0] == kinds[1]
    return a.value.keys() == b.value.keys() and all(same(a.value[part], b.value[part]) for part in a.value)
