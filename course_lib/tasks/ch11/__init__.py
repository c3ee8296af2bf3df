"""Which one?

Two tasks: measure how far back a program names what it uses, and mend the positions of a padded batch.
Write your answer in place of the `...`, or mend the code that is there, run the cell, then the check below it.
`task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

from .definitions import distance_to_definition
from .padding import positions_with_padding

__all__ = ["distance_to_definition", "positions_with_padding"]

PREPARE = """\
import numpy as np

from course_lib.tasks import ch11 as task"""
