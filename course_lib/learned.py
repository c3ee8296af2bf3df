"""What training taught two released models about position, as numbers: no download, and neither torch nor a network.

    from course_lib import learned
    learned.read("mpnet", "table")        (32, 12): T5's table of all-mpnet-base-v2, for each bucket and head
    learned.about("mpnet", "table")       what the numbers are, and how they were computed
    learned.source("mpnet")               model, revision, licence, and the SHA-256 of the wheels and of the file

| model | name | shape | |
|---|---|---|---|
| `mpnet` | `table` | (32, 12) | the one table of all 12 layers; buckets and signs are those of `reference.t5.bucket` |
| `mpnet` | `lengths` | (514,) | of the absolute vectors; position p reads row p + 2, rows 0 and 1 are read by no text |
| `minilm` | `lengths` | (512,) | of the absolute vectors; position p reads row p |
| `minilm` | `profiles` | (12, 129) | what positions alone add to the scores of layer 0, by head and offset −64 … 64 |
| `minilm` | `share` | (12,) | of that part's variance, the share that the offset explains |
| `minilm` | `spread` | (12,) | standard deviation of that part within the row of a query |
| `minilm` | `at_peak`, `with_words` | (12,) | share of queries whose largest score is at the profile's peak |
| `minilm` | `scores` | (32, 32) | that part for head 5, queries and keys at positions 100 … 131 |

`mpnet` is sentence-transformers/all-mpnet-base-v2, `minilm` is sentence-transformers/all-MiniLM-L6-v2, which has BERT's
architecture. Both are Apache-2.0. `python -m course_study.learned FOLDER` makes learned.toml again.
"""

import functools
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from .reference.attention import Array

FILE = Path(__file__).with_suffix(".toml")


def read(model: str, name: str) -> Array:
    """The numbers of that name. Raises ValueError for an unknown model or name."""
    return np.array(_entry(model, name)["values"], float)


def about(model: str, name: str) -> str:
    """What these numbers are, and how they were computed. Raises ValueError as `read` does."""
    return _entry(model, name)["about"]


def source(model: str) -> dict[str, Any]:
    """`repository`, `revision`, `licence`, the pinned `wheels`, and of the file in them `file` and `sha256`.

    `sha256` is also the published one of that revision. Raises ValueError for an unknown model.
    """
    return {key: value for key, value in _model(model).items() if not isinstance(value, dict)}


def _model(model: str) -> dict[str, Any]:
    if model not in _content():
        raise ValueError(f"model={model!r}: expected one of {', '.join(_content())}")
    return _content()[model]


def _entry(model: str, name: str) -> dict[str, Any]:
    entries = {key: value for key, value in _model(model).items() if isinstance(value, dict)}
    if name not in entries:
        raise ValueError(f"name={name!r}: expected one of {', '.join(entries)} for model={model!r}")
    return entries[name]


@functools.cache
def _content() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))
