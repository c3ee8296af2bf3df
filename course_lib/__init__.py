"""Relative position in attention: NumPy to read, torch to run, tasks to do, pictures to touch.

`import course_lib` loads nothing else: take `course_lib.reference` (NumPy), `course_lib.nn` (torch),
`course_lib.tasks` or `course_lib.figures` when you need them.
"""

__version__ = "0.1.0"
