"""Every check of the course, each to its end, and a table of the results: `python3 course.py test`.

    --all          the slow tests, too, as in continuous integration (CI=true)
    --under-load   while other processes keep every core busy; only the speed tests are left out then
    --learner      only the notebooks, with whatever packages are installed: requirements.txt is enough

The reports of pytest are kept in build/reports.
"""

import contextlib
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

REPORTS = Path("build", "reports")
PYTEST = "pytest -q -rfEs --durations=10"
NBVAL = "--nbval --nbval-current-env --nbval-cell-timeout=600 --nbval-sanitize-with tests/nbval_sanitize.cfg"
APART = ("tests/test_speed.py", "tests/tools/test_exercises.py", "tests/browser")  # each is a separate stage
STAGES = {
    "speed": f"{PYTEST} tests/test_speed.py",
    "ruff": "ruff check --output-format concise",
    "mypy": "mypy",
    "tests": f"{PYTEST} -n 2 --dist worksteal tests {' '.join(f'--ignore={path}' for path in APART)}",
    "notebooks": f"{PYTEST} -n 2 --dist loadfile {NBVAL} notebooks solutions",
    "browser": f"{PYTEST} tests/browser",
    "exercises": f"{PYTEST} tests/tools/test_exercises.py",
}
LANES = [["ruff", "mypy", "tests"], ["browser", "exercises", "notebooks"]]  # run side by side: browser and kernels wait
OPTIONS = {"--all", "--under-load", "--learner"}


@dataclass
class Row:
    """What came out of one stage."""

    stage: str
    passed: int
    failed: int
    skipped: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.stage:<10}  {self.passed:>6}  {self.failed:>6}  {self.skipped:>7}  {self.seconds:>7.0f}"


def run_stage(name: str, options: list[str], *, aside: bool = False) -> Row:
    """Run one stage; ruff and mypy count as one check each. A stage that runs aside is shown when it has ended."""
    words = STAGES[name].split()
    if importlib.util.find_spec("xdist") is None:  # a learner has one process
        words = [word for word in words if word not in ("-n", "2", "--dist", "loadfile", "worksteal")]
    report, start = REPORTS / f"{name}.xml", time.perf_counter()
    report.unlink(missing_ok=True)
    if words[0] == "pytest":
        words.append(f"--junitxml={report}")
    if name in ("tests", "browser"):
        words += options
    title = f"\n=== {name}: {' '.join(words)}\n"
    if aside:
        done = subprocess.run([sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        sys.stdout.buffer.write(title.encode() + done.stdout)
        sys.stdout.flush()
    else:
        print(title, end="", flush=True)
        done = subprocess.run([sys.executable, "-m", *words])
    wrong = int(done.returncode != 0)
    passed, failed, skipped = counts(report) if report.exists() else (1 - wrong, wrong, 0)
    return Row(name, passed, max(failed, wrong), skipped, time.perf_counter() - start)


def counts(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped in pytest's XML report."""
    suite = ElementTree.parse(report).getroot().find("testsuite")
    tests, failures, errors, skipped = (int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped"))
    return tests - failures - errors - skipped, failures + errors, skipped


@contextlib.contextmanager
def busy_cores() -> Iterator[None]:
    """A process that computes without end for every core."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_lanes(lanes: list[list[str]], options: list[str]) -> list[Row]:
    """Run the lanes side by side, the stages of each one after another."""

    def run_lane(number: int) -> list[Row]:
        return [run_stage(name, options, aside=number > 0) for name in lanes[number]]

    with ThreadPoolExecutor() as pool:
        return [row for lane in pool.map(run_lane, range(len(lanes))) for row in lane]


def main(arguments: list[str]) -> int:
    if unknown := set(arguments) - OPTIONS:
        print(f"unknown: {' '.join(sorted(unknown))}\n\n{__doc__}", file=sys.stderr)
        return 2
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # the solutions that pass here are not the learner's
    for library in ("OMP", "OPENBLAS", "MKL"):  # stages share the cores: two threads for one product would be slower
        os.environ[f"{library}_NUM_THREADS"] = "1"
    REPORTS.mkdir(parents=True, exist_ok=True)
    start, options = time.perf_counter(), ["--all"] * ("--all" in arguments)
    if "--learner" in arguments:
        rows = run_lanes([["notebooks", "exercises"]], [])
    elif "--under-load" in arguments:
        with busy_cores():
            rows = run_lanes(LANES, options)
    else:  # a test that measures time has the machine for itself
        rows = [run_stage("speed", []), *run_lanes(LANES, options)]
    print("\nstage       passed  failed  skipped  seconds", *rows, sep="\n")
    print(f"in all {time.perf_counter() - start:.0f} seconds")
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
