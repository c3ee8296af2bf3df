"""A recording of the released model, for machines without its file: it replays the calls of the lessons and no others.

A call is known by its method, its arguments and the changes around it. Words and whole numbers must be the same, real
numbers the same to 1e-5, because processors differ in last digits. tools/record.py records a lesson.
"""

import copy
import inspect
import io
import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .decoder import Config, Decoder
from .model import Released

FOLDER = Path(__file__).with_name("recorded")
METHODS = ("encode", "tokens", "losses", "generate", "attention", "queries_and_keys", "profiles", "mean_outputs")
MISSING = "The model's file is not on this machine; `python3 course.py model` fetches it (93 MB)."


class Recorded:
    """The answers of the released model to the calls of the lessons. Raises LookupError for any other call."""

    n_layers, n_heads, n_kv_heads, d_head = 30, 9, 3, 64
    speeds = 100_000.0 ** (-torch.arange(32, dtype=torch.float64) / 32)

    def __init__(self, *files: Path) -> None:
        self.answers: dict[str, list[tuple[list[float], Any]]] = {}  # by a call in words: its real numbers, its answer
        self.changes: list[dict[str, Any]] = []  # the `changed` blocks around the next call
        for file in files:
            content = io.BytesIO(lzma.decompress(file.read_bytes()))
            for words, answers in torch.load(content, weights_only=True).items():
                self.answers.setdefault(words, []).extend(answers)
        with torch.device("meta"):
            self.decoder = Decoder(Config())  # its layers can be looked at; they hold no numbers

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"The recording of the released model has no {name!r}. {MISSING}")
        return partial(self.answer, name)

    @contextmanager
    def changed(self, **changes: Any) -> Iterator[None]:
        self.changes.append(changes)
        try:
            yield
        finally:
            self.changes.pop()

    def answer(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the method `name` of the released model returns."""
        arguments = inspect.signature(getattr(Released, name)).bind(self, *args, **kwargs).arguments
        del arguments["self"]
        words, numbers = described([name, arguments, *self.changes])
        for known, answer in self.answers.get(words, []):
            if np.allclose(known, numbers, rtol=1e-5, atol=1e-6):
                return unpacked(answer)
        return self.unknown(name, arguments, words, numbers)

    def unknown(self, name: str, arguments: dict[str, Any], words: str, numbers: list[float]) -> Any:
        raise LookupError(f"The recording of the lessons does not hold this call of {name}. {MISSING}")


def stand_in() -> Recorded:
    """The recordings of all lessons, announced in a line."""
    print(f"{MISSING} Until then, the lessons show recorded answers.")
    return Recorded(*sorted(FOLDER.glob("*.xz")))


def described(call: list[Any]) -> tuple[str, list[float]]:
    """A call in words, without its real numbers, and these numbers.

    Raises LookupError for an argument that is somebody's own code: words cannot tell what it does.
    """
    numbers: list[float] = []
    whole = json.dumps(call, default=plain, sort_keys=True)
    words = json.loads(whole, parse_float=lambda digits: numbers.append(float(digits)))  # None takes its place
    return json.dumps(words), numbers


def plain(value: Any) -> Any:
    """What JSON cannot write: the numbers of a tensor; the class, settings and parameters of a scheme of the course."""
    if isinstance(value, Tensor | np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, nn.Module) and type(value).__module__.startswith(("course_lib.", "torch.")):
        settings = {name: given for name, given in vars(value).items() if name[0] != "_" and name != "training"}
        return [type(value).__qualname__, settings, *value.parameters(False), *value.buffers(False), *value.children()]
    raise LookupError(f"The recording cannot tell what {value!r} does. {MISSING}")


def unpacked(answer: Any) -> Any:
    """A copy of an answer, so that a learner can change it; large tensors are kept in half precision."""
    if isinstance(answer, tuple):
        return tuple(map(unpacked, answer))
    half = isinstance(answer, Tensor) and answer.dtype == torch.half
    return answer.float() if half else copy.deepcopy(answer)
