"""Where the course is published: [project.urls] in pyproject.toml is the one place that says it."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def address(root: Path = ROOT) -> str | None:
    """The repository's address, or None as long as the course is not published."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository")


def open_in_colab(published: str | None, version: str, path: str) -> str:
    """A Markdown link to a notebook of this release, empty where Colab cannot open it: it reads GitHub alone."""
    if published is None or not published.startswith("https://github.com/"):
        return ""
    colab = published.replace("https://github.com/", "https://colab.research.google.com/github/")
    return f"[Open in Colab]({colab}/blob/v{version}/{path})"
