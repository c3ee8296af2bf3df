"""Is this machine ready for the course? One line per package, with the cure beside what is missing."""

import sys
from importlib.metadata import PackageNotFoundError, version

NEEDED = {"numpy": (2, 0), "torch": (2, 6), "matplotlib": (3, 9), "ipywidgets": (7, 7)}


def check_machine() -> None:
    """Look for Python 3.11 or newer, the packages of NEEDED and a GPU (which may be absent), and print a line each."""
    ready = True
    for name, least in {"Python": (3, 11), **NEEDED}.items():
        have = sys.version.split()[0] if name == "Python" else _version(name)
        good = have != "" and tuple(map(int, have.split(".")[:2])) >= least
        ready &= good
        cure = "" if good else "; `python3 course.py lab` installs it" if name in NEEDED else "; see python.org"
        wanted = f"({'.'.join(map(str, least))} or newer{cure})"
        print("ok      " if good else "missing ", f"{name} {have}".strip(), wanted)
    print(_gpu() if ready else "        put the missing ones in place, then run this cell again")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _gpu() -> str:
    import torch

    if torch.cuda.is_available():
        return f"ok       GPU: {torch.cuda.get_device_name()}"
    return "ok       no GPU: everything in the course runs on the CPU"
