"""The learner's side of single calls: what an object returns, what the call leaves behind, and its gradients.

A check that asks how something learns calls it in this way: a hook, or a class whose instances are torch modules.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from course_lib.checking import Case
from course_lib.checking.runner import run
from course_lib.checking.solution_source import methods
from tools.judge.data import Data, decode, encode


class Calls:
    """The calls so far, and the instances that were made."""

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.results: list[tuple[Any, list[Any]]] = []  # what was computed, and the tensors that learn, of which it was
        self.borrowed: list[tuple[Any, dict[str, Any]]] = []  # objects of ours in this call, and what they held before
        self.leaves: list[Any] = []  # tensors that learn, in this call

    def make(self, cls: type, args: Data, seconds: float) -> Data:
        """An instance of a class, by its number."""
        given = decode(args)
        answer, made = once(lambda: cls(*given), cls, seconds)
        if made is None:
            return answer
        self.made.append(made)
        return {"number": len(self.made) - 1, "state": state(made)}

    def read(self, number: int, name: str, args: Data, parameters: Data, seconds: float) -> Data:
        """An attribute of an instance whose parameters are these, or what it returns where there are arguments."""
        module, given = self.made[number], decode(args)
        put(module, decode(parameters))
        self.leaves = list(module.parameters()) if hasattr(module, "parameters") else []
        work = (lambda: getattr(module, name)) if given is None else (lambda: getattr(module, name)(*given))
        return self._result(*once(work, type(module), seconds)) | {"state": state(module)}

    def call(self, function: Callable, args: Data, seconds: float) -> Data:
        """What a function returns, and what it has put into the objects of ours that it was given."""
        self.leaves, self.borrowed = [], []
        given = decode(args, self.borrow)
        answer = self._result(*once(lambda: function(*given), function, seconds))
        left = [{name: now for name, now in vars(one).items() if type(now) is list or now is not before.get(name)}
                for one, before in self.borrowed]  # fmt: skip
        return answer | {"left": encode(left)}

    def pull(self, number: int, gradient: Data, seconds: float) -> Data:
        """The gradient of a result for each tensor that learns, and None for those that it does not reach."""
        import torch

        result, leaves = self.results[number]
        asked = [leaf for leaf in leaves if leaf.requires_grad]
        found = torch.autograd.grad(result, asked, decode(gradient), retain_graph=True, allow_unused=True)
        by_id = {id(leaf): one for leaf, one in zip(asked, found)}
        return encode([by_id.get(id(leaf)) for leaf in leaves])

    def _result(self, answer: Data, value: Any) -> Data:
        self.results.append((value, self.leaves))
        return answer | {"number": len(self.results) - 1}

    def borrow(self, data: Data) -> Any:
        """A tensor that learns, or what `borrow` makes."""
        if "leaf" in data:
            self.leaves.append(decode(data["leaf"]))
            return self.leaves[-1]
        made = borrow(data, self.borrow)
        if "vars" in data:
            self.borrowed.append((made, dict(vars(made))))
        return made


def borrow(data: Data, deeper: Callable[[Data], Any] | None = None) -> Any:
    """An object of ours, made again from its data: a function, or an instance of a class."""
    owner = getattr(import_module(data["module"]), data["name"])
    if "vars" not in data:
        return owner
    made = decode(data["array"]).view(owner) if "array" in data else owner.__new__(owner)
    vars(made).update(decode(data["vars"], deeper))
    return made


class Work:
    """A call whose errors are shown with the line of a function, or of a class, in which they arose."""

    def __init__(self, work: Callable[[], Any], home: Any) -> None:
        functions = list(methods(home).values()) if issubclass(type(home), type) else [home]
        self.work, self.__globals__ = work, getattr(functions[0] if functions else None, "__globals__", {})

    def __call__(self) -> Any:
        return self.work()


def once(work: Callable[[], Any], home: Any, seconds: float) -> tuple[Data, Any]:
    """The data of one call, and the value itself, or None where there is none."""
    done = run(Work(work, home), [Case()], lambda value: {"": {"value": value, "data": encode(value)}}, seconds)  # type: ignore[dict-item]
    if not done.outcomes:
        return {"stopped": done.why()}, None
    outcome = done.outcomes[0]
    if outcome.value is None:
        return {"error": outcome.error, "line": outcome.line}, None
    value: Any = outcome.value[""]
    return {"value": value["data"]}, value["value"]


def state(module: Any) -> Data:
    """What an instance holds: its parameters, its buffers, and all else by name."""
    parameters = dict(module.named_parameters()) if hasattr(module, "named_parameters") else {}
    buffers = dict(module.named_buffers()) if parameters or hasattr(module, "named_buffers") else {}
    others = {name: value for name, value in vars(module).items() if not name.startswith("_") and name != "training"}
    return encode({"parameters": parameters, "buffers": buffers, "others": others})


def put(module: Any, parameters: dict[str, Any]) -> None:
    """Give the parameters of an instance these values, and their precision and device to all that it holds."""
    import torch

    for name, value in parameters.items():
        held = module.get_parameter(name)
        if (held.dtype, held.device) != (value.dtype, value.device):
            module.to(device=value.device, dtype=value.dtype)
        if value.device.type != "meta":
            with torch.no_grad():
                module.get_parameter(name).copy_(value)
