"""The closing quiz: questions over all chapters, each wrong option with its reason.

from course_lib import figures
from course_tasks import quiz
figures.quiz(quiz.QUESTIONS)                 one picture, one question at a time
figures.quiz(quiz.THEMES["Longer texts"])    a part of it

No answer stands on its word alone: `tests/claims/test_quiz.py` computes what decides each of them.
"""

from course_lib.figures.quiz import Question

from . import after_2021, choosing, longer, numbers, order, vectors

THEMES: dict[str, tuple[Question, ...]] = {
    "Order and bias": order.QUESTIONS,
    "Vectors and grids": vectors.QUESTIONS,
    "Buckets, slopes, turns, windows": numbers.QUESTIONS,
    "Longer texts": longer.QUESTIONS,
    "After 2021": after_2021.QUESTIONS,
    "Choosing": choosing.QUESTIONS,
}
QUESTIONS = tuple(question for theme in THEMES.values() for question in theme)

__all__ = ["QUESTIONS", "THEMES", "Question"]
