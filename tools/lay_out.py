"""Brings the files of a version of the course into a learner's folder, and keeps what the learner wrote.

It needs Python alone, and two folders. `course.py update` uses it, and so can any other way of handing out the course.
"""

import fnmatch
import hashlib
import itertools
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.cells import built_as
from tools.merge import merge, read, untouched, write

SHIPPED = ".shipped.json"  # in the learner's folder: each file of the version there, with its hash
ASIDE = "before-update"  # in the learner's folder: what had to make room
RENAMED = "docs/renamed.json"  # in the new version: the former names of notebooks


def lay_out(new: Path, old: Path, shipped: Mapping[str, str] | None = None) -> list[str]:
    """Bring the version of the course in the folder `new` into the learner's folder `old`; returns what was done.

    Nothing else is read: `new` can be a checkout, an unpacked ZIP file or a part of the course, and `old` can be empty
    or missing. What the .gitignore of `new` names is left out.

    - A notebook that the learner edited keeps these cells, and gets those that are new in the course (tools/merge.py).
      One that was only run counts as not edited.
    - A notebook that docs/renamed.json names moves to its new name first. One that the course no longer has stays.
    - Another file that the learner edited stays, unless the course has changed it too. Then the learner's moves to the
      folder before-update. So does a notebook that cannot be read.
    - A file of the course that is missing comes back. One that the course no longer has is deleted if it is as it came.
    - Files that only the learner has are never touched.

    `shipped` has the git hash of each file of the version that `old` had; by default .shipped.json in `old` has them,
    where an earlier call wrote them. Each file is written beside its place and then put there: if a call is cut off,
    the next one finishes its work. If nothing is new, nothing is written and the list is empty. All files belong to
    the user that runs it, so run it as the learner. Raises ValueError unless `new` is a folder apart from `old`, and
    OSError if a file cannot be written.
    """
    new, old = new.resolve(), old.resolve()
    if not new.is_dir() or new.is_relative_to(old) or old.is_relative_to(new):
        raise ValueError(f"new={str(new)!r}: expected a folder apart from {str(old)!r}")
    known = remembered(old) if shipped is None else dict(shipped)
    files = {name: (new / name).read_bytes() for name in files_of(new)}
    renamed = {before: after for before, after in former_names(new).items() if after in files}
    kept_before = kept_aside(old)
    moved = [move(old, before, after) for before, after in renamed.items()]
    brought = []
    for name, data in files.items():
        earlier = [before for before, after in renamed.items() if after == name]
        topics = [Path(path).stem[3:] for path in (name, *earlier)]
        brought.append(bring(data, old, name, known.get(name, ""), topics))
        if brought[-1] is not None and os.access(new / name, os.X_OK):
            (old / name).chmod(0o755)
    retired = [retire(old, name, known[name]) for name in sorted(set(known) - set(files))]
    said = [line for line in (*moved, *brought, *retired) if line]
    if made_room := sorted(kept_aside(old) - kept_before):
        said.append(f"Replaced by the new version, and kept in {ASIDE}: {listed(made_room)}.")
    now = {name: git_hash(data) for name, data in files.items()}
    if shipped is None and now != known:
        put(json.dumps(now, indent=0).encode(), old / SHIPPED)
    done = len(brought) - brought.count(None) + retired.count("")
    return [*said, f"{counted(done, 'file')} brought up to date."] if done else said


def files_of(folder: Path) -> Iterator[str]:
    """The course's files in a folder, by their paths in it: all but those that its .gitignore names."""
    ignored = folder / ".gitignore"
    lines = ignored.read_text(encoding="utf-8").split() if ignored.exists() else []
    skipped = [".git", SHIPPED, *(line.rstrip("/") for line in lines)]
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if not any(fnmatch.fnmatch(n, pattern) for pattern in skipped))
        for name in sorted(n for n in names if not any(fnmatch.fnmatch(n, pattern) for pattern in skipped)):
            yield (Path(place) / name).relative_to(folder).as_posix()


def git_hash(data: bytes) -> str:
    """What git calls this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def remembered(old: Path) -> dict[str, str]:
    """The hashes of the files that an earlier run brought; none if there was no such run."""
    try:
        found = json.loads((old / SHIPPED).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def former_names(new: Path) -> dict[str, str]:
    """The former path of each renamed notebook and its path today."""
    path = new / RENAMED
    pages = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {f"{before}.ipynb": f"{after}.ipynb" for before, after in pages.items()}


# Each of these returns a sentence for the learner, "" if what it did needs none, and None if it did nothing.


def move(old: Path, before: str, after: str) -> str | None:
    """Give a notebook its new name, unless there is a file already."""
    if not (old / before).exists() or (old / after).exists():
        return None
    (old / after).parent.mkdir(parents=True, exist_ok=True)
    (old / before).replace(old / after)
    return f"{before} is now {after}. What you wrote in it has moved along."


def bring(data: bytes, old: Path, name: str, shipped: str, topics: list[str]) -> str | None:
    """Bring one file of the course; `topics` are those of a notebook, now and in earlier versions."""
    path = old / name
    mine = path.read_bytes() if path.is_file() else None
    if mine is not None and (mine == data or git_hash(data) == shipped):  # if it differs, by what the learner did
        return None
    if not path.exists() or (mine is not None and git_hash(mine) == shipped):
        put(data, path)
        return ""
    new = read(data) if name.endswith(".ipynb") else None
    if mine is None or new is None or built_as(new) is None:
        make_room(data, old, name)
        return ""
    nb = read(mine)
    if nb is None:
        make_room(data, old, name)
        return f"{name} could not be read as a notebook, so you have a new one."
    if untouched(nb):
        put(data, path)
        return ""
    if built_as(nb) == built_as(new):  # merged by an earlier call, or only the outputs are new
        return None
    merged = merge(nb, new, topics)
    put(write(merged.nb), path)
    return f"{name}: kept {counted(merged.own, 'cell')} of yours, added {counted(merged.new, 'cell')} of the course."


def retire(old: Path, name: str, shipped: str) -> str | None:
    """Delete a file that the course no longer has, if it is as it came and no notebook."""
    path = old / name
    if not path.is_file():
        return None
    if name.endswith(".ipynb") or git_hash(path.read_bytes()) != shipped:
        return f"{name} is no longer part of the course. Yours stays where it is."
    path.unlink()
    return ""


def make_room(data: bytes, old: Path, name: str) -> None:
    """Write the course's file. The learner's moves to before-update, with its path."""
    places = (old / ASIDE / (name if k == 1 else f"{name}.{k}") for k in itertools.count(1))
    place = next(place for place in places if not place.exists())
    place.parent.mkdir(parents=True, exist_ok=True)
    (old / name).replace(place)
    put(data, old / name)


def kept_aside(old: Path) -> set[str]:
    """What had to make room, now and earlier."""
    folder = old / ASIDE
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def put(data: bytes, path: Path) -> None:
    """Write beside the old file, then put it in its place: a run that is cut off loses nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    draft.write_bytes(data)
    draft.replace(path)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def listed(names: list[str]) -> str:
    """The first names, and how many there are besides."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
