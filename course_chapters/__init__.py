"""A folder per chapter: the lesson, its tasks, its questions, and answers that learners gave, which are tests.

from course_chapters.bias_by_hand import tasks as task     then task.bias_matrix.check(bias_matrix)
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from course_kit.checking.exercise import Exercise
from course_kit.contents import TOPICS

FOLDER = Path(__file__).parent


def lesson_file(topic: str) -> Path:
    """The file of a topic's lesson."""
    return FOLDER / topic / "lesson.py"


def topics() -> list[str]:
    """The topics that have tasks, in the order of the chapters."""
    return [topic for topic in TOPICS if find_spec(f"{__name__}.{topic}.tasks")]


def tasks_of(module: ModuleType | str) -> dict[str, Exercise]:
    """The tasks of a topic by the name the learner uses, in the order in which its module defines them."""
    module = import_module(f"{__name__}.{module}.tasks") if isinstance(module, str) else module
    return {name: value for name, value in vars(module).items() if isinstance(value, Exercise)}
