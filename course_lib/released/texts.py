"""Excerpts to read with the model, as text: what each is, its source, its licence and its hash are in texts/table.toml.

Each has 1,024 tokens or more, `alice` 16,500. An excerpt may begin and end inside a sentence.
"""

import functools
import hashlib
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
TABLE: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "table.toml").read_text("utf-8"))


@functools.cache
def excerpt(name: str) -> str:
    """The text of that name. Raises ValueError for an unknown name, and for a text that was changed."""
    if name not in TABLE:
        raise ValueError(f"name={name!r}: expected one of {', '.join(TABLE)}")
    text = (FOLDER / f"{name}.txt").read_bytes()
    if hashlib.sha256(text).hexdigest() != TABLE[name]["sha256"]:
        raise ValueError(f"name={name!r}: the text differs from the one whose hash is in {FOLDER / 'table.toml'}")
    return text.decode("utf-8")
