"""FoX, the forgetting transformer: each token decides how much of everything before it is forgotten."""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from .position import Position


class FoX(Position):
    """score_ij + Σ_{l=j+1}^{i} log f_l, with a gate f_l = σ(w_h · x_l + b_h) for each token and head; no positions.

    The sum is c_i − c_j, with c the running sum of log f. The softmax over keys takes c_i away, because it is the same
    for all keys of a query, so −c_j is all that is added: one number per key. With a constant gate f this is ALiBi with
    the slope −log f. At the start b = 3, so f is about 0.95.
    Source: Lin et al. 2025 (Forgetting Transformer), section 3.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, n_heads)
        nn.init.constant_(self.gate.bias, 3.0)

    def key_bias(self, x: Tensor, before: Tensor | None) -> Tensor:
        dtype = torch.promote_types(x.dtype, torch.float32)  # a sum over a long text
        forgotten = -logsigmoid(self.gate(x).to(dtype)).cumsum(-2).mT
        return forgotten if before is None else forgotten + before
