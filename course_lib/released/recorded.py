"""A recording of the released model, for machines without its file: it replays the calls of the lessons and no others.

A call is known by its method, its arguments and the changes around it, in their order. Words and whole numbers must be
the same, real numbers the same to 1e-5, because processors differ in last digits. tools/record.py records a lesson.
"""

import hashlib
import inspect
import json
import reprlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .decoder import Decoder, Sizes
from .model import Inside, Released

FOLDER = Path(__file__).with_name("recorded")
LARGE = 4096  # an answer with more numbers than this is kept in half precision
METHODS = [name for name, method in vars(Released).items() if callable(method) and name[0] != "_" and name != "changed"]
MAKE: dict[str, Callable] = {"tuple": tuple, "list": list, "generator": iter, "Inside": lambda parts: Inside(*parts)}
KNOWN = ("course_lib.", "torch.")
MISSING = "The model's file is not on this machine; `python3 course.py model` fetches it (93 MB)."


class Recorded(Released):
    """The answers of the released model to the calls of the lessons. Raises LookupError for any other call.

    With a `model`, such a call goes to the model, and its answer is kept.
    """

    n_layers, n_heads, n_kv_heads, d_head = 30, 9, 3, 64
    speeds = 100_000.0 ** (-torch.arange(32, dtype=torch.float64) / 32)

    def __init__(self, *files: Path, model: Released | None = None) -> None:
        self.model = model
        with torch.device("meta"):
            self.decoder = Decoder(Sizes())  # its layers can be looked at; they hold no numbers
        self.blocks: list[tuple[str, dict]] = []  # the `changed` blocks around the next call, the innermost first
        self.calls: list[list] = []  # for each its words, the name of the real numbers among its arguments, its answer
        self.arrays: dict[str, np.ndarray] = {}  # named by their content
        for file in files:
            arrays = dict(np.load(file))
            self.calls += json.loads(str(arrays.pop("calls")))
            self.arrays |= arrays

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"The recording of the released model has no {name!r}. {MISSING}")

    def save(self, file: Path) -> None:
        np.savez_compressed(file, calls=np.array(json.dumps(self.calls)), **self.arrays)  # type: ignore[arg-type]

    @contextmanager
    def changed(self, **changes: Any) -> Iterator[None]:
        changes = {name: list(value) if isinstance(value, Iterator) else value for name, value in changes.items()}
        with self.model.changed(**changes) if self.model else nullcontext():
            self.blocks.insert(0, ("changed", changes))
            try:
                yield
            finally:
                del self.blocks[0]

    def answer(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the method `name` of the released model returns."""
        arguments = inspect.signature(getattr(Released, name)).bind(self, *args, **kwargs).arguments
        del arguments["self"]
        calls = [(name, arguments), *self.blocks]
        words, numbers = described(calls)
        for held, among, packed in self.calls:
            if held == words and np.allclose(self.arrays[among], numbers, rtol=1e-5, atol=1e-6):
                return self.unpack(packed)
        if self.model is None:
            asked = " inside ".join(f"{name}({shown(given)})" for name, given in calls)
            raise LookupError(f"The recording of the released model does not hold {asked}. {MISSING}")
        packed = self.pack(getattr(self.model, name)(*args, **kwargs))
        self.calls.append([words, self.pack(torch.tensor(numbers))[1], packed])
        return self.unpack(packed)

    def pack(self, value: Any) -> list:
        """A value as JSON can hold it; its tensors go to `arrays`."""
        if isinstance(value, Tensor):
            large = value.is_floating_point() and value.numel() > LARGE
            array = (value.half() if large else value).numpy()
            name = hashlib.sha256(f"{array.dtype}{array.shape}".encode() + array.tobytes()).hexdigest()[:16]
            self.arrays[name] = array
            return ["Tensor", name, str(value.dtype).removeprefix("torch.")]
        if (kind := type(value).__name__) not in MAKE:
            return ["plain", value]
        return [kind, *map(self.pack, vars(value).values() if kind == "Inside" else value)]

    def unpack(self, packed: list) -> Any:
        kind, *parts = packed
        if kind == "Tensor":
            return torch.tensor(self.arrays[parts[0]], dtype=getattr(torch, parts[1]))
        return parts[0] if kind == "plain" else MAKE[kind](list(map(self.unpack, parts)))


def stand_in() -> Recorded:
    """The recordings of all lessons, announced in a line."""
    print(f"{MISSING} Until then, the lessons show recorded answers.")
    return Recorded(*sorted(FOLDER.glob("*.npz")))


for name in METHODS:
    setattr(Recorded, name, partialmethod(Recorded.answer, name))


def described(calls: list[tuple[str, dict]]) -> tuple[str, list[float]]:
    """Calls in words, shortened to a hash, and the real numbers among their arguments. None is as good as no argument.

    Raises LookupError for an argument that is somebody's own code: words cannot tell what it does.
    """
    numbers: list[float] = []

    def say(value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float):
            numbers.append(value)
            return "number"
        if value is None or isinstance(value, str | int):
            return repr(value)
        if isinstance(value, Tensor | np.ndarray):
            array = torch.as_tensor(value).detach().numpy()
            if array.dtype.kind == "f":
                numbers.extend(array.ravel().tolist())
                return f"numbers{array.shape}"
            return f"integers{array.shape}{hashlib.sha256(array.astype('<i8').tobytes()).hexdigest()}"
        if isinstance(value, nn.Module) and all(type(part).__module__.startswith(KNOWN) for part in value.modules()):
            parts = [(name, type(part).__qualname__, settings(part)) for name, part in value.named_modules()]
            return say([*parts, *value.named_parameters(), *value.named_buffers()])
        if isinstance(value, Iterable):
            return f"[{','.join(map(say, value))}]"
        raise LookupError(f"The recording cannot tell what {value!r} does. {MISSING}")

    said = [name + say(sorted(item for item in given.items() if item[1] is not None)) for name, given in calls]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16], numbers


def shown(given: dict[str, Any]) -> str:
    return ", ".join(f"{name}={reprlib.repr(value)}" for name, value in given.items())


def settings(part: nn.Module) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(part).items() if name[0] != "_" and name != "training"]
