"""Why an attempt is wrong: `diagnose` looks for the cause, in the programs that a task knows to be wrong, in the
learner's code, and in what the two results have in common.
"""

from .diagnosis import diagnose
from .wrong_lines import WrongPrograms

__all__ = ["WrongPrograms", "diagnose"]
