"""The tasks of a topic as a hand-in finds them: they note what is checked, and answer nothing."""

from importlib import import_module
from typing import Any

CHECKED: dict[str, Any] = {}  # what was last handed to the check of a task, by the task's name


class Quiet:
    def __init__(self, name: str) -> None:
        self.check = lambda given=...: CHECKED.update({name: given})

    def __getattr__(self, verb: str) -> Any:
        return lambda *args, **kwargs: None


def __getattr__(name: str) -> Any:
    """What the topic lends to its learners, such as `attend`, or else a task."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return getattr(import_module(f"{__name__}.given"), name)
    except (ImportError, AttributeError):
        return Quiet(name)
