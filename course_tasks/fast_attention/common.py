"""What the tasks of this topic share: names for axes, random numbers by seed, and torch when it is first needed."""

from typing import Any

import numpy as np

from course_lib.checking import Axis

from ..shared import KEY as KEY
from ..shared import NUMBER as NUMBER
from ..shared import QUERY as QUERY

LAST_TWO = Axis("query", ("on", "mat"))


class _Torch:
    """torch, imported at its first use, so that the list of all tasks does not take the time to load it."""

    def __getattr__(self, name: str) -> Any:
        import torch

        return getattr(torch, name)


torch = _Torch()


def sdpa(*tensors, **options):
    """torch's `scaled_dot_product_attention`."""
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(*tensors, **options)


def normal(seed, *shape):
    """Random numbers of a shape."""
    return np.random.default_rng(seed).normal(size=shape)
