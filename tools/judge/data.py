"""What crosses between the judge and a hand-in: JSON, with arrays as their bytes. Reading it runs nobody's code."""

import base64
import json
import sys
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from course_kit.checking.arrays import Blank, Unusable, as_array

KIND = "kind of value"  # the key that tells a value from a dictionary


def write(message: Any) -> bytes:
    """A message as a line. What is not a number, a word, an array or a collection of these becomes its type's name."""
    return json.dumps(message, default=data_of, skipkeys=True).encode() + b"\n"


def read(line: bytes, lent: bool = False) -> dict[str, Any]:
    """The message, empty where a hand-in has written something else. Objects of a `given.py` come only if `lent`."""
    try:
        return dict(json.loads(line, object_hook=lambda data: value_of(data, lent)))
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError):
        return {}


def exact(values: tuple[Any, ...]) -> list[Any]:
    """Values with their tuples as data, because JSON would make lists of these."""
    return [{KIND: "tuple", "items": list(one)} if type(one) is tuple else one for one in values]


def data_of(value: Any) -> Any:
    """A value that JSON cannot write, as a dictionary."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    owner = value if isinstance(value, FunctionType) else type(value)
    if owner.__module__.startswith("course_tasks.") and owner.__module__.endswith("given"):  # lent to the hand-in
        data = {KIND: "given", "module": owner.__module__, "name": owner.__name__}
        held = {"array": np.asarray(value)} if isinstance(value, np.ndarray) else {}
        return data if owner is value else data | held | {"vars": vars(value)}
    try:
        array = as_array(value)
    except Blank:
        return {KIND: "blank"}
    except Unusable:
        return {KIND: "thing", "name": type(value).__name__, "steps": hasattr(type(value), "__next__")}
    kind = "tensor" if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor) else "array"
    text = base64.b64encode(array.tobytes()).decode()
    return {KIND: kind, "dtype": array.dtype.str, "shape": array.shape, "bytes": text}


def value_of(data: dict[str, Any], lent: bool) -> Any:
    """The value that such data describes, or the dictionary itself."""
    kind = data.get(KIND)
    if kind == "blank":
        return ...
    if kind == "tuple":
        return tuple(data["items"])
    if kind == "thing":
        return type(data["name"], (), {"__next__": None} if data["steps"] else {})()
    if kind in ("array", "tensor"):
        dtype = np.dtype(data["dtype"])
        if dtype.kind not in "biufcU" or not dtype.itemsize:
            raise TypeError
        array = np.frombuffer(bytearray(base64.b64decode(data["bytes"])), dtype).reshape(data["shape"])
        return array if kind == "array" else import_module("torch").from_numpy(array)
    if kind != "given" or not lent:
        return data
    owner = getattr(import_module(data["module"]), data["name"])
    if "vars" not in data:
        return owner
    made = data["array"].view(owner) if "array" in data else owner.__new__(owner)
    vars(made).update(data["vars"])
    return made
