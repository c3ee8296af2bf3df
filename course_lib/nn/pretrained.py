"""The bias table of a published T5: one kilobyte or two read out of a checkpoint of many megabytes.

A safetensors file begins with 8 bytes that say how long its header is; the header (JSON) says for each tensor its type,
its shape and where its bytes lie. So one table can be fetched alone, from a folder or over HTTP with a range of bytes.
"""

import json
import re
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import torch
from torch import Tensor

FILE = "model.safetensors"
HUB = "https://huggingface.co"
TABLE = "{}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
LARGEST = 64 * 2**20  # bytes; no header and no table is that long
Read = Callable[[int, int], bytes]  # the bytes from the first number up to the second


def t5_table(name_or_path: str | Path, stack: str = "encoder", *, hub: str = HUB, timeout: float = 5.0) -> Tensor:
    """The bias table that all layers of a stack share, (num_buckets, heads), float32.

    name_or_path: a folder that holds model.safetensors, or a name on the hub such as "google-t5/t5-base"; `stack` is
    "encoder" or "decoder". Raises ValueError if the file holds no such table, OSError if the hub cannot be reached.
    Source: Raffel et al. 2020, section 2.1; the layout of the file as safetensors documents it.
    """
    if stack not in ("encoder", "decoder"):
        raise ValueError(f"stack={stack!r}: expected 'encoder' or 'decoder'")
    name, wanted = str(name_or_path), TABLE.format(stack)
    if Path(name_or_path).is_dir():
        read = _from_file(Path(name_or_path) / FILE)
    elif re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        read = _from_hub(f"{hub}/{name}/resolve/main/{FILE}", timeout)
    else:
        raise ValueError(f"name_or_path={name!r}: expected a folder, or a name such as 'google-t5/t5-base'")
    try:
        length = int.from_bytes(read(0, 8), "little")
        header: Any = json.loads(read(8, 8 + length))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"{name}: {FILE} does not begin as a safetensors file does") from None
    if not isinstance(header, dict) or wanted not in header:
        raise ValueError(f"{name}: no tensor {wanted} in {FILE}; is it a T5 with one file?")
    kind, shape, (first, last) = (header[wanted][key] for key in ("dtype", "shape", "data_offsets"))
    if kind not in DTYPES:
        raise ValueError(f"{name}: the table is stored as {kind}, expected one of {', '.join(DTYPES)}")
    raw = bytearray(read(8 + length + first, 8 + length + last))
    return torch.frombuffer(raw, dtype=DTYPES[kind]).reshape(shape).float()


def _from_file(path: Path) -> Read:
    if not path.exists():
        raise ValueError(f"{path.parent}: holds no {FILE}")

    def read(first: int, last: int) -> bytes:
        _check_length(str(path), last - first)
        with path.open("rb") as file:
            file.seek(first)
            return _complete(str(path), file.read(last - first), last - first)

    return read


def _from_hub(address: str, timeout: float) -> Read:
    def read(first: int, last: int) -> bytes:
        _check_length(address, last - first)
        request = Request(address, headers={"Range": f"bytes={first}-{last - 1}"})
        try:
            with urlopen(request, timeout=timeout) as answer:
                if answer.status != 206:
                    raise OSError(f"{address}: the server sends whole files only, and this one is large")
                return _complete(address, answer.read(last - first), last - first)
        except HTTPException as error:  # which is no OSError
            raise OSError(f"{address}: {type(error).__name__}") from error

    return read


def _check_length(where: str, length: int) -> None:
    if not 0 < length <= LARGEST:
        raise ValueError(f"{where}: does not begin as a safetensors file does")


def _complete(where: str, found: bytes, length: int) -> bytes:
    if len(found) != length:
        raise ValueError(f"{where}: ends too early, is the file whole?")
    return found
