"""Tasks that say what exactly went wrong: a function to write, or an answer to commit to.

An attempt goes one way: its `spec` says what is right, the `runner` runs it, `difference` finds where it first differs,
`causes` finds out why, and a `Result` says so.
"""

from .axes import Axis
from .case import Case
from .coding import CodingTask
from .exercise import Exercise
from .prediction import Prediction
from .results import Result
from .spec import holds

__all__ = ["Axis", "Case", "CodingTask", "Exercise", "Prediction", "Result", "holds"]
