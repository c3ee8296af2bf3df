"""The learner's copies of the notebooks are in mine/, which git ignores, so a new version of the course keeps them.

`course.py lab` opens the copies. One that nobody edited follows the course, and to run a notebook is not to edit it.
Beside one that was edited, a newer notebook of the course appears as NAME.new.ipynb. Python alone runs this file
and those that it imports.
"""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

from course_kit.contents import KINDS
from tools.cells import built_as, edited


def lay_out(course: Path) -> list[Path]:
    """Bring course/mine up to date; returns the notebooks that appeared beside an edited one."""
    beside = []
    for original in sorted(path for folder in KINDS for path in (course / folder).glob("*.ipynb")):
        today = built_as(json.loads(original.read_text(encoding="utf-8")))
        for place in places(course / "mine" / original.relative_to(course)):
            nb = read(place)
            if nb is not None and built_as(nb) == today:  # edited or not, it was made from this notebook
                break
            if place.exists() and (nb is None or edited(nb)):  # the learner's: it stays as it is
                continue
            put(original, place)
            beside += [place] * (place.name != original.name)
            break
    return beside


def places(path: Path) -> Iterator[Path]:
    """Where a notebook of the course may go: its own name, then NAME.new.ipynb, NAME.new-2.ipynb and so on."""
    yield path
    yield path.with_suffix(".new.ipynb")
    yield from (path.with_suffix(f".new-{number}.ipynb") for number in itertools.count(2))


def read(path: Path) -> dict | None:
    """The notebook in a file, None if there is none that can be read."""
    try:
        nb = json.loads(path.read_text(encoding="utf-8"))
        return nb if built_as(nb) or edited(nb) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def put(original: Path, place: Path) -> None:
    """Copy beside the place first: a run that is cut off leaves no half of a notebook.

    Where the lesson asks for a guess (`hide-output`), the result is left out, so that it appears when the cell is run.
    """
    nb = json.loads(original.read_text(encoding="utf-8"))
    for cell in nb["cells"]:
        if "hide-output" in cell["metadata"].get("tags", []):
            cell.update(outputs=[], execution_count=None)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(".draft")
    draft.write_text(json.dumps(nb, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    draft.replace(place)
