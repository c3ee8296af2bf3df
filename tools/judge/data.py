"""What a hand-in reports to the judge: JSON, with arrays as their bytes. Reading it runs nobody's code."""

import base64
import json
import sys
from importlib import import_module
from typing import Any

import numpy as np

from course_kit.checking.arrays import Blank, Unusable, as_array

KIND = "kind of value"  # the key that tells a value from a dictionary


def write(message: Any) -> bytes:
    """A message as a line. What is not a number, a word, an array or a collection of these becomes its type's name."""
    return json.dumps(message, default=data_of, skipkeys=True).encode() + b"\n"


def read(line: bytes) -> dict[str, Any]:
    """The message, empty where a hand-in has written something else."""
    try:
        return dict(json.loads(line, object_hook=value_of))
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError):
        return {}


def data_of(value: Any) -> Any:
    """A value that JSON cannot write, as a dictionary."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    try:
        array = as_array(value)
    except Blank:
        return {KIND: "blank"}
    except Unusable:
        return {KIND: "thing", "name": type(value).__name__, "steps": hasattr(type(value), "__next__")}
    kind = "tensor" if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor) else "array"
    text = base64.b64encode(array.tobytes()).decode()
    return {KIND: kind, "dtype": array.dtype.str, "shape": array.shape, "bytes": text}


def value_of(data: dict[str, Any]) -> Any:
    """The value that such data describes, or the dictionary itself."""
    kind = data.get(KIND)
    if kind == "blank":
        return ...
    if kind == "thing":
        return type(data["name"], (), {"__next__": None} if data["steps"] else {})()
    if kind not in ("array", "tensor"):
        return data
    dtype = np.dtype(data["dtype"])
    if dtype.kind not in "biufcU" or not dtype.itemsize:
        raise TypeError
    array = np.frombuffer(bytearray(base64.b64decode(data["bytes"])), dtype).reshape(data["shape"])
    return array if kind == "array" else import_module("torch").from_numpy(array)
