"""The bias table of a published T5: one kilobyte or two read out of a checkpoint of many megabytes.

A safetensors file begins with 8 bytes that say how long its header is; the header (JSON) says for each tensor its type,
its shape and where its bytes lie. So one table can be fetched alone, over HTTP with a range of bytes.
"""

import json
from http.client import HTTPException
from urllib.request import Request, urlopen

import torch
from torch import Tensor

HUB = "https://huggingface.co"
TABLE = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


def t5_table(name: str, *, hub: str = HUB, timeout: float = 5.0) -> Tensor:
    """The bias table that all layers of an encoder share, (num_buckets, heads).

    name: a model on the hub whose one file holds float32, such as "google-t5/t5-base". Raises OSError if the hub cannot
    be reached or has no such model, and ValueError if the file holds no such table.
    Source: Raffel et al. 2020, section 2.1; the layout of the file as safetensors documents it.
    """
    address = f"{hub}/{name}/resolve/main/model.safetensors"
    length = int.from_bytes(_fetched(address, 0, 8, timeout), "little")
    entry = json.loads(_fetched(address, 8, 8 + length, timeout)).get(TABLE)
    if entry is None or entry["dtype"] != "F32":
        raise ValueError(f"{name}: expected the tensor {TABLE} in float32; is it a T5 with one file?")
    first, last = (8 + length + place for place in entry["data_offsets"])
    raw = bytearray(_fetched(address, first, last, timeout))
    return torch.frombuffer(raw, dtype=torch.float32).reshape(entry["shape"])


def _fetched(address: str, first: int, last: int, timeout: float) -> bytes:
    """The bytes of a file from number `first` up to `last`."""
    request = Request(address, headers={"Range": f"bytes={first}-{last - 1}"})
    try:
        with urlopen(request, timeout=timeout) as answer:
            if answer.status != 206:
                raise OSError(f"{address}: the server sends whole files only, and this one is large")
            return answer.read()
    except HTTPException as error:  # not an OSError
        raise OSError(f"{address}: {type(error).__name__}") from error
