"""Is this machine ready for the course? One line per package, with the cure beside what is missing."""

import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

NEEDED = {"numpy": (2, 0), "torch": (2, 6), "matplotlib": (3, 9), "ipywidgets": (7, 7)}


@dataclass(frozen=True)
class Machine:
    """What was found: `ok` when nothing is missing, and a line for each thing that was looked for."""

    ok: bool
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join(self.lines)


def check_machine() -> Machine:
    """Look for Python 3.11 or newer, the packages of NEEDED and a GPU (which may be absent)."""
    lines, ok = [], True
    for name, least in {"Python": (3, 11), **NEEDED}.items():
        have = sys.version.split()[0] if name == "Python" else _version(name)
        good = have is not None and _numbers(have) >= least
        ok &= good
        cure = "" if good else "; `python3 course.py lab` installs it" if name in NEEDED else "; see python.org"
        wanted = f"({'.'.join(map(str, least))} or newer{cure})"
        lines.append(" ".join(filter(None, ["ok      " if good else "missing ", name, have, wanted])))
    return Machine(ok, (*lines, _gpu() if ok else "        put the missing ones in place, then run this cell again"))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _gpu() -> str:
    import torch

    if torch.cuda.is_available():
        return f"ok       GPU: {torch.cuda.get_device_name()}"
    return "ok       no GPU: everything in the course runs on the CPU"
