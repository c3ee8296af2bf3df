"""Tasks that say what exactly went wrong. A chapter's tasks are made of these five, and of names for axes.

from .engine import Answer, Axis, Case, Mistake, Property, Task
"""

from .answer import Answer
from .exercise import Exercise
from .faces import STATUSES, Result
from .parts import Axis, Case, Mistake, Property
from .task import Task

__all__ = ["STATUSES", "Answer", "Axis", "Case", "Exercise", "Mistake", "Property", "Result", "Task"]
