"""A learner's torch module as a check meets it here: numbers and gradients come from the process of the hand-in.

The module here has parameters of its own, with the names, shapes and first values of those there. At each call their
values go there, and what was computed from them comes back; autograd asks there for the gradients.
"""

from collections import UserDict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from course_lib.checking.elsewhere import raised_elsewhere
from course_lib.nn.position import Position
from tools.judge.data import Data, decode, encode
from tools.judge.hand_in import HandIn, text


class Computed(torch.autograd.Function):
    """A tensor that was computed elsewhere from `leaves`. `pull` gives their gradients for a gradient of the tensor."""

    @staticmethod
    def forward(ctx: Any, pull: Callable, value: torch.Tensor, *leaves: torch.Tensor) -> torch.Tensor:
        ctx.pull = pull
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return (None, None, *ctx.pull(gradients[0]))


def returned(hand_in: HandIn, answer: Data, leaves: Sequence[torch.Tensor]) -> Any:
    """What a call gave, connected with the tensors from which it was computed. Raises what the call raised."""
    if "stopped" in answer:
        hand_in.stop(str(answer["stopped"]))
    if "error" in answer:
        name, _, message = text(answer["error"]).partition(": ")
        raise raised_elsewhere(name, message, text(answer["line"]))
    value, number = decode(answer["value"]), answer["number"]
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return value

    def pull(gradient: torch.Tensor) -> list[torch.Tensor | None]:
        return decode(hand_in.ask("pull", number=number, gradient=encode(gradient.contiguous())))

    return Computed.apply(pull, value.detach(), *leaves)


class Seen(UserDict):
    """Attributes as they were last read, with the parameters of that time: a check reads them thousands of times.

    It is no dictionary, because what a module holds in dictionaries is looked through for tensors.
    """


class Twin(nn.Module):
    """An instance of the learner's class. What it has not got itself is read there."""

    _hand_in: HandIn
    _of: str

    def __init__(self, *args: Any) -> None:
        super().__init__()
        made = self._hand_in.ask("make", of=self._of, args=encode(args))
        returned(self._hand_in, made | {"value": None}, ())
        held = decode(made["state"])
        for kind, register in (("parameters", nn.Module.register_parameter), ("buffers", nn.Module.register_buffer)):
            for path, value in held[kind].items():
                plain = value.detach().clone()
                *folders, last = path.split(".")
                place: nn.Module = self
                for folder in folders:
                    place.add_module(folder, getattr(place, folder, None) or nn.Module())
                    place = getattr(place, folder)
                register(place, last, nn.Parameter(plain, value.requires_grad) if kind == "parameters" else plain)
        self._hold(held)
        self._number, self._seen = made["number"], Seen()

    def _hold(self, held: dict[str, Any]) -> None:
        """Take over what the instance there holds after a call."""
        with torch.no_grad():
            for path, value in held["parameters"].items():
                mine = self.get_parameter(path)
                if mine.device.type != "meta" and not torch.equal(mine, value):
                    mine.copy_(value)
        vars(self).update({name: value for name, value in held["others"].items() if name[:1] != "_"})

    def _read(self, name: str, args: Sequence[Any] | None = None) -> Any:
        """An attribute of the instance there, or what its method returns."""
        parameters = dict(self.named_parameters())
        key = [(p.data_ptr(), p._version, p.dtype) for p in parameters.values()]
        if args is None and self._seen.get(name, [None])[0] == key:
            return self._seen[name][1]
        asked = {"number": self._number, "name": name, "args": encode(args)}
        answer = self._hand_in.ask("read", parameters=encode(parameters), **asked)
        self._hold(decode(answer["state"]))
        value = returned(self._hand_in, answer, list(parameters.values()))
        if args is None:
            self._seen[name] = key, value
        return value

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_") or "_seen" not in vars(self):  # not made yet
                raise
            return self._read(name)


def twin(hand_in: HandIn, name: str, about: Data) -> type:
    """The learner's class as a class of ours: a Position if theirs is one, with the hooks that theirs has."""
    bases = (Twin, Position) if about.get("position") else (Twin,)
    hooks = [hook for hook in vars(Position) if hook in about.get("own", ()) and callable(getattr(Position, hook))]
    hooks = [hook for hook in hooks if not hook.startswith("_")]

    def method(hook: str) -> Callable:
        return lambda self, *args: self._read(hook, args)

    return type(name, bases, {"_hand_in": hand_in, "_of": name} | {hook: method(hook) for hook in hooks})
