"""The capstone's solution. It is a module of its own because it needs torch, and the tasks are read without it."""

import torch
from torch import nn

from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position


class Kerple(Position):
    """b_h(r) = -a_h * log(1 + c_h * |r|), with an a and a c for each head, learned and always positive.

    Source: Chi et al. 2022, the logarithmic variant.
    """

    def __init__(self, n_heads):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(2, n_heads))  # log a and log c

    @property
    def a(self):
        """The strength of each head, (n_heads,), above 0 whatever is learned; 1 at the start."""
        return self.table[0].exp()

    @property
    def c(self):
        """What each head multiplies distance by, (n_heads,), above 0 whatever is learned; 1 at the start."""
        return self.table[1].exp()

    def bias(self, n_q, n_k, past):
        """A number per head and offset, (n_heads, n_q + n_k - 1), offsets ascending, on the device of the parameters."""
        distance = row_offsets(n_q, n_k, past, self.table.device).abs()
        return -self.a[:, None] * (self.c[:, None] * distance).log1p()
