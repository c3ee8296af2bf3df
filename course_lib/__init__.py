"""Relative position in attention: NumPy to read in `reference`, torch to run in `nn`, a released model in `released`.

`import course_lib` loads nothing else. Checks and pictures are in `course_kit`, the small models and their runs in
`course_study`, the tasks in `course_chapters`.
"""

__version__ = "0.2.0"
