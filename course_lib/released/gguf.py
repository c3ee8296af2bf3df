"""Read a GGUF file: what it says about the model, and its tensors as float32.

A file is: the letters GGUF, the version, how many tensors and how many facts; the facts (the metadata), each a name, a
type and a value; for each tensor its name, shape, type and where its bytes begin; and then these bytes. Here all
numbers are little-endian, as is usual. Source: the specification in ggml-org/ggml, docs/gguf.md; the blocks:
ggml-common.h there.
"""

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
BLOCK = 32  # numbers in a block of Q4_1 and of Q8_0
FACTS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}  # types that are one number, in letters of `struct`
STRING, ROW = 8, 9  # the two other types of facts
Q4_1 = np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", BLOCK // 2)])
Q8_0 = np.dtype([("d", "<f2"), ("q", "i1", BLOCK)])


def q4_1(blocks: NDArray) -> Array:
    """The numbers in blocks of Q4_1, (blocks, 32): x = d · q + m, with 4 bits for each q.

    A block has 20 bytes: the step d and the number m at level 0 in float16, then 16 bytes. The low four bits of byte t
    are q of number t, its high four bits those of number t + 16.
    """
    d, m = (blocks[name].astype(np.float32)[:, None] for name in ("d", "m"))
    x = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=1, dtype=np.float32)
    x *= d
    x += m
    return x


def q8_0(blocks: NDArray) -> Array:
    """The numbers in blocks of Q8_0, (blocks, 32): x = d · q, with a step d in float16 and 8 bits for each q."""
    return blocks["q"] * blocks["d"].astype(np.float32)[:, None]


# The types of tensors by their number: what one entry looks like, how many numbers it holds, and how it is unpacked.
TYPES: dict[int, tuple[np.dtype, int, Callable[[NDArray], Array]]] = {
    0: (np.dtype("<f4"), 1, np.asarray),
    3: (Q4_1, BLOCK, q4_1),
    8: (Q8_0, BLOCK, q8_0),
}


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize(form)))[0]


def _string(file: BinaryIO) -> str:
    return file.read(_number(file, "Q")).decode()


def _fact(file: BinaryIO, kind: int) -> Any:
    """A number, a string, or a row of one of these."""
    if kind == STRING:
        return _string(file)
    if kind == ROW:
        kind, n = _number(file, "I"), _number(file, "Q")
        return [_fact(file, kind) for _ in range(n)]
    return _number(file, FACTS[kind])


def read(path: Path | str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The metadata of a file, and its tensors in the shapes that torch writes.

    The file is known to be whole: `load` compares its SHA-256. Its tensors are F32, Q4_1 or Q8_0.
    """
    with open(path, "rb") as file:
        file.seek(8)  # the letters and the version
        n_tensors, n_facts = _number(file, "Q"), _number(file, "Q")
        metadata = {_string(file): _fact(file, _number(file, "I")) for _ in range(n_facts)}
        places = []
        for _ in range(n_tensors):
            name, axes = _string(file), _number(file, "I")
            shape = tuple(_number(file, "Q") for _ in range(axes))[::-1]  # the file begins with the axis of a row
            places.append((name, shape, _number(file, "I"), _number(file, "Q")))
        step = metadata.get("general.alignment", 32)
        start, tensors = -(-file.tell() // step) * step, {}
        for name, shape, kind, offset in places:
            dtype, size, unpack = TYPES[kind]
            file.seek(start + offset)
            tensors[name] = unpack(np.fromfile(file, dtype, math.prod(shape) // size)).reshape(shape)
        return metadata, tensors
