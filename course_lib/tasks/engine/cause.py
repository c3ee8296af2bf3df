"""Why a function is wrong: a known mistake that does just the same, or else what narrows it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .diagnose import WHOLE, Pair, common, transposed
from .judge import Fault, judge
from .parts import named
from .run import Outcome
from .source import unread
from .values import same
from .whereabouts import PARTLY, SHAPES, infinite, separating, undefined

if TYPE_CHECKING:
    from .task import Task


def known_cause(outcomes: Sequence[Outcome], mistaken: Sequence[tuple[str, Sequence[Outcome]]]) -> str:
    """The message of the mistake that comes to the same in every case, or ""."""
    for message, wrong in mistaken:
        if len(wrong) == len(outcomes) and all(map(_equal, outcomes, wrong)):
            return message
    return ""


def narrowed_cause(
    task: Task, function: Callable, outcomes: Sequence[Outcome], faults: Sequence[Fault | None], first: Fault
) -> tuple[str, str]:
    """The status, which a broken property may change, and the cause or ""."""
    unused = unread(function)
    if unused and first.status in ("wrong shape", "wrong values", "property broken"):
        return first.status, f"Your code never reads `{unused[0]}`."
    arguments = [case.arguments(task.signature) for case in task.all_cases]
    told = telling(task, faults)
    separated = separating([arguments[k] for k in told], [faults[k] is not None for k in told])
    pairs = [
        _pair(task, k, fault, arguments[k])
        for k, fault in enumerate(faults)
        if fault and fault.status == first.status and fault.part == first.part and fault.yours is not None
    ]
    if first.status == "wrong shape":
        return first.status, common((transposed, *SHAPES), pairs) or separated
    if first.status != "wrong values" or "U" in (pairs[0].yours.dtype.kind, pairs[0].expected.dtype.kind):
        return first.status, separated
    whole = common((undefined, *WHOLE), pairs) or _elsewhere(task, outcomes, first.part, arguments)
    if not whole:
        for k, (fault, outcome) in enumerate(zip(faults, outcomes)):
            broken = task.broken(k, outcome.value) if fault and outcome.value else ""
            if broken:
                return "property broken", broken
    return first.status, whole or common((infinite,), pairs) or separated or common(PARTLY, pairs)


def telling(task: Task, faults: Sequence[Fault | None]) -> list[int]:
    """The cases that count when wrong ones are set against right ones: that one token alone is right says little."""
    sizes = [
        max(array.size for array in task.right_parts(case).values()) if task.expected else 1 for case in task.all_cases
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
        if said := common((undefined, *WHOLE), pairs):
            return f"{other}: {said}"
    return ""


def _pair(task: Task, k: int, fault: Fault, arguments: dict[str, Any]) -> Pair:
    assert fault.yours is not None and fault.expected is not None
    axes = named(task.axes_of(k), fault.part, fault.expected.ndim)
    return Pair(fault.yours, fault.expected, axes, numbers_of(arguments))


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
        kinds = [(o.value is None, o.blank, o.unusable, o.error) for o in (a, b)]
        return kinds[0] == kinds[1]
    return a.value.keys() == b.value.keys() and all(same(a.value[part], b.value[part]) for part in a.value)
