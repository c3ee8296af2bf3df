"""What the tasks of this chapter share: a rise of the study, and a model small enough to read."""

import numpy as np

from course_lib.checking import Axis, Case

from .given import VOCABULARY


def mean_rise(rows, task, scheme):
    """Loss at the longest test less that at the training length, in nats: the mean over all seeds of a scheme."""
    rises = [row["loss"][-1] - row["loss"][0] for row in rows if (row["task"], row["scheme"]) == (task, scheme)]
    if not rises:
        raise ValueError(f"task={task!r}, scheme={scheme!r}: no such row in the study")
    return sum(rises) / len(rises)


def by_length(model, text, *rest, label):
    """A case whose entries are called by their lengths, the last argument but one."""
    return Case(model, text, *rest, label=label, axes=[Axis("length", [str(n) for n in rest[-2]])])


def text(seed, n):
    """n tokens in random order."""
    return np.random.default_rng(seed).integers(VOCABULARY, size=n)
