"""Values as plain data, in both directions: JSON with arrays and tensors as bytes. Nothing here runs a stranger's code.

Numbers, words, arrays, tensors, and lists and dictionaries of these come across as they are. Anything else becomes an
empty object with the name of its type, which is all that a check says of it.
"""

import base64
import math
import re
import sys
from collections.abc import Callable, Mapping
from numbers import Number
from types import GeneratorType
from typing import Any

import numpy as np

LARGEST = 64 * 2**20  # bytes of one array, and of one message
DEEPEST, MOST, LONGEST = 20, 100_000, 1000  # how deep a list may be nested, how many items and letters there may be
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
Data = Any


def encode(value: Any, lend: Callable[[Any], Data] | None = None, depth: int = 0) -> Data:
    """A value as data. `lend` is asked first: it gives data of its own for some objects, and None for the others.

    Raises ValueError for what is too large or too deep.
    """
    if depth > DEEPEST:
        raise ValueError(f"value: nested more than {DEEPEST} deep; expected plain data")
    if lend and (lent := lend(value)) is not None:
        return lent
    if value is None or type(value) in (bool, str, float) or (type(value) is int and abs(value) < 2**63):
        return value
    if value is Ellipsis:
        return {"kind": "blank"}
    if isinstance(value, str):  # of a class of its own
        return str(value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return tensor_data(torch, value)
    if isinstance(value, (list, tuple, set, frozenset, range)):
        kind = "tuple" if isinstance(value, tuple) else "set" if isinstance(value, (set, frozenset)) else "list"
        return {"kind": kind, "items": [encode(item, lend, depth + 1) for item in value]}
    if isinstance(value, Mapping):
        items = [[encode(key, lend, depth + 1), encode(item, lend, depth + 1)] for key, item in value.items()]
        return {"kind": "dict", "items": items}
    if hasattr(type(value), "__array__"):  # NumPy's own, too
        data = array_data(np.asarray(value), lend, depth)
        scalar = isinstance(value, np.generic) and data["kind"] != "thing"
        return {"kind": "scalar", "of": data} if scalar else data
    if isinstance(value, complex):
        return {"kind": "complex", "items": [value.real, value.imag]}
    if isinstance(value, Number):  # a Fraction, a Decimal, a huge int
        return float(value)  # type: ignore[arg-type]
    steps = hasattr(type(value), "__next__") and not written_with_yield(value)
    return {"kind": "thing", "name": type(value).__name__, "steps": steps}


def written_with_yield(value: Any) -> bool:
    """Whether a value is what a function with `yield` returns."""
    return type(value) is GeneratorType and value.gi_code.co_name != "<genexpr>"


def array_data(array: Any, lend: Callable[[Any], Data] | None, depth: int) -> Data:
    if array.nbytes > LARGEST:
        raise ValueError(f"array: {array.nbytes:,} bytes; expected at most {LARGEST:,}")
    if array.dtype.name in DTYPES:
        return {"kind": "array", "dtype": array.dtype.name, "shape": array.shape, "bytes": as_text(array.tobytes())}
    if array.dtype.kind == "U":
        return {"kind": "words", "shape": array.shape, "items": array.ravel().tolist()}
    if array.dtype.kind == "O":
        return encode(array.tolist(), lend, depth + 1)
    return {"kind": "thing", "name": f"array of {array.dtype.name}", "steps": False}


def tensor_data(torch: Any, tensor: Any) -> Data:
    """A tensor with the memory behind it, so that an expanded view stays small, and is known to be one."""
    kind: Data = {"kind": "tensor", "dtype": str(tensor.dtype).removeprefix("torch.")}
    data = kind | {"learns": bool(tensor.requires_grad), "computed": tensor.grad_fn is not None}
    if tensor.device.type == "meta":
        return {**data, "shape": list(tensor.shape), "device": "meta"}
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    held = plain.untyped_storage().nbytes()
    if plain.is_sparse or held > LARGEST:
        raise ValueError(f"tensor: {held:,} bytes; expected a dense one of at most {LARGEST:,}")
    memory = torch.empty(0, dtype=torch.uint8).set_(plain.untyped_storage()).numpy().tobytes()
    place = {"shape": list(plain.shape), "stride": plain.stride(), "offset": plain.storage_offset()}
    return {**data, **place, "bytes": as_text(memory)}


def as_text(memory: bytes) -> str:
    return base64.b64encode(memory).decode()


def decode(data: Data, borrow: Callable[[Data], Any] | None = None, depth: int = 0) -> Any:
    """The value that data stands for. `borrow` makes what `lend` gave; without it such data is refused.

    Raises ValueError for data that `encode` does not make.
    """
    if depth > DEEPEST + 1:
        raise ValueError("data: nested too deep")
    if data is None or isinstance(data, (bool, float, int)):
        return data
    kind = data.get("kind") if isinstance(data, dict) else None
    try:
        if isinstance(data, str) or len(data.get("items", ())) > MOST:
            return short(data)
        if kind == "lent" and borrow:
            return borrow(data)
        if kind in ("list", "tuple", "set"):
            items = [decode(item, borrow, depth + 1) for item in data["items"]]
            return {"list": list, "tuple": tuple, "set": set}[kind](items)
        if kind == "dict":
            return {decode(key, borrow, depth + 1): decode(item, borrow, depth + 1) for key, item in data["items"]}
        return PLAIN[kind](data)
    except (KeyError, TypeError, ValueError, RuntimeError, OverflowError, AttributeError) as error:
        raise ValueError(f"data: {type(error).__name__} in a {str(kind)[:20]}; expected what `encode` makes") from None


def short(data: Data) -> str:
    """A word. Long ones, or long lists, would need much memory once they are arrays."""
    if not isinstance(data, str) or len(data) > LONGEST:
        raise ValueError(f"data: too long; expected words of at most {LONGEST} letters and lists of at most {MOST:,}")
    return data


def array(data: Data) -> Any:
    if data["dtype"] not in DTYPES:
        raise ValueError
    return np.frombuffer(bytearray(base64.b64decode(data["bytes"])), data["dtype"]).reshape(sizes(data["shape"]))


def words(data: Data) -> Any:
    return np.array([short(item) for item in data["items"]], dtype="U").reshape(sizes(data["shape"]))


def tensor(data: Data) -> Any:
    import torch

    dtype = getattr(torch, data["dtype"]) if data["dtype"] in (*DTYPES, "bfloat16") else None
    if dtype is None:
        raise ValueError
    shape = sizes(data["shape"])
    if data.get("device") == "meta":
        made = torch.empty(shape, dtype=dtype, device="meta")
    elif memory := bytearray(base64.b64decode(data["bytes"])):
        made = torch.frombuffer(memory, dtype=dtype).as_strided(shape, data["stride"], data["offset"])
    else:
        made = torch.empty(shape, dtype=dtype)
    made = made.requires_grad_() if data["learns"] else made
    return made.clone() if data["computed"] else made


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape of so few numbers that they fit into memory, even where a stride of 0 needs none."""
    if not all(type(n) is int and n >= 0 for n in shape) or len(shape) > 32 or math.prod(shape) > LARGEST:
        raise ValueError
    return tuple(shape)


def thing(data: Data) -> Any:
    name = re.sub(r"[^\w ]", "", str(data["name"]))[:60] or "object"
    return type(name, (), {"__next__": None} if data["steps"] else {})()


PLAIN: dict[Any, Callable[[Data], Any]] = {
    "blank": lambda data: Ellipsis,
    "scalar": lambda data: decode(data["of"])[()],
    "complex": lambda data: complex(*data["items"]),
    "array": array, "words": words, "tensor": tensor, "thing": thing,
}  # fmt: skip
