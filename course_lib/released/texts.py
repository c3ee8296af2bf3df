"""Excerpts to read with the model, as text: what each is, its source, its licence and its hash are in texts/table.toml.

Each has 1,024 tokens or more, `alice` 16,500. An excerpt may begin and end inside a sentence.
"""

import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
TABLE: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "table.toml").read_text("utf-8"))


def excerpt(name: str) -> str:
    """The text of that name. Raises ValueError for an unknown name."""
    if name not in TABLE:
        raise ValueError(f"name={name!r}: expected one of {', '.join(TABLE)}")
    return (FOLDER / f"{name}.txt").read_bytes().decode("utf-8")
