"""Windows, sinks and layers without positions

Five tasks: a ring by hand, three bugs of a kind that was reported in well-known libraries, and a test of use. Write your
answer in place of the `...`, or fix the code that is there, run the cell, then the check below it. `task.NAME.hint()`
gives a hint. Start where you like, because no task needs an earlier one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_tasks import windows_and_sinks as task"""
