"""A causal language model of transformers, or the decoder of an encoder-decoder, as the checks call it."""

import copy
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .check import Refused
from .config import read
from .models import Examined, Shown, called

TABLES = ("wpe", "embed_positions", "position_embeddings")  # names of tables of absolute positions
LOW = (torch.bfloat16, torch.float16)


class Transformers(Examined):
    """A model in bfloat16 or float16 is copied to float32 first: otherwise every check would drown in rounding.

    The decoder of an encoder-decoder reads a short fixed source. Raises ValueError for a model in training mode.
    """

    def __init__(self, model: Any) -> None:
        if model.training:
            raise ValueError("model: it is in training mode, expected model.eval(), because dropout changes its logits")
        self.model = copy.deepcopy(model).float() if model.dtype in LOW else model
        config = model.config.get_text_config(decoder=True)
        self.two_parts = bool(getattr(model.config, "is_encoder_decoder", False))
        self.name, self.config = type(model).__name__, config.to_dict() | {"model_type": config.model_type}
        self.vocabulary = config.vocab_size
        self.said = read(self.config)
        self.length = self.said.length or 512
        rows = [len(weight) for name, weight in model.named_parameters() if name.split(".")[-2] in TABLES]
        self.table = min(rows) - 2 * (config.model_type == "opt") if rows else None  # OPT begins at row 2
        self.takes_positions = "position_ids" in inspect.signature(model.forward).parameters

    def logits(
        self, ids: Tensor, positions: Tensor | None = None, padding: Tensor | None = None, seen: Tensor | None = None
    ) -> Tensor:
        return self._called(ids, positions, padding, seen).logits

    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        out = self._called(ids, past_key_values=cache, use_cache=True)
        if getattr(out, "past_key_values", None) is None:
            raise Refused("the model keeps no cache")
        return out.logits, out.past_key_values

    def go_back(self, cache: Any, n: int) -> None:
        called(cache.crop, -n)

    def shown(self, ids: Tensor, positions: Tensor | None = None) -> Shown:
        with self._eager():
            out = self._called(ids, positions, output_attentions=True, use_cache=False)
        weights = getattr(out, "decoder_attentions" if self.two_parts else "attentions", None)
        if not weights or any(layer is None for layer in weights):
            raise Refused("the model shows no attention weights")
        return Shown([layer[0].cpu() for layer in weights], out.logits)

    def states(self, ids: Tensor, positions: Tensor | None = None) -> list[Tensor]:
        out = self._called(ids, positions, output_hidden_states=True, use_cache=False)
        states = out.decoder_hidden_states if self.two_parts else out.hidden_states
        return [layer[0].cpu() for layer in states]

    @torch.no_grad()
    def generated(self, ids: Tensor, padding: Tensor, n: int) -> list[Tensor]:
        if self.two_parts or not hasattr(self.model, "generate"):
            raise Refused("the model continues no prompt")
        how = {"max_new_tokens": n, "min_new_tokens": n, "do_sample": False, "pad_token_id": 0}
        how |= {"output_logits": True, "return_dict_in_generate": True}
        device = self.model.device
        out = called(self.model.generate, ids.to(device), attention_mask=padding.long().to(device), **how)
        return [step.cpu() for step in out.logits]

    def packed_by_numbers(self, ids: Tensor, positions: Tensor, cache: bool) -> Tensor:
        if self.two_parts or not self.takes_positions:
            raise Refused("the model takes no positions")
        return self._run(input_ids=ids, position_ids=positions, use_cache=cache).logits

    def in_bfloat16(self) -> "Transformers":
        low = copy.copy(self)
        low.model = copy.deepcopy(self.model).bfloat16()
        return low

    @property
    def has_sinks(self) -> bool:
        return any(name.endswith("sinks") for name, _ in self.model.named_parameters())

    def _called(
        self,
        ids: Tensor,
        positions: Tensor | None = None,
        padding: Tensor | None = None,
        seen: Tensor | None = None,
        **more: Any,
    ) -> Any:
        part = "decoder_" if self.two_parts else ""
        given = {f"{part}input_ids": ids}
        if positions is not None:
            if not self.takes_positions:
                raise Refused("the model takes no positions")
            if self.table and int(positions.max()) >= self.table:
                raise Refused(f"its table ends after {self.table} positions")
            given["position_ids"] = positions.expand(len(ids), -1)
            # Without a mask, transformers takes a jump in the positions for the beginning of another document.
            padding = torch.ones_like(ids) if padding is None else padding
        if padding is not None:
            given[f"{part}attention_mask"] = padding.long()
        if seen is not None:
            given[f"{part}attention_mask"] = self._grids(seen)
        if self.two_parts:
            given["input_ids"] = torch.arange(3, 9).expand(len(ids), -1)
        return self._run(**given, **more)

    def _grids(self, seen: Tensor) -> Any:
        """`seen` as numbers to add. Such a grid replaces a model's own windows, so they are drawn into it."""
        n = len(seen)
        i, j = torch.arange(n)[:, None], torch.arange(n)
        windows = {(layer.kind, layer.window, layer.chunk) for layer in self.said.layers}
        grids = {}
        for kind, window, chunk in windows:
            visible = seen & (j <= i) & (i - j < (window or n)) & (i // (chunk or n) == j // (chunk or n))
            grids[kind] = torch.zeros(1, 1, n, n).masked_fill(~visible, torch.finfo(torch.float32).min)
        return grids if len(grids) > 1 else next(iter(grids.values()))  # layers of several kinds want one for each

    @torch.no_grad()
    def _run(self, **given: Any) -> Any:
        device = self.model.device
        given = {name: value.to(device) if isinstance(value, Tensor) else value for name, value in given.items()}
        out = called(self.model, **given)
        if getattr(out, "logits", None) is None:
            raise Refused("it returns no logits")
        out.logits = out.logits.float().cpu()
        return out

    @contextmanager
    def _eager(self) -> Iterator[None]:
        """The plain implementation of attention, which alone shows its weights, for the duration of a block."""
        before = self.model.config._attn_implementation
        if before == "eager":
            yield
            return
        self.model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self.model.set_attn_implementation(before)


def loaded(name: str | Path, download: bool = False) -> tuple[Any, Any]:
    """A causal model, and its tokenizer or None, from a folder or, by name, from the local cache.

    Raises ValueError where transformers is missing, and for a model that it cannot read. Code that comes with a model
    is never run.
    """
    try:
        import transformers
    except ImportError:
        raise ValueError("transformers is missing: install it with `pip install transformers`") from None
    if Path(name).is_absolute() and not Path(name).is_dir():
        raise ValueError(f"{name}: there is no such folder")
    how = {"local_files_only": not download, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(name, **how)
        kind = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
        model = kind.from_pretrained(name, dtype=torch.float32, **how)
    except (OSError, ValueError, ImportError) as error:
        why = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        hint = "" if download else " A name that is not in the local cache needs --download."
        raise ValueError(f"{name}: transformers cannot read it as a causal language model: {why}{hint}") from error
    try:
        return model, transformers.AutoTokenizer.from_pretrained(name, **how)
    except (OSError, ValueError, ImportError, KeyError):
        return model, None
