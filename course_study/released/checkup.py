"""The check-up of the released model on 512 tokens of *Alice*: committed, because it takes some 40 seconds.

    from course_study.released.checkup import report
    print(report())

`python -m course_study.released.checkup` makes it again, from the model's file.
"""

import json
from dataclasses import asdict

from course_lib.checkup import Check, Report, checkup
from course_lib.released import Released, excerpt, load

from ..results import COMMITTED

FILE = COMMITTED / "checkup.json"
TOKENS = 512


def examined(model: Released) -> Report:
    """The check-up itself."""
    return checkup(model, model.encode(excerpt("alice"))[:TOKENS])


def report() -> Report:
    """The committed report, without its curves."""
    saved = json.loads(FILE.read_text(encoding="utf-8"))
    gaps = [(positions, Check(**check)) for positions, check in saved["gaps"]]
    return Report(saved["title"], [Check(**check) for check in saved["checks"]], saved["words"], gaps=gaps)


def main() -> None:
    found = asdict(examined(load()))
    del found["curves"]
    lines = json.dumps(found, ensure_ascii=False).replace("}, ", "},\n")  # a check in each
    FILE.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
