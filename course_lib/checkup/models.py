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
class Asked:
    """What a model is asked to read: tokens, and what it should know of their places."""

    ids: Tensor  # (batch, n)
    positions: Tensor | None = None  # (batch or 1, n)
    padding: Tensor | None = None  # (batch or 1, n), False for padding
    seen: Tensor | None = None  # (n, n), True where a query may look at a key that is not after it
    last: int = 0  # the logits of so many last tokens are enough; 0: all. With a large vocabulary they are costly.


class Examined:
    """A model under examination. What it cannot answer raises `Refused` with the reason."""

    name = "model"
    vocabulary: int
    length = 512  # tokens, as its file says
    config: Mapping[str, Any]  # the keys of its config.json, as far as they are known
    table: int | None = None  # the rows of a table of absolute positions
    has_sinks = False  # whether its weights hold a learned sink for each head

    def logits(self, asked: Asked) -> Tensor:
        """(batch, n, vocabulary), in float32; or of the last tokens alone, if they are enough."""
        raise NotImplementedError

    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        """Logits of tokens that continue those in the cache, and the cache after them."""
        raise Refused("the model keeps no cache")

    def go_back(self, cache: Any, n: int) -> None:
        """Take the last n tokens out of the cache."""
        raise Refused("the cache has no way back")

    def shown(self, asked: Asked) -> tuple[Sequence[Tensor], Tensor | None]:
        """The attention weights (heads, n, n) of each layer for one text, and the logits of that call, if any."""
        raise Refused("the model shows no attention weights; give `weights`, a function of (ids, positions)")

    def states(self, asked: Asked) -> list[Tensor]:
        """What enters each layer and what leaves the last, (n, channels) each; empty if the model does not tell."""
        return []

    def generated(self, ids: Tensor, padding: Tensor, n: int) -> Tensor:
        """The logits of n new tokens, (batch, n, vocabulary)."""
        raise Refused("the model has no generate()")

    def packed_by_numbers(self, asked: Asked, cache: bool) -> Tensor:
        """Logits of documents that only their positions tell apart, without a mask."""
        raise Refused("only transformers separates documents by their positions")

    def in_bfloat16(self) -> "Examined":
        """The same model, rounded."""
        raise Refused("only for transformers and the course's model")


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
        self.vocabulary = vocabulary or self.logits(Asked(torch.zeros(1, 2, dtype=torch.long))).shape[-1]

    @torch.no_grad()
    def logits(self, asked: Asked) -> Tensor:
        if self.function is None:
            raise Refused("there is no function for the logits")
        batch, n = asked.ids.shape
        given: dict[str, Tensor] = {} if asked.positions is None else {"positions": asked.positions.expand(batch, n)}
        if asked.padding is not None or asked.seen is not None:
            mask = torch.ones(batch, n, n, dtype=torch.bool) if asked.seen is None else asked.seen.expand(batch, n, n)
            given["mask"] = mask if asked.padding is None else mask & asked.padding.expand(batch, n)[:, None]
        if missing := [name for name in given if name not in inspect.signature(self.function).parameters]:
            raise Refused(f"{self.name} takes no {' and no '.join(missing)}")
        found = called(self.function, asked.ids, **given)
        size = self.vocabulary or (found.shape[-1] if isinstance(found, Tensor) and found.dim() else 0)
        if not isinstance(found, Tensor) or found.shape != (batch, n, size):
            wanted = (batch, n, self.vocabulary or "vocabulary")
            raise Refused(f"{self.name} returned {described(found)}, expected a torch tensor of logits {wanted}")
        return found.float()

    @torch.no_grad()
    def shown(self, asked: Asked) -> tuple[Sequence[Tensor], Tensor | None]:
        if self.weights_of is None:
            return super().shown(asked)
        n = asked.ids.shape[1]
        layers = [torch.as_tensor(layer) for layer in called(self.weights_of, asked.ids, asked.positions)]
        layers = [layer[0] if layer.dim() == 4 else layer for layer in layers]
        for layer in layers:
            if layer.dim() != 3 or layer.shape[1:] != (n, n):
                raise Refused(f"weights returned {described(layer)} for a layer, expected (heads, {n}, {n})")
        return layers, None


class Course(Examined):
    """The course's released model."""

    length = 8192

    def __init__(self, released: Released) -> None:
        self.released, self.decoder, config = released, released.decoder, released.decoder.config
        self.name, self.vocabulary = "SmolLM2-135M-Instruct in the course's layers", config.vocabulary
        self.config = {
            "model_type": "llama",
            "rope_theta": config.base,
            "num_hidden_layers": config.n_layers,
            "num_attention_heads": config.n_heads,
            "hidden_size": config.d_model,
            "max_position_embeddings": self.length,
        }

    @torch.no_grad()
    def logits(self, asked: Asked) -> Tensor:
        mask = None if asked.padding is None else asked.padding[:, None, None]
        if asked.seen is not None:
            mask = asked.seen if mask is None else mask & asked.seen
        return self.decoder.out(self.decoder(asked.ids, mask, positions=asked.positions)[:, -asked.last :]).float()

    @torch.no_grad()
    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        cache = [KeyValueCache() for _ in self.decoder.blocks] if cache is None else cache
        return self.decoder.out(self.decoder(ids, caches=cache)), cache

    def go_back(self, cache: Any, n: int) -> None:
        for layer in cache:
            layer.take(slice(layer.read - n))

    @torch.no_grad()
    def shown(self, asked: Asked) -> tuple[Sequence[Tensor], Tensor | None]:
        with self.released.changed(positions=None if asked.positions is None else asked.positions[0]):
            return [layer.weights for layer in self.released.inside(asked.ids[0])], None

    @torch.no_grad()
    def states(self, asked: Asked) -> list[Tensor]:
        with self.released.changed(positions=None if asked.positions is None else asked.positions[0]):
            return [*(layer.x for layer in self.released.inside(asked.ids[0])), self.decoder(asked.ids)[0]]

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
