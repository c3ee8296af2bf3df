"""Relative position in attention: NumPy to read, torch to run, tasks to do, pictures to touch.

`import course_lib` loads nothing else: take `course_lib.reference` (NumPy), `course_lib.nn` (torch),
`course_lib.figures` or `course_tasks` when you need them.
"""

__version__ = "0.2.0"
