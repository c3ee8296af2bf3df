"""What training taught two released models about position, as numbers: no download, and neither torch nor a network.

    from course_lib import learned
    learned.read("mpnet", "table")

| model | name | shape | |
|---|---|---|---|
| `mpnet` | `table` | (32, 12) | the one table of all 12 layers; buckets and signs are those of `reference.t5.bucket` |
| `mpnet` | `lengths` | (514,) | of the absolute vectors; position p reads row p + 2, rows 0 and 1 are read by no text |
| `minilm` | `lengths` | (512,) | of the absolute vectors; position p reads row p |
| `minilm` | `profiles` | (12, 129) | what positions alone add to the scores of layer 0, by head and offset −64 … 64 |
| `minilm` | `before` | (12,) | for each head, the share of queries for which positions alone score highest at −1 |

`mpnet` is sentence-transformers/all-mpnet-base-v2, `minilm` is sentence-transformers/all-MiniLM-L6-v2, which has BERT's
architecture. Both are Apache-2.0. `python -m course_study.learned FOLDER` makes learned.toml again, which also says how
each of the numbers was computed, and has revisions, wheels and their SHA-256.
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
    """All of learned.toml: for each model its `source`, and its numbers, each with `about` and `values`."""
    return tomllib.loads(FILE.read_text("utf-8"))


def read(model: str, name: str) -> Array:
    """The numbers of that name. Raises ValueError for a model or a name that is not there."""
    numbers = {
        f"{of} {key}": entry for of, part in content().items() for key, entry in part.items() if "values" in entry
    }
    if f"{model} {name}" not in numbers:
        raise ValueError(f"model={model!r}, name={name!r}: expected one of {', '.join(numbers)}")
    return np.array(numbers[f"{model} {name}"]["values"], float)
