"""Which one?

Six tasks and a capstone: count what each scheme learns in a whole decoder, find the scheme that a situation leaves over, measure
how far back a program names what it uses, and mend two pieces of code: the positions of a padded batch, and an
evaluation that announces orders which one seed would reverse. Write your answer in place of the `...`, or mend the code
that is there, run the cell, then the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an
earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .parameters import learned_numbers
from .remains import what_remains
from .definitions import distance_to_definition
from .padding import positions_with_padding
from .orders import sure_orders

__all__ = [
    "learned_numbers", "what_remains", "distance_to_definition", "positions_with_padding", "sure_orders",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.tasks import ch11 as task"""
