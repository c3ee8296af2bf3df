"""Read a GGUF file: what it says about the model, and its tensors as float32.

A file is: the letters GGUF, the version, how many tensors and how many facts; the facts (the metadata), each a name, a
type and a value; for each tensor its name, shape, type and where its bytes begin; and then these bytes. All numbers are
little-endian. Source: the specification in ggml-org/ggml, docs/gguf.md; the blocks: ggml-common.h there.
"""

import math
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
BLOCK = 32  # numbers in a block of Q4_1 and of Q8_0
NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?", 10: "<u8", 11: "<i8", 12: "<f8"}
STRING, ROW = 8, 9  # the two types of facts that are not a single number
Q4_1 = np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", BLOCK // 2)])
Q8_0 = np.dtype([("d", "<f2"), ("q", "i1", BLOCK)])


def q4_1(blocks: NDArray) -> Array:
    """The numbers in blocks of Q4_1, (blocks, 32): x = d · q + m, with 4 bits for each q.

    A block has 20 bytes: the step d and the smallest number m in float16, then 16 bytes. The low four bits of byte t
    are q of number t, its high four bits those of number t + 16.
    """
    d, m = (blocks[name].astype(np.float32)[:, None] for name in ("d", "m"))
    x = np.empty((len(blocks), BLOCK), np.float32)
    x[:, : BLOCK // 2] = blocks["q"] & 15
    x[:, BLOCK // 2 :] = blocks["q"] >> 4
    x *= d
    x += m
    return x


def q8_0(blocks: NDArray) -> Array:
    """The numbers in blocks of Q8_0, (blocks, 32): x = d · q, with a step d in float16 and 8 bits for each q."""
    return blocks["q"] * blocks["d"].astype(np.float32)[:, None]


def f32(numbers: NDArray) -> Array:
    """A copy of numbers that are not packed."""
    return numbers.astype(np.float32)


# The types of tensors by their number: what one entry looks like, how many numbers it holds, and how it is unpacked.
TYPES: dict[int, tuple[np.dtype, int, Callable[[NDArray], Array]]] = {
    0: (np.dtype("<f4"), 1, f32),
    3: (Q4_1, BLOCK, q4_1),
    8: (Q8_0, BLOCK, q8_0),
}


@dataclass(frozen=True)
class Stored:
    """A tensor in the file: its shape as torch writes it, its entries (blocks, or plain numbers) and their type."""

    shape: tuple[int, ...]
    entries: NDArray
    unpack: Callable[[NDArray], Array]

    def numbers(self) -> Array:
        """The tensor as float32."""
        return self.unpack(self.entries).reshape(self.shape)


def read(path: Path | str) -> tuple[dict[str, Any], dict[str, Stored]]:
    """The metadata of a file and its tensors, which stay packed until `numbers` is called.

    Raises ValueError if the file is not GGUF of version 3, is cut off, or has a tensor that is not F32, Q4_1 or Q8_0.
    """
    with open(path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"{path}: expected a GGUF file, which begins with the letters GGUF")
        memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        return _read(memory)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass
class _Reader:
    """The bytes of a file, and where the next number begins."""

    memory: memoryview
    at: int = 4

    def bytes(self, n: int) -> memoryview:
        if self.at + n > len(self.memory):
            raise ValueError("the file ends within its header, is the download complete?")
        self.at += n
        return self.memory[self.at - n : self.at]

    def number(self, form: str) -> int:
        return struct.unpack("<" + form, self.bytes(struct.calcsize(form)))[0]

    def string(self) -> str:
        return str(self.bytes(self.number("Q")), "utf-8")

    def value(self, kind: int) -> Any:
        """A fact: a number, a string, or a row of one of these."""
        if kind == STRING:
            return self.string()
        if kind == ROW:
            kind, n = self.number("I"), self.number("Q")
            return [self.string() for _ in range(n)] if kind == STRING else self.numbers(kind, n)
        return self.numbers(kind, 1)[0]

    def numbers(self, kind: int, n: int) -> list[Any]:
        if kind not in NUMBERS:
            raise ValueError(f"a fact of type {kind}: expected one of {[*NUMBERS, STRING, ROW]}")
        dtype = np.dtype(NUMBERS[kind])
        return np.frombuffer(self.bytes(n * dtype.itemsize), dtype).tolist()


def _read(memory: memoryview) -> tuple[dict[str, Any], dict[str, Stored]]:
    reader = _Reader(memory)
    if (version := reader.number("I")) != 3:
        raise ValueError(f"GGUF of version {version}, expected 3")
    n_tensors, n_facts = reader.number("Q"), reader.number("Q")
    metadata = {reader.string(): reader.value(reader.number("I")) for _ in range(n_facts)}
    places = []
    for _ in range(n_tensors):
        name, axes = reader.string(), reader.number("I")
        shape = tuple(reader.number("Q") for _ in range(axes))[::-1]  # the file begins with the axis of a row
        places.append((name, shape, reader.number("I"), reader.number("Q")))
    step = metadata.get("general.alignment", 32)
    start, stored = -(-reader.at // step) * step, {}
    for name, shape, kind, offset in places:
        if kind not in TYPES:
            raise ValueError(f"tensor {name} of type {kind}: expected one of {[*TYPES]} (F32, Q4_1, Q8_0)")
        dtype, size, unpack = TYPES[kind]
        n, first = math.prod(shape) // size, start + offset
        if first + n * dtype.itemsize > len(memory):
            raise ValueError(f"the file ends within tensor {name}, is the download complete?")
        stored[name] = Stored(shape, np.frombuffer(memory, dtype, n, first), unpack)
    return metadata, stored
