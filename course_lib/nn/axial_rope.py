"""RoPE along several axes: row and column of a picture, or time, row and column of a text with pictures."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from ..checks import check_whole
from ..reference import axial_rope as reference
from .kept import kept
from .places import Places, check_from_0, check_span
from .position import Position
from .rope import turned_pairs


class OnAxes(Position):
    """Pair m of token p turns by positions[p, axis[m]] · speeds[m]; pair m is channels (m, m + d/2), half-split.

    positions (n, axes), axis and speeds (d_head/2,). Nothing is learned. `AxialRoPE` and `MRoPE` say which pair turns
    by which axis. The position of a token in the text is its number in this table. Raises ValueError for more tokens
    than the table has.
    """

    def __init__(self, positions: ArrayLike, axis: NDArray, speeds: NDArray) -> None:
        super().__init__()
        self.positions, self.axis, self.speeds = np.array(positions), axis, speeds
        self.positions.setflags(write=False)  # the angles are kept, so they could not follow

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        first_key = past if first_key is None else first_key
        of_q, of_k = (_cos_sin(self, at, x.shape[-2], x.dtype, x.device) for at, x in ((past, q), (first_key, k)))
        return self._turned(q, *of_q), self._turned(k, *of_k)

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        return self._turned(q, *self._cos_sin_at(q, places.i)), self._turned(k, *self._cos_sin_at(k, places.j))

    def _cos_sin_at(self, x: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """cos and sin of the angles of tokens with these numbers (batch or 1, n), (batch or 1, 1, n, d_head/2) each."""
        check_from_0(numbers, f"the table of {type(self).__name__}")
        check_span(n := int(numbers.max()) + 1)
        cos, sin = _cos_sin(self, 0, n, x.dtype, x.device)
        return cos[numbers][:, None], sin[numbers][:, None]

    def _turned(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x (…, n, d_head) with every pair turned."""
        d_head = 2 * len(self.speeds)
        if x.shape[-1] != d_head:
            raise ValueError(f"q {tuple(x.shape)}: expected (…, n_q, {d_head}), the d_head of this RoPE")
        return turned_pairs(x, cos, sin, interleaved=False)

    def places(self, first: int, n: int) -> NDArray:
        """The positions of n tokens from number `first` on, (n, axes)."""
        first = check_whole("past", first, 0)
        if first + n > len(self.positions):
            raise ValueError(f"length {first + n}: expected at most {len(self.positions)}, the tokens in `positions`")
        return self.positions[first : first + n]


@kept
def _cos_sin(position: OnAxes, first: int, n: int, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    """cos and sin of the angles of n tokens from number `first` on, (n, d_head/2) each; q and k ask for the same."""
    with torch.inference_mode(False):  # what is kept must serve training, too
        angle = torch.from_numpy(position.places(first, n).copy())[:, position.axis] * torch.from_numpy(position.speeds)
        return angle.cos().to(device, dtype), angle.sin().to(device, dtype)


class AxialRoPE(OnAxes):
    """RoPE for a picture: half of the pairs turn by the token's row, the others by its column, at the same speeds.

    positions (n, axes): where each token is, as `reference.axial_rope.grid_positions` gives it; three axes work, too.
    So scores see the offset along each axis, which no single row of offsets j − i holds.
    Raises ValueError for sizes that do not fit. Source: Heo et al. 2024 (RoPE for vision transformers), axial form.
    """

    def __init__(self, d_head: int, positions: ArrayLike, *, base: float = 10000.0) -> None:
        positions = reference.check_table(positions)
        super().__init__(positions, *reference.axial(d_head, positions.shape[1], base=base))


class MRoPE(OnAxes):
    """RoPE for a text with pictures: the pairs of one RoPE are dealt to time, row and column.

    positions (n, axes): as `reference.axial_rope.text_positions` gives it; tokens after the table are words. sections,
    interleaved: which pair turns by which axis, as in `reference.axial_rope.mrope`. A word has the same position on all
    axes, so words alone are turned as by `RoPE`. Raises ValueError for sizes that do not fit.
    Sources: Wang et al. 2024 (Qwen2-VL); interleaved: Huang et al. 2025 (Qwen3-VL).
    """

    def __init__(
        self,
        d_head: int,
        positions: ArrayLike,
        sections: Sequence[int],
        *,
        interleaved: bool = False,
        base: float = 10000.0,
    ) -> None:
        positions, axes = reference.check_table(positions), len(sections)
        if positions.shape[1] != axes:
            raise ValueError(f"positions {positions.shape}: expected (n, {axes}), an axis for each of the sections")
        super().__init__(positions, *reference.mrope(d_head, sections, interleaved=interleaved, base=base))
        self.next_position = reference.next_position(positions)

    def places(self, first: int, n: int) -> NDArray:
        words = max(0, first + n - len(self.positions))
        after = self.next_position + np.arange(words)
        on_all_axes = np.repeat(after[:, None], self.positions.shape[1], axis=1)
        return np.concatenate([self.positions, on_all_axes])[first : first + n]
