"""One way to call every kind of model: the checks ask an `Examined`, and each kind of model answers in a class."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..nn.cache import KeyValueCache
from ..released.model import Released
from .check import Refused


@dataclass(frozen=True)
class Shown:
    """The attention weights (heads, n, n) of each layer, and the logits of the same call where it has them."""

    weights: Sequence[Tensor]
    logits: Tensor | None = None


class Examined:
    """A model under examination. What it cannot answer raises `Refused` with the reason."""

    name = "model"
    vocabulary: int
    length = 512  # tokens, as its file says
    config: Mapping[str, Any]  # the keys of its config.json, as far as they are known
    table: int | None = None  # the rows of a table of absolute positions

    def logits(
        self, ids: Tensor, positions: Tensor | None = None, padding: Tensor | None = None, seen: Tensor | None = None
    ) -> Tensor:
        """(batch, n, vocabulary) after ids (batch, n), in float32.

        positions (batch or 1, n); padding (batch or 1, n), False for padding; seen (n, n), True where a query may look
        at a key that is not after it.
        """
        raise NotImplementedError

    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        """Logits of tokens that continue those in the cache, and the cache after them."""
        raise Refused("the model keeps no cache")

    def go_back(self, cache: Any, n: int) -> None:
        """Take the last n tokens out of the cache."""
        raise Refused("the cache has no way back")

    def shown(self, ids: Tensor, positions: Tensor | None = None) -> Shown:
        """The attention weights of every layer for one text (1, n)."""
        raise Refused("the model shows no attention weights; give `weights`, a function of (ids, positions)")

    def states(self, ids: Tensor, positions: Tensor | None = None) -> list[Tensor]:
        """What enters each layer and what leaves the last, (n, channels) each."""
        return []

    def generated(self, ids: Tensor, padding: Tensor, n: int) -> list[Tensor]:
        """The logits of each of n new tokens, (batch, vocabulary)."""
        raise Refused("the model has no generate()")

    def packed_by_numbers(self, ids: Tensor, positions: Tensor, cache: bool) -> Tensor:
        """Logits of documents that only their positions tell apart, without a mask."""
        raise Refused("only transformers separates documents by their positions")

    def in_bfloat16(self) -> "Examined":
        """The same model, rounded."""
        raise Refused("only for transformers and the course's model")

    @property
    def has_sinks(self) -> bool:
        """Whether its weights hold a learned sink for each head."""
        return False


class Function(Examined):
    """A plain function logits(ids, positions=None, mask=None), and another for the weights; one of them may be missing.

    ids and positions are (batch, n), mask is bool (batch, n, n), True where a query may look. The weights are a list or
    tensor of (heads, n, n) for each layer, of weights(ids, positions) with ids (1, n).
    """

    def __init__(
        self,
        function: Callable[..., Tensor] | None,
        weights: Callable[..., Any] | None,
        vocabulary: int | None,
        config: Mapping[str, Any],
    ) -> None:
        self.function, self.weights_of, self.config = function, weights, config
        self.name = getattr(function or weights, "__name__", type(function or weights).__name__)
        self.length = config.get("max_position_embeddings", 512)
        self.vocabulary = vocabulary or 0  # not known yet
        self.vocabulary = vocabulary or self.logits(torch.zeros(1, 2, dtype=torch.long)).shape[-1]

    @torch.no_grad()
    def logits(
        self, ids: Tensor, positions: Tensor | None = None, padding: Tensor | None = None, seen: Tensor | None = None
    ) -> Tensor:
        if self.function is None:
            raise Refused("there is no function for the logits")
        batch, n = ids.shape
        given: dict[str, Tensor] = {} if positions is None else {"positions": positions.expand(batch, n)}
        if padding is not None or seen is not None:
            mask = torch.ones(batch, n, n, dtype=torch.bool) if seen is None else seen.expand(batch, n, n)
            given["mask"] = mask if padding is None else mask & padding.expand(batch, n)[:, None]
        takes = inspect.signature(self.function).parameters
        if missing := [name for name in given if name not in takes]:
            raise Refused(f"{self.name} takes no {' and no '.join(missing)}")
        found = called(self.function, ids, **given)
        size = self.vocabulary or (found.shape[-1] if isinstance(found, Tensor) and found.dim() else 0)
        if not isinstance(found, Tensor) or found.shape != (batch, n, size):
            wanted = (batch, n, self.vocabulary or "vocabulary")
            raise Refused(f"{self.name} returned {described(found)}, expected logits {wanted}")
        return found.float()

    @torch.no_grad()
    def shown(self, ids: Tensor, positions: Tensor | None = None) -> Shown:
        if self.weights_of is None:
            return super().shown(ids, positions)
        n = ids.shape[1]
        layers = [torch.as_tensor(layer) for layer in called(self.weights_of, ids, positions)]
        layers = [layer[0] if layer.dim() == 4 else layer for layer in layers]
        for layer in layers:
            if layer.dim() != 3 or layer.shape[1:] != (n, n):
                raise Refused(f"weights returned {described(layer)} for a layer, expected (heads, {n}, {n})")
        return Shown(layers)


class Course(Examined):
    """The course's released model."""

    def __init__(self, released: Released) -> None:
        self.released, self.decoder, config = released, released.decoder, released.decoder.config
        self.name, self.vocabulary = "SmolLM2-135M-Instruct in the course's layers", config.vocabulary
        self.length = 8192
        self.config = {
            "model_type": "llama",
            "rope_theta": config.base,
            "num_hidden_layers": config.n_layers,
            "num_attention_heads": config.n_heads,
            "hidden_size": config.d_model,
            "max_position_embeddings": self.length,
        }

    @torch.no_grad()
    def logits(
        self, ids: Tensor, positions: Tensor | None = None, padding: Tensor | None = None, seen: Tensor | None = None
    ) -> Tensor:
        mask = None if padding is None else padding[:, None, None]
        if seen is not None:
            mask = seen if mask is None else mask & seen
        return self.decoder.out(self.decoder(ids, mask, positions=positions)).float()

    @torch.no_grad()
    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        cache = [KeyValueCache() for _ in self.decoder.blocks] if cache is None else cache
        return self.decoder.out(self.decoder(ids, caches=cache)), cache

    def go_back(self, cache: Any, n: int) -> None:
        for layer in cache:
            layer.take(slice(layer.read - n))

    @torch.no_grad()
    def shown(self, ids: Tensor, positions: Tensor | None = None) -> Shown:
        with self.released.changed(positions=None if positions is None else positions[0]):
            return Shown([layer.weights for layer in self.released.inside(ids[0])])

    @torch.no_grad()
    def states(self, ids: Tensor, positions: Tensor | None = None) -> list[Tensor]:
        with self.released.changed(positions=None if positions is None else positions[0]):
            return [*(layer.x for layer in self.released.inside(ids[0])), self.decoder(ids)[0]]

    def in_bfloat16(self) -> "Course":
        low = copy.copy(self)
        low.decoder = copy.deepcopy(self.decoder).bfloat16()
        return low


def called(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What it returns, or `Refused` with what it raised."""
    try:
        return function(*arguments, **named)
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        raise Refused(f"the model raised {type(error).__name__}: {first[:90]}") from error


def described(value: Any) -> str:
    return f"a tensor {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
