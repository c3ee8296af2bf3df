"""What training taught two released models about position, as numbers: no download, and neither torch nor a network.

    from course_lib import learned
    learned.read("mpnet", "table")        (32, 12): T5's table of all-mpnet-base-v2, for each bucket and head
    learned.source("mpnet")               model, revision, licence, and the SHA-256 of the wheels and of the file

| model | name | shape | |
|---|---|---|---|
| `mpnet` | `table` | (32, 12) | the one table of all 12 layers; buckets and signs are those of `reference.t5.bucket` |
| `mpnet` | `lengths` | (514,) | of the absolute vectors; position p reads row p + 2, rows 0 and 1 are read by no text |
| `minilm` | `lengths` | (512,) | of the absolute vectors; position p reads row p |
| `minilm` | `profiles` | (12, 129) | what positions alone add to the scores of layer 0, by head and offset −64 … 64 |
| `minilm` | `at_peak`, `with_words` | (12,) | share of queries whose largest score is at the profile's peak |
| `minilm` | `scores` | (32, 32) | that part for head 5, queries and keys at positions 100 … 131 |

`mpnet` is sentence-transformers/all-mpnet-base-v2, `minilm` is sentence-transformers/all-MiniLM-L6-v2, which has BERT's
architecture. Both are Apache-2.0. `python -m course_study.learned FOLDER` makes learned.toml again, where `about` says
how each of the numbers was computed.
"""

import functools
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from .reference.attention import Array

FILE = Path(__file__).with_suffix(".toml")


@functools.cache
def content() -> dict[str, dict[str, Any]]:
    """All of learned.toml: by model, its source and its numbers."""
    return tomllib.loads(FILE.read_text("utf-8"))


def read(model: str, name: str) -> Array:
    """The numbers of that name. Raises ValueError for an unknown model or name."""
    numbers = {key: value["values"] for key, value in _model(model).items() if isinstance(value, dict)}
    if name not in numbers:
        raise ValueError(f"name={name!r}: expected one of {', '.join(numbers)} for model={model!r}")
    return np.array(numbers[name], float)


def source(model: str) -> dict[str, Any]:
    """`repository`, `revision`, `licence`, the pinned `wheels`, and of the file in them `file` and `sha256`.

    `sha256` is also the published one of that revision. Raises ValueError for an unknown model.
    """
    return {key: value for key, value in _model(model).items() if not isinstance(value, dict)}


def _model(model: str) -> dict[str, Any]:
    if model not in content():
        raise ValueError(f"model={model!r}: expected one of {', '.join(content())}")
    return content()[model]
