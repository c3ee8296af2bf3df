"""Every check of the course, each to its end, and a table of what came out: `python3 course.py test`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

NBVAL = "--nbval --nbval-current-env --nbval-cell-timeout=120 --nbval-sanitize-with tests/nbval_sanitize.cfg"
PYTEST = "pytest -q -rfEs -n 2 --dist loadfile"
STAGES = {
    "ruff": "ruff check --output-format concise",
    "mypy": "mypy",
    "speed": "pytest -q -rfEs tests/test_speed.py",  # alone: who measures time must not share the machine
    "tests": f"{PYTEST} tests --ignore=tests/test_speed.py",
    "notebooks": f"{PYTEST} {NBVAL} notebooks solutions",
    "exercises": f"{PYTEST} {NBVAL} exercises",  # without outputs to compare: each cell must run
}


def run_stage(name: str) -> tuple[str, int, int, int, float]:
    """(name, passed, failed, skipped, seconds) of one stage; ruff and mypy count as one check each."""
    print(f"\n=== {name}: {STAGES[name]}", flush=True)
    command, start = [sys.executable, "-m", *STAGES[name].split()], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        if STAGES[name].startswith("pytest"):
            command.append(f"--junitxml={report}")
        wrong = int(subprocess.call(command) != 0)
        passed, failed, skipped = counts(report) if report.exists() else (1 - wrong, wrong, 0)
    return name, passed, max(failed, wrong), skipped, time.perf_counter() - start


def counts(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped in pytest's XML report."""
    suite = ElementTree.parse(report).getroot().find("testsuite")
    tests, failures, errors, skipped = (int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped"))
    return tests - failures - errors - skipped, failures + errors, skipped


def main() -> int:
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # the solutions that pass here are not the learner's
    rows = [run_stage(name) for name in STAGES]
    print("\nstage       passed  failed  skipped  seconds")
    for name, passed, failed, skipped, seconds in rows:
        print(f"{name:<10}  {passed:>6}  {failed:>6}  {skipped:>7}  {seconds:>7.0f}")
    return int(any(failed for _, _, failed, _, _ in rows))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
