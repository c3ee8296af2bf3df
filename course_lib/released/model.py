"""The released model as the lessons use it: read a text, look inside, change something for the length of a block."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from ..nn.position import Position

Heads = Iterable[tuple[int, int]]  # pairs (layer, head), both counted from 0


@dataclass(frozen=True)
class Inside:
    """What one layer sees and does with a text of n tokens; queries and keys are those before they are rotated."""

    x: Tensor  # (n, d_model): the residual stream that enters the layer
    q: Tensor  # (n_heads, n, d_head)
    k: Tensor  # (n_kv_heads, n, d_head)
    v: Tensor  # (n_kv_heads, n, d_head)
    weights: Tensor  # (n_heads, n, n)


class Released:
    """SmolLM2-135M-Instruct. Query head h reads key and value head h // 3.

    `n_layers` 30, `n_heads` 9, `n_kv_heads` 3, `d_head` 64, `speeds` (32,): radians per position of the pairs of RoPE.
    A text is a string or a tensor of token numbers (n,). No method computes gradients.
    """

    def encode(self, text: str) -> Tensor:
        """The numbers of the tokens of a text, (n,). No start token is added."""
        raise NotImplementedError

    def tokens(self, text: str | Tensor) -> list[str]:
        """The tokens of a text, each as a string."""
        raise NotImplementedError

    def losses(self, text: str | Tensor) -> Tensor:
        """−ln p(token t + 1 | tokens 0 … t) for t = 0 … n − 2, in nats: (n − 1,).

        A text longer than CHUNK tokens is read in chunks with a cache, so 16,384 tokens need no n × n grid.
        """
        raise NotImplementedError

    def logits(self, text: str | Tensor) -> Tensor:
        """The scores of all tokens of the vocabulary after each token: (n, 49152)."""
        raise NotImplementedError

    def generate(self, text: str | Tensor, n: int) -> str:
        """The continuation by at most n tokens, each the likeliest one, with a cache; it ends with `<|im_end|>`."""
        raise NotImplementedError

    def inside(self, text: str | Tensor) -> Iterator[Inside]:
        """Layer by layer, what is inside; a layer is computed when it is asked for, so memory holds one at a time."""
        raise NotImplementedError

    def attention(self, text: str | Tensor, layer: int, head: int | None = None) -> Tensor:
        """The weights of one head, (n, n), row i for query i; with head=None of all heads, (n_heads, n, n)."""
        raise NotImplementedError

    def queries_and_keys(self, text: str | Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Queries (n_heads, n, d_head) and keys (n_kv_heads, n, d_head) of a layer before they are rotated."""
        raise NotImplementedError

    @contextmanager
    def changed(
        self,
        *,
        layers: Iterable[int] | None = None,
        heads: Heads | None = None,
        position: Position | None = None,
        speeds: Sequence[float] | Tensor | None = None,
        turn_query: float | None = None,
        score_factor: float | None = None,
        bias: Position | Tensor | None = None,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        window: int | None = None,
        sinks: Iterable[int] = (),
        stopped_heads: Heads = (),
    ) -> Iterator[None]:
        """Change the model inside a `with` block; afterwards it is as it was before, also after an exception.

        Blocks nest, and an inner one adds to the outer ones. `layers` and `heads` say where position, speeds,
        turn_query, score_factor and bias change: in these layers, or in these pairs (layer, head); everywhere by default.

        position: another scheme in place of the rotation, `Position()` for none at all.
        speeds: other speeds of the 32 pairs, in radians per position; 0 stops a pair.
        turn_query: queries are turned as if they were at this many positions more; keys are not.
        score_factor: multiplies scale · q·k, before any bias.
        bias: added to the scores: a scheme with a bias, or numbers (n, n) or (n_heads, n, n), row i for query i.
        positions (n,): the position of each token, in place of 0 … n − 1.
        mask (n, n): True where a query may look; later keys stay hidden.
        window, sinks: a query sees only the last `window` tokens, itself among them, and the tokens numbered `sinks`.
        stopped_heads: the outputs of these heads are 0.

        Raises ValueError for a layer, head or shape that does not fit, and for changes that exclude each other.
        """
        raise NotImplementedError
        yield


def load(path: Path | str | None = None, pairing: str = "interleaved") -> Released:
    """The model from its GGUF file, in at most 3 s: `path`, or else the file that `model_file` finds.

    pairing: the channels that RoPE turns together. "interleaved": (2m, 2m + 1), as in the file. "half-split":
    (m, m + 32), with the rows of W_q and W_k reordered to fit; all results are the same.
    Raises ValueError for a file that is not this model, that is damaged, or that gives a wrong loss for a known text.
    """
    raise NotImplementedError
