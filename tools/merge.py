"""A new version of a notebook that keeps what the learner wrote in the old one. Needs Python alone."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.cells import Cell, as_built, built_as, content, edited, new_id, text

NOTE = (
    "*This part of the course has changed. The cells above this note are new. Your own cells follow, as you left them. "
    "You can delete this note.*"
)


@dataclass(frozen=True)
class Merged:
    """The notebook, the number of the learner's cells in it, and the number of cells that are new to the learner."""

    nb: dict[str, Any]
    own: int
    new: int


def read(data: bytes) -> dict[str, Any] | None:
    """The notebook in a file's bytes, or None if it cannot be read, or not be written again."""
    try:
        nb = json.loads(data)
        content(nb)
        named = all(isinstance(cell.get("id", ""), str) for cell in nb["cells"])
        built_as(nb)
        write(nb)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return nb if named else None


def write(nb: dict[str, Any]) -> bytes:
    """The bytes of a file, as Jupyter writes them."""
    return (json.dumps(nb, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def untouched(nb: dict[str, Any]) -> bool:
    """Whether the learner changed nothing, except by running it."""
    return built_as(nb) is not None and not edited(nb)


def merge(mine: dict[str, Any], new: dict[str, Any], topics: Sequence[str]) -> Merged:
    """The notebook `new` with the cells that the learner edited or added in `mine`.

    `topics` are the topic of `new`, then those that it had in earlier versions.

    A cell of the course that is the same in `new` stays as the learner has it, with its outputs. All other cells of the
    learner come in their order before the next such cell, after the new cells of the course, so that an answer is
    defined after a new stub. There, a note says which is which. A cell of the course that the learner did not edit and
    that `new` does not contain is left out. So is a note of an earlier merge.
    """
    at = places(mine, new, topics)
    taken: dict[int, dict[str, Any]] = {}
    before: dict[int, list[dict[str, Any]]] = {}
    waiting: list[dict[str, Any]] = []
    for k, cell in enumerate(mine["cells"]):
        if k in at:
            taken[at[k]], before[at[k]], waiting = cell, waiting, []
        elif not as_built(cell, topics):
            waiting.append(cell)
    before[len(new["cells"])] = waiting
    cells: list[dict[str, Any]] = []
    fresh = False  # is the last cell one that is new to the learner?
    for place, cell in enumerate([*new["cells"], None]):
        if own := before.get(place):
            cells += [*([note()] if fresh else []), *own]
        if cell is not None:
            cells.append(taken.get(place, cell))
        fresh = place not in taken
    name_apart(cells, topics[0])
    metadata = {**mine["metadata"], "built": new["metadata"].get("built", {})}
    merged = {**mine, **new, "cells": cells, "metadata": metadata}
    changed = sum(text(cell) != text(new["cells"][place]) for place, cell in taken.items())
    return Merged(merged, changed + sum(map(len, before.values())), len(new["cells"]) - len(taken))


def places(mine: dict[str, Any], new: dict[str, Any], topics: Sequence[str]) -> dict[int, int]:
    """For each cell of `mine` that is in `new`, its index there: found by its id, or by its text if it lost that."""
    left = list(range(len(new["cells"])))
    found: dict[int, int] = {}
    for same in (named_after, reads_like):
        for k, cell in enumerate(mine["cells"]):
            place = next((place for place in left if k not in found and same(cell, new["cells"][place], topics)), None)
            if place is not None:
                found[k] = place
                left.remove(place)
    return found


def named_after(cell: Cell, new: Cell, topics: Sequence[str]) -> bool:
    """Whether the id of `cell` is one that the build gives to `new`, whatever the learner wrote since."""
    return as_built({**new, "id": cell.get("id", "")}, topics)


def reads_like(cell: Cell, new: Cell, topics: Sequence[str]) -> bool:
    return (cell["cell_type"], text(cell)) == (new["cell_type"], text(new))


def note() -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [NOTE]}


def name_apart(cells: list[dict[str, Any]], topic: str) -> None:
    """Give an id to each note, as the build would, and to each cell of the learner whose id is missing or taken."""
    seen: set[str] = set()
    for k, cell in enumerate(cells):
        if text(cell) == NOTE:
            cells[k] = {**cell, "id": new_id(topic, cell, seen)}
        elif not cell.get("id") or cell["id"] in seen:
            cells[k] = {**cell, "id": uuid.uuid4().hex[:8]}
        seen.add(cells[k]["id"])
