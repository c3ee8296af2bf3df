"""FoX, the forgetting transformer: each token decides how much of everything before it is forgotten."""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from ..checks import check_whole
from .position import Position


class FoX(Position):
    """score_ij + Σ_{l=j+1}^{i} ln f_l, with a gate f_l = σ(w_h · x_l + b_h) for each token and head; no positions.

    The sum is c_i − c_j, with c the running sum of ln f. The softmax over keys takes c_i away, because it is the same
    for all keys of a query, so −c_j is all that is added: one number per key. It needs a causal layer, because a key
    after the query would gain what a key before it loses. With a constant gate f it is ALiBi with the slope −ln f.
    At the start b = 3, so f is about 0.95.
    Raises ValueError for sizes below 1. Source: Lin et al. 2025 (Forgetting Transformer).
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.gate = nn.Linear(check_whole("d_model", d_model), check_whole("n_heads", n_heads))
        nn.init.constant_(self.gate.bias, 3.0)

    def key_bias(self, x: Tensor, before: Tensor | None) -> Tensor:
        if x.shape[-1] != self.gate.in_features:
            raise ValueError(
                f"x {tuple(x.shape)}: expected (batch, n, {self.gate.in_features}), the d_model of this FoX"
            )
        dtype = torch.promote_types(x.dtype, torch.float32)  # a sum over a long text
        forgotten = -logsigmoid(self.gate(x).to(dtype)).cumsum(-2).mT
        return forgotten if before is None else forgotten + before
