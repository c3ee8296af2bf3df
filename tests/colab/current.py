"""The packages that Colab has today:  python tests/colab/current.py FILE

Colab publishes what it has installed. Those packages that pins.txt names are written into FILE, for `pip install -r`.
"""

import re
import sys
import urllib.request
from pathlib import Path

PUBLISHED = "https://raw.githubusercontent.com/googlecolab/backend-info/main/pip-freeze.txt"
PINS = Path(__file__).with_name("pins.txt")


def main(file: str, published: str = PUBLISHED) -> None:
    with urllib.request.urlopen(published, timeout=60) as answer:
        there = versions(answer.read().decode())
    names = versions(PINS.read_text(encoding="utf-8"))
    lines = [f"{name}=={there[name]}\n" for name in names if name in there]
    Path(file).write_text("".join(lines), encoding="utf-8")
    print(f"Colab has {len(lines)} of {len(names)} packages:", *lines)


def versions(text: str) -> dict[str, str]:
    """Version by name, both as pip freeze writes them: `numpy==2.1.3` or `torch @ https://…/torch-2.11.0%2Bcpu-….whl`.

    What follows a + says only for which machine the package was built, and is left out.
    """
    found = re.findall(r"(?m)^(?:# Colab also has )?([\w.-]+)(?:==| @ \S*/[\w.]+?-)(\d[\w.]*\w)", text)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


if __name__ == "__main__":
    main(*sys.argv[1:])
