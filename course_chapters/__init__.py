"""The tasks by topic: `from course_tasks import bias_by_hand as task`, then `task.bias_matrix.check(bias_matrix)`."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from course_kit.checking.exercise import Exercise
from course_kit.contents import TOPICS


def topics() -> list[str]:
    """The topics that have tasks, in the order of the chapters."""
    return [topic for topic in TOPICS if find_spec(f"{__name__}.{topic}")]


def tasks_of(module: ModuleType | str) -> dict[str, Exercise]:
    """The tasks of a topic by the name the learner uses, in the order in which its module defines them."""
    module = import_module(f"{__name__}.{module}") if isinstance(module, str) else module
    return {name: value for name, value in vars(module).items() if isinstance(value, Exercise)}
