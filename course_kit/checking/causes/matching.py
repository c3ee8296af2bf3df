"""Which wrong programs explain an attempt: written ones and those that rules make."""

import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ..arrays import Outputs, same
from ..case import Case
from ..runner import Outcome, run
from ..spec import Attempt

Wrong = tuple[str, Callable]  # a message, and the wrong program that it describes
PATIENCE = 10.0  # seconds of processor time for all programs together
AXIS = re.compile(r" for axis \d+")  # x[i, j] and x[i][j] run past the same end


def matching(tried: Attempt, programs: Iterable[Wrong], most: int = 1) -> list[str]:
    """The messages of the first programs that explain an attempt, `most` at most.

    A program explains an attempt if it does the same in every case. If none does, one that predicts every case in which
    the attempt returned finite numbers will do: cases without them are predicted as well, or else they are the smaller
    half and at least two of the others are wrong. Of several results only those count that the program makes wrong, and
    the first wrong one must be among them.
    """
    nearly: list[str] = []

    def exactly() -> Iterator[str]:
        for message, program in programs:
            how = explains(tried, program)
            if how == "exactly":
                yield message
            elif how == "nearly" and message not in nearly:
                nearly.append(message)

    return first_of(exactly(), most) or nearly[:most]


def first_of(messages: Iterable[str], most: int = 1) -> list[str]:
    """The first of these messages, each once, `most` at most. A program without an end may be tried to find them."""
    found: list[str] = []

    def look() -> None:
        for message in messages:
            if message not in found:
                found.append(message)
            if len(found) == most:
                return

    run(look, [Case()], lambda nothing: {}, PATIENCE)
    return found


def explains(tried: Attempt, program: Callable) -> str:
    """How a wrong program predicts what the attempt returned: "exactly", "nearly" or not, ""."""
    spec, yours, shown = tried.spec, tried.run.outcomes, tried.difference.part
    answered = [k for k, outcome in enumerate(yours) if outcome.value and finite(outcome.value)]
    wrong_parts: set[str] = set()  # those that the program makes wrong
    unlike: set[str] = set()  # those in which it does not do what the attempt does
    unpredicted = 0
    for k in sorted(range(len(yours)), key=lambda k: k != tried.first):  # the wrong case first: most programs end there
        theirs = spec.outcome(program, k)
        if k not in answered:
            unpredicted += not alike(yours[k], theirs)
            continue
        mine, other = yours[k].value or {}, theirs.value or {}
        if mine.keys() != other.keys():
            return ""
        unlike |= {part for part in mine if not same(mine[part], other[part])}
        wrong_parts |= {part for part in mine if not same(other[part], spec.right[k][part])}
        if unlike & wrong_parts or (k == tried.first and shown in unlike):
            return ""
    if (unpredicted and not enough(tried, answered)) or (unlike and shown not in wrong_parts):
        return ""
    return "nearly" if unlike or unpredicted else "exactly"


def enough(tried: Attempt, answered: list[int]) -> bool:
    """Whether the answered cases can speak for the others: more than half, and two of them wrong."""
    wrong = [k for k in answered if tried.differences[k]]
    return len(wrong) >= 2 and len(answered) > len(tried.differences) / 2


def finite(value: Outputs) -> bool:
    return all(bool(np.isfinite(array).all()) for array in value.values() if array.dtype.kind != "U")


def alike(a: Outcome, b: Outcome) -> bool:
    """The same values, or the same reason why there are none."""
    if a.value is None or b.value is None:
        kinds = [(o.value is None, o.blank, o.unusable, AXIS.sub("", o.error)) for o in (a, b)]
        return kinds[0] == kinds[1]
    return a.value.keys() == b.value.keys() and all(same(a.value[part], b.value[part]) for part in a.value)
