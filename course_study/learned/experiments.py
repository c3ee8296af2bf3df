"""The experiments on MPNet: what is changed, on which texts. The plan has every condition on every text.

A condition is a function of the model and the name of a text, and returns what goes into the row.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from course_lib import learned
from course_lib.nn.threads import one_thread

from ..results import Row, Run, short
from . import measures
from .changes import as_released, forms
from .measures import NOTHING, Change, PerOffset
from .mpnet import FIRST, ZERO, MPNet

Condition = Callable[[MPNet, str], Row]


def table_changes() -> dict[str, Change]:
    table = learned.read("mpnet", "table")
    changes = {name: Change(PerOffset(form)) for name, form in forms(table).items()}
    return changes | {"scores not scaled: q·k + b": Change(PerOffset(as_released(table), scale=1.0))}


ABSOLUTE: dict[str, Callable[[Tensor], Tensor]] = {
    "vectors zeroed": lambda p: 0 * p + ZERO,
    "positions + 100": lambda p: p + FIRST + 100,
    "positions + 400": lambda p: p + FIRST + 400,
    "positions from 0, rows 0 and 1 included": lambda p: p,
    "all in the row of the first token": lambda p: 0 * p + FIRST,
    "all in the row of position 48": lambda p: 0 * p + FIRST + 48,
    "the first token in its own row, all others in that of position 48": lambda p: FIRST + 48 * (p > 0),
}
LONGER: dict[str, Callable[[Tensor], Tensor]] = {
    "last row repeated (position 511)": lambda p: p.clamp(max=511) + FIRST,
    "row of position 510 repeated": lambda p: p.clamp(max=510) + FIRST,
    "row of position 400 repeated": lambda p: p.clamp(max=400) + FIRST,
    "positions begin again at 1 after 511": lambda p: torch.where(p < 512, p, p - 511) + FIRST,
    "positions squeezed into 512": lambda p: p * 512 // len(p) + FIRST,
    "vectors zeroed": ABSOLUTE["vectors zeroed"],
}


def experiments() -> dict[str, tuple[Sequence[str], int, Mapping[str, Condition]]]:
    """By name: the texts, how many tokens, sentences or passages of each are read, and the conditions."""
    bias, absolute = table_changes(), {name: Change(rows=rows) for name, rows in ABSOLUTE.items()}
    zeroed, no_vectors = bias["table zeroed"], absolute["vectors zeroed"]
    neither = {"table and vectors zeroed": Change(zeroed.bias, no_vectors.rows)}
    order = {"as released": NOTHING, "table zeroed": zeroed, "vectors zeroed": no_vectors, **neither}
    both = bias | absolute | neither
    in_window = {name: change for name, change in both.items() if name != "positions + 400"}  # it ends at 412
    long = {name: partial(measures.of_the_same, 0, measures.LONG, Change(rows=rows)) for name, rows in LONGER.items()}
    long["another window (360 … 759)"] = partial(measures.of_the_same, measures.BEGIN - 100, measures.END, NOTHING)
    long["vectors zeroed, same window"] = partial(measures.of_the_same, measures.BEGIN, measures.END, no_vectors)
    profiles = {"as released": NOTHING, "vectors zeroed": no_vectors}

    def each(measure: Callable[..., Row], changes: Mapping[str, Change]) -> dict[str, Condition]:
        return {name: partial(measure, change) for name, change in changes.items()}

    tokens = {"another token": measures.another_token} | each(measures.of_tokens, in_window)
    sentences = {"the next sentence": measures.another_sentence} | each(measures.of_sentences, both)
    mixed = [each(partial(measures.of_shuffled, pieces), order) for pieces in (measures.sentences, measures.passages)]
    return {
        "tokens": (measures.TEXTS, measures.WINDOW, tokens),
        "sentences": (measures.WITH_SENTENCES, measures.SENTENCES, sentences),
        "shuffled sentences": (measures.WITH_SENTENCES, measures.SENTENCES, mixed[0]),
        "shuffled passages": (measures.TEXTS, measures.PASSAGES, mixed[1]),
        "beyond 512": (measures.TEXTS, measures.LONG + 2, long),
        "profiles": (("all", *measures.TEXTS), measures.PROFILED, each(measures.profiled, profiles)),
    }


def plan(load: Callable[[], MPNet]) -> list[Run]:
    """Every run; the first one that is done loads the model."""

    @one_thread()
    def outcome(condition: Condition, text: str) -> Row:
        return short(condition(load(), text))

    return [
        Run({"experiment": name, "condition": said, "text": text, "n": n}, partial(outcome, condition, text))
        for name, (texts, n, conditions) in experiments().items()
        for text in texts
        for said, condition in conditions.items()
    ]
