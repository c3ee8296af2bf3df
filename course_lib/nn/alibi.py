"""ALiBi: the linear decay of `bias`, with a fixed slope per head."""

from ..reference.alibi import slopes
from .bias import DecayBias


class ALiBi(DecayBias):
    """b_h(r) = −m_h · |r|, slopes m as in `reference.alibi.slopes`, added after the scaling; nothing is learned.

    In a layer with causal=True this is the paper's −m_h (i − j); without, its symmetric form for encoders.
    Raises ValueError for fewer than 1 head. Source: Press et al. 2022, section 3.
    """

    def __init__(self, n_heads: int) -> None:
        super().__init__(slopes(n_heads).tolist(), "linear")
