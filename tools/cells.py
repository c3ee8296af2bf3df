"""What the build writes into a notebook so that it can be recognised later: a name for each cell, and a fingerprint.

Both depend on the content alone. A cell whose name does not fit its text, or a notebook whose fingerprint does not fit
its cells, was edited by somebody.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

Notebook = Mapping[str, Any]  # what nbformat reads, or json
Cell = Mapping[str, Any]


def text(cell: Cell) -> str:
    """The text of a cell, which files contain as a list of lines."""
    return "".join(cell["source"])


def new_id(topic: str, cell: Cell, seen: Collection[str]) -> str:
    """An id that the cell has whenever it is built; none of those in `seen`, so that equal cells differ."""
    found = hashlib.sha256(f"{topic} {cell['cell_type']} {text(cell)}".encode()).hexdigest()
    return next(found[i : i + 8] for i in range(56) if found[i : i + 8] not in seen)


def content(nb: Notebook) -> list[tuple[str, str, list[str]]]:
    """What an author writes of a notebook: kind, text and tags of each cell."""
    return [(cell["cell_type"], text(cell), list(cell["metadata"].get("tags", []))) for cell in nb["cells"]]


def fingerprint(nb: Notebook) -> str:
    """Tells a notebook that was edited by hand from one that was built."""
    return hashlib.sha256(json.dumps(content(nb)).encode()).hexdigest()[:16]


def built_as(nb: Notebook) -> str | None:
    """The fingerprint of the built notebook that this one was, before anybody edited it."""
    return nb["metadata"].get("built", {}).get("fingerprint")


def edited(nb: Notebook) -> bool:
    """Whether somebody changed the notebook after it was built; to run it changes nothing."""
    return fingerprint(nb) != built_as(nb)
