"""The packages that Colab has today:  python tests/colab/current.py FILE

Colab publishes what it has installed. Those packages of it that the notebooks meet (the names in pins.txt, and torch)
are written into FILE, for `pip install -r`. Where the list cannot be had, FILE gets pins.txt, and a warning is printed
that GitHub shows beside the run.
"""

import re
import sys
import urllib.request
from pathlib import Path

PUBLISHED = "https://raw.githubusercontent.com/googlecolab/backend-info/main/pip-freeze.txt"
PINS = Path(__file__).with_name("pins.txt")


def main(file: str, published: str = PUBLISHED) -> None:
    pinned = versions(PINS.read_text(encoding="utf-8"))
    try:
        with urllib.request.urlopen(published, timeout=60) as answer:
            there = versions(answer.read().decode())
    except (OSError, UnicodeDecodeError) as error:
        there = {}
        print(f"::warning::Colab's list of packages cannot be read ({error}). The pins of {PINS.name} take its place.")
    if there and (gone := pinned.keys() - there.keys()):
        print(f"::warning::Colab does not list {', '.join(sorted(gone))} any more.")
    found = {name: there[name] for name in pinned if name in there} or pinned
    new = [f"{name} {pinned[name]} → {version}" for name, version in found.items() if version != pinned[name]]
    print(*(new or ["Every version is that of the pins."]), sep="\n")
    lines = "".join(f"{name}=={version}\n" for name, version in found.items())
    Path(file).write_text(lines, encoding="utf-8")


def versions(text: str) -> dict[str, str]:
    """Version by name, both as pip freeze writes them: `numpy==2.1.3` or `torch @ https://…/torch-2.11.0%2Bcpu-….whl`.

    What follows a + says only for which machine the package was built, and is left out.
    """
    found = re.findall(r"(?m)^(?:# Colab also has )?([\w.-]+)(?:==| @ \S*/[\w.]+?-)(\d[\w.]*\w)", text)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


if __name__ == "__main__":
    main(*sys.argv[1:])
