"""Examines how a causal language model uses positions: its scheme, its calls, and whether it reads far text.

MODEL is a folder, or a name in the local cache, of transformers; without one, the course's released model is examined.
Code that comes with a model is never run. For a config.json, the answer is what the file says, in words.
The exit status is 1 if there is a fault. For functions of your own: course_lib.checkup.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from course_lib.released import excerpt, load
from course_lib.released.model import Released

from .figures import checkup_report

TOKENS = 512  # of the text that is read


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("course.py checkup", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a folder, a name, or a config.json")
    parser.add_argument("--compare", metavar="MODEL", help="another implementation of the same weights")
    parser.add_argument("--text", type=Path, metavar="FILE", help="what the model reads; by default, a piece of Alice")
    parser.add_argument("--html", type=Path, default=Path("checkup.html"), metavar="FILE", help="the report to write")
    parser.add_argument("--download", action="store_true", help="fetch a model that is not in the local cache")
    return parser.parse_args(argv)


def opened(name: str | None, download: bool) -> tuple[Any, Any]:
    """The model of that name, or the released one, and its tokenizer or None. Raises ValueError for what is none."""
    if name is not None:
        from course_lib.checkup.transformers_model import loaded

        return loaded(name, download)
    released = load()
    if not isinstance(released, Released):
        raise ValueError("the released model is missing: `python3 course.py model` fetches it")
    return released, released.encode


def main(argv: Sequence[str] | None = None) -> int:
    given = arguments(sys.argv[1:] if argv is None else argv)
    try:
        if given.model and given.model.endswith(".json"):
            from course_lib.checkup import read

            print(*read(json.loads(Path(given.model).read_text(encoding="utf-8"))).words, sep="\n")
            return 0
        return examined(given)
    except (ValueError, OSError) as error:
        print(f"course.py checkup: {error}", file=sys.stderr)
        return 2


def examined(given: argparse.Namespace) -> int:
    """Prints the report, writes it as a page, and returns the exit status."""
    from course_lib.checkup import checkup, compare

    model, tokenizer = opened(given.model, given.download)
    words = excerpt("alice") if given.text is None else given.text.read_text(encoding="utf-8")
    text = None if tokenizer is None else tokens(words, tokenizer)
    other = opened(given.compare, given.download)[0] if given.compare else None
    report = checkup(model, text) if other is None else compare(model, other, text)
    print(report)
    print(f"\nThe report with its pictures is in {checkup_report(report).save(given.html)}.")
    return 1 if report.faults else 0


def tokens(words: str, tokenizer: Any) -> Any:
    """The first TOKENS token numbers of a text."""
    import torch

    encoded = tokenizer(words)
    return (encoded if isinstance(encoded, torch.Tensor) else torch.tensor(encoded["input_ids"]))[:TOKENS]


if __name__ == "__main__":
    sys.exit(main())
