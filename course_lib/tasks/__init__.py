"""The tasks by chapter: `from course_lib.tasks import ch02 as task`, then `task.bias_matrix.check(bias_matrix)`."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from .engine.exercise import Exercise


def chapters() -> list[str]:
    """The names of the chapter modules there are: ch01, ch02, …"""
    return sorted(found.name for found in iter_modules(__path__) if found.name.startswith("ch"))


def tasks_of(module: ModuleType | str) -> dict[str, Exercise]:
    """The tasks of a chapter by the name the learner uses, in the order in which the module defines them.

    Raises ValueError when a task stands in its module under another name.
    """
    module = import_module(f"{__name__}.{module}") if isinstance(module, str) else module
    found = {name: value for name, value in vars(module).items() if isinstance(value, Exercise)}
    for name, task in found.items():
        if name != task.name:
            raise ValueError(f"{module.__name__}.{name}: the task calls itself {task.name}; expected one name for both")
    return found
