"""A causal language model of transformers, or the decoder of an encoder-decoder, as the checks call it."""

import copy
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .check import Refused
from .config import read
from .models import Asked, Examined, called

TABLES = ("wpe", "embed_positions", "position_embeddings")  # names of tables of absolute positions
NO_POSITIONS = "forward() names no position_ids"
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
        self.part = "decoder_" if self.two_parts else ""
        self.name, self.config = type(model).__name__, config.to_dict() | {"model_type": config.model_type}
        self.vocabulary, self.length = config.vocab_size, read(self.config).length or 512
        rows = [len(weight) for name, weight in model.named_parameters() if name.split(".")[-2] in TABLES]
        self.table = min(rows) - 2 * (config.model_type == "opt") if rows else None  # OPT begins at row 2
        self.takes = inspect.signature(model.forward).parameters
        self.takes_positions = takes_positions(model)
        self.has_sinks = any(name.endswith("sinks") for name, _ in model.named_parameters())

    def logits(self, asked: Asked) -> Tensor:
        return self._read(asked).logits

    def read_on(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        out = self._read(Asked(ids), past_key_values=cache, use_cache=True)
        if getattr(out, "past_key_values", None) is None:
            raise Refused("the model keeps no cache")
        return out.logits, out.past_key_values

    def go_back(self, cache: Any, n: int) -> None:
        called(cache.crop, -n)

    def shown(self, asked: Asked) -> tuple[Sequence[Tensor], Tensor | None]:
        before = self.model.config._attn_implementation
        self.model.set_attn_implementation("eager")  # the plain implementation, which alone shows its weights
        try:
            out = self._read(asked, output_attentions=True, use_cache=False)
        finally:
            self.model.set_attn_implementation(before)
        weights = getattr(out, f"{self.part}attentions", None)
        if not weights or any(layer is None for layer in weights):
            raise Refused("the model shows no attention weights")
        return [layer[0].cpu() for layer in weights], out.logits

    def states(self, asked: Asked) -> list[Tensor]:
        out = self._read(asked, output_hidden_states=True, use_cache=False)
        return [layer[0].cpu() for layer in getattr(out, f"{self.part}hidden_states")]

    @torch.no_grad()
    def generated(self, ids: Tensor, padding: Tensor, n: int) -> Tensor:
        if self.two_parts or not hasattr(self.model, "generate"):
            raise Refused("the model continues no prompt")
        how = {"max_new_tokens": n, "min_new_tokens": n, "do_sample": False, "pad_token_id": 0}
        how |= {"output_logits": True, "return_dict_in_generate": True}
        device = self.model.device
        out = called(self.model.generate, ids.to(device), attention_mask=padding.long().to(device), **how)
        return torch.stack(out.logits, 1).cpu()

    def packed_by_numbers(self, asked: Asked, cache: bool) -> Tensor:
        if self.two_parts or not self.takes_positions:
            raise Refused(NO_POSITIONS)
        mask = {} if asked.padding is None else {"attention_mask": asked.padding.long()}
        return self._run(input_ids=asked.ids, position_ids=asked.positions, use_cache=cache, **mask).logits

    def in_bfloat16(self) -> "Transformers":
        low = copy.copy(self)
        low.model = copy.deepcopy(self.model).bfloat16()
        return low

    def _read(self, asked: Asked, **more: Any) -> Any:
        ids, positions, padding = asked.ids, asked.positions, asked.padding
        given: dict[str, Any] = {f"{self.part}input_ids": ids}
        if positions is not None:
            if not self.takes_positions:
                raise Refused(NO_POSITIONS)
            if self.table and int(positions.max()) >= self.table:
                raise Refused(f"its table ends after {self.table} positions")
            given["position_ids"] = positions.expand(len(ids), -1)
            # Without a mask, transformers takes a jump in the positions for the beginning of another document.
            padding = torch.ones_like(ids) if padding is None else padding
        if padding is not None:
            given[f"{self.part}attention_mask"] = padding.long()
        if asked.last and "logits_to_keep" in self.takes:
            given["logits_to_keep"] = asked.last
        if asked.seen is not None:
            given[f"{self.part}attention_mask"] = self._grids(asked.seen)
        if self.two_parts:
            given["input_ids"] = torch.arange(3, 9).expand(len(ids), -1)
        return self._run(**given, **more)

    def _grids(self, seen: Tensor) -> Any:
        """`seen` as numbers to add. Such a grid replaces a model's own windows, so they are drawn into it.

        Chunks are counted from the first key that a query sees, because that is where its text begins.
        """
        n = len(seen)
        i, j = torch.arange(n)[:, None], torch.arange(n)
        first, grids = (seen & (j <= i)).int().argmax(-1, keepdim=True), {}
        for layer in read(self.config).layers:
            window, chunk = layer.window or n, layer.chunk or n
            visible = seen & (j <= i) & (i - j < window) & ((i - first) // chunk == (j - first) // chunk)
            grids[layer.kind] = torch.zeros(1, 1, n, n).masked_fill(~visible, torch.finfo(torch.float32).min)
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


def takes_positions(model: Any) -> bool:
    """Whether forward() names position_ids, or hands on what it does not name, as wrappers do, to a part that does."""
    given = inspect.signature(model.forward).parameters
    if "position_ids" in given:
        return True
    hands_on = any(of.kind == inspect.Parameter.VAR_KEYWORD for of in given.values())
    return hands_on and any(takes_positions(part) for part in model.children() if hasattr(part, "config"))


def loaded(name: str | Path, download: bool = False) -> tuple[Any, Any]:
    """A causal model, and its tokenizer or None, from a folder or, by name, from the local cache.

    Raises ValueError where transformers is missing, and for a model that it cannot read. Code that comes with a model
    is never run.
    """
    try:
        import transformers
    except ImportError:
        how_to = "run `.venv/bin/python -m pip install transformers` in the folder of the course"
        raise ValueError(f"transformers is missing: {how_to}") from None
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
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **how)
        return model, tokenizer if tokenizer("a word").input_ids else None  # without its files, some are empty
    except (OSError, ValueError, ImportError, KeyError):
        return model, None
