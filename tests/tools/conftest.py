"""Fixtures of more than one file."""

from .learner import learner, versions  # noqa: F401
