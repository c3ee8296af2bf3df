"""The released model as the lessons use it: read a text, look inside, change something for the length of a block."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ..checks import check_whole
from ..nn.cache import KeyValueCache, RingCache
from ..nn.grid import from_grid
from ..nn.terms import for_each_head
from .changes import Changes
from .decoder import Decoder

CHUNK = 512  # tokens that are read through a window, or turned into logits, at a time
END = "<|im_end|>"


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
    A text is a string or a tensor of token numbers (n,). No method computes gradients. `decoder.to("cuda")` moves the
    model to a GPU; results are then there, too.
    """

    def __init__(self, decoder: Decoder, tokenizer: Any) -> None:
        self.decoder, self.tokenizer, config = decoder, tokenizer, decoder.config
        self.n_layers, self.n_heads, self.n_kv_heads = config.n_layers, config.n_heads, config.n_kv_heads
        self.changes = Changes.none(decoder.rope, config.n_layers, config.n_heads)
        self.d_head, self.speeds = config.d_head, self.changes.trained
        for layer, block in enumerate(decoder.blocks):
            block.attention.out.register_forward_pre_hook(
                lambda _, args, layer=layer: self.changes.outputs(layer, args[0])
            )

    def encode(self, text: str) -> Tensor:
        """The numbers of the tokens of a text, (n,). No start token is added."""
        return torch.tensor(self.tokenizer.encode(text).ids)

    def tokens(self, text: str | Tensor) -> list[str]:
        """The tokens of a text, each as a string."""
        return [self.tokenizer.decode([number], skip_special_tokens=False) for number in self._numbers(text).tolist()]

    @torch.no_grad()
    def losses(self, text: str | Tensor) -> Tensor:
        """−ln p(token t + 1 | tokens 0 … t) for t = 0 … n − 2, in nats: (n − 1,).

        16,384 tokens need no n × n grid of scores, unless a mask or a bias of that size was given.
        """
        numbers = self._numbers(text, least=2)
        parts = zip(self._read(numbers)[:-1].split(CHUNK), numbers[1:].split(CHUNK))
        return torch.cat([cross_entropy(self.decoder.out(x), targets, reduction="none") for x, targets in parts])

    @torch.no_grad()
    def generate(self, text: str | Tensor, n: int) -> str:
        """The continuation by at most n tokens, each the likeliest one, with a cache; it ends before `<|im_end|>`.

        Raises ValueError inside a change with a mask, which fits one length only, or with sinks that are not the first.
        """
        if self.changes.mask is not None or (self.changes.window and not self._ring_is_enough()):
            raise ValueError("generate: expected no mask, and no sinks but the first tokens")
        new, written, end = self._numbers(text), [], self.tokenizer.token_to_id(END)
        caches = self.caches()
        for _ in range(check_whole("n", n)):
            new = self.decoder.out(self.read_on(new, caches)[-1:]).argmax(-1)
            if int(new) == end:
                break
            written.append(int(new))
        return self.tokenizer.decode(written)

    @torch.no_grad()
    def inside(self, text: str | Tensor) -> Iterator[Inside]:
        """What is inside, layer by layer; a layer is computed when it is asked for, so memory holds one at a time."""
        numbers = self._numbers(text)
        mask, x = self.changes.visible(len(numbers), numbers.device), self.decoder.embedded(numbers[None])
        for block in self.decoder.blocks:
            attention, seen = block.attention, block.norm1(x)
            q, k, v = (attention.heads(part(seen))[0] for part in (attention.query, attention.key, attention.value))
            yield Inside(x[0], q, k, v, attention.weights(seen, mask=mask)[0])
            x = block(x, mask=mask)

    def attention(self, text: str | Tensor, layer: int, head: int) -> Tensor:
        """The weights of one head, (n, n), row i for query i."""
        return self._inside_of(text, layer, head).weights[head]

    def queries_and_keys(self, text: str | Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Queries (n_heads, n, d_head) and keys (n_kv_heads, n, d_head) of a layer before they are rotated."""
        inside = self._inside_of(text, layer)
        return inside.q, inside.k

    def profiles(self, text: str | Tensor, first_query: int = 0) -> tuple[Tensor, Tensor]:
        """Where each head looks, on average over the queries `first_query` … n − 1 of a text, from one pass.

        The share of its weight at each distance i − j = 0 … n − 1, (n_layers, n_heads, n), each summing to 1; and the
        share of token 0, (n_layers, n_heads). Raises ValueError for a `first_query` that is not in the text.
        """
        by_distance, on_first = [], []
        for inside in self.inside(text):
            n = len(inside.x)
            if check_whole("first_query", first_query, 0) >= n:
                raise ValueError(f"first_query={first_query}: expected 0 … {n - 1}")
            weights = inside.weights[:, first_query:]
            sums = from_grid(weights)[:, 0, :n].flip(-1)  # offsets −(n − 1) … 0, reversed
            by_distance.append(sums / (n - first_query))
            on_first.append(weights[:, :, 0].mean(-1))
        return torch.stack(by_distance), torch.stack(on_first)

    def mean_outputs(self, text: str | Tensor) -> Tensor:
        """Σ_j w_ij v_j of each head, on average over the queries i of a text: (n_layers, n_heads, d_head)."""
        layers = [(inside.weights.mean(1, keepdim=True), inside.v) for inside in self.inside(text)]
        return torch.stack([(weights @ for_each_head(v, self.n_heads))[:, 0] for weights, v in layers])

    @contextmanager
    def changed(self, **changes: Any) -> Iterator[None]:
        """Change the model inside a `with` block; afterwards it is as it was before, also after an exception.

        Blocks nest, and an inner one adds to the outer ones. `layers` says in which layers position, bias, speeds,
        turn_query and score_factor change, or `heads`, pairs (layer, head), where the last three do; else everywhere.

        position: another scheme in place of the rotation, `Position()` for none at all.
        speeds: other speeds of the 32 pairs, in radians per position; 0 stops a pair, 32 zeros the whole rotation.
        turn_query: queries are turned as if they were at this many positions more; keys are not.
        score_factor: multiplies scale · q·k, before any bias; speeds of YaRN go with the square of its factor.
        bias: added to the scores: a scheme with a bias, or numbers (n, n) or (n_heads, n, n), row i for query i, on the
            device of the model.
        positions (n,): the position of each token, in place of 0 … n − 1.
        mask (n, n): True where a query may look; later keys stay hidden.
        window, sinks: a query sees only the last `window` tokens, itself among them, and the tokens numbered `sinks`.
        stopped_heads: the outputs of these heads are 0, or those in `replaced_by` (n_layers, n_heads, d_head), for
            example `mean_outputs` of a text.

        Raises ValueError for a layer, head or shape that does not fit, and for changes that exclude each other.
        """
        before = self.changes
        self._put(before.with_(**changes))
        try:
            yield
        finally:
            self._put(before)

    def read_on(self, numbers: Tensor, caches: Sequence[KeyValueCache]) -> Tensor:
        """The hidden states of tokens that continue the text in these caches, (n, d_model); read in chunks."""
        return torch.cat([self.decoder(chunk[None], caches=caches)[0] for chunk in numbers.split(CHUNK)])

    def caches(self) -> list[KeyValueCache]:
        """An empty cache for each layer, which keeps what a later token may see."""
        window, sinks = self.changes.window, self.changes.sinks
        return [KeyValueCache() if window is None else RingCache(window, keep=len(sinks)) for _ in self.decoder.blocks]

    def _put(self, changes: Changes) -> None:
        new = [changes.position(layer) for layer in range(self.n_layers)]
        self.changes = changes
        for block, position in zip(self.decoder.blocks, new):
            block.attention.position = position

    def _numbers(self, text: str | Tensor, least: int = 1) -> Tensor:
        """The token numbers of a text, (n,), at least so many. Raises ValueError for what is not a text."""
        numbers, top = self.encode(text) if isinstance(text, str) else text, self.decoder.config.vocabulary
        whole = isinstance(numbers, Tensor) and numbers.dim() == 1 and not numbers.is_floating_point()
        if not whole or len(numbers) < least or numbers.min() < 0 or numbers.max() >= top:
            raise ValueError(f"text={text!r}: expected a string, or {least} or more token numbers 0 … {top - 1}, (n,)")
        return numbers.to(self.decoder.out.weight.device)

    def _read(self, numbers: Tensor) -> Tensor:
        """The hidden states of a text, (n, d_model)."""
        if self._ring_is_enough():
            return self.read_on(numbers, self.caches())
        return self.decoder(numbers[None], self.changes.visible(len(numbers), numbers.device))[0]

    def _ring_is_enough(self) -> bool:
        """Whether a query may see a window and the first tokens, and nothing else is hidden."""
        window, sinks = self.changes.window, self.changes.sinks
        return window is not None and self.changes.mask is None and sinks == tuple(range(len(sinks)))

    def _inside_of(self, text: str | Tensor, layer: int, head: int = 0) -> Inside:
        if check_whole("layer", layer, 0) >= self.n_layers or check_whole("head", head, 0) >= self.n_heads:
            raise ValueError(f"layer={layer}, head={head}: expected 0 … {self.n_layers - 1} and 0 … {self.n_heads - 1}")
        return next(islice(self.inside(text), layer, None))
