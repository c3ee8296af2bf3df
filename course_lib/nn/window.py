"""Swin: attention inside windows of an image, with a bias per offset in two dimensions, and windows that shift."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from ..checks import check_whole
from ..reference import window as reference


class WindowAttention(nn.Module):
    """softmax(q·k / √d_head + B) v inside each W × W window, B_h[i, j] = table[index[i, j], h].

    `table` ((2W − 1)², n_heads) is learned, its index `reference.window.window_index`, with offsets key − query.
    With a shift the image is rolled by −shift both ways first, and back after; patches that only the roll brought
    together do not see each other. Raises ValueError for sizes that do not fit. Source: Liu et al. 2021, section 3.2.
    """

    def __init__(self, d_model: int, n_heads: int, window: int, *, shift: int = 0) -> None:
        super().__init__()
        if n_heads < 1 or d_model < 1 or d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}: d_model must be a positive multiple of n_heads")
        self.d_model, self.n_heads, self.window, self.shift = d_model, n_heads, check_whole("window", window), shift
        reference.check_shift(shift, window)
        self.table = nn.Parameter(0.02 * torch.randn((2 * window - 1) ** 2, n_heads))
        self._index = reference.window_index(window)  # no buffer: one made without memory would hold anything
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    @property
    def index(self) -> Tensor:
        """The row of `table` for each pair of patches, (W², W²)."""
        return torch.from_numpy(self._index).to(self.table.device)

    def forward(self, image: Tensor) -> Tensor:
        """image (batch, height, width, d_model), height and width multiples of W; the same shape comes back."""
        if image.dim() != 4 or image.shape[-1] != self.d_model:
            raise ValueError(f"image {tuple(image.shape)}: expected (batch, height, width, {self.d_model})")
        height, width = image.shape[1:3]
        x = reference.partition(image.roll((-self.shift, -self.shift), (1, 2)), self.window)
        q, k, v = self._heads(self.query(x)), self._heads(self.key(x)), self._heads(self.value(x))
        bias = self.table[self.index].movedim(-1, 0)  # (heads, W², W²), the same in every window
        if self.shift:
            mask = reference.shift_mask(height, width, self.window, self.shift)
            hidden = ~torch.from_numpy(mask).to(image.device)
            bias = bias.masked_fill(hidden[:, None], float("-inf"))  # (windows, heads, W², W²)
        # All windows are one batch to the attention; the bias in front is what relative position adds.
        y = scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        y = reference.reverse(self.out(y.transpose(-2, -3).flatten(-2)), height, width)
        return y.roll((self.shift, self.shift), (1, 2))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)
