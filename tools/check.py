"""Every check of the course, each to its end, and a table of the results: `python3 course.py test`."""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from course_kit.contents import KINDS

PYTEST = "pytest -q -rfEs --durations=10"
NBVAL = "--nbval --nbval-current-env --nbval-cell-timeout=600 --nbval-sanitize-with tests/nbval_sanitize.cfg"
STAGES = {
    "speed": f"{PYTEST} tests/test_speed.py",
    "ruff": "ruff check --output-format concise",
    "format": "ruff format --check --output-format concise",
    "mypy": "mypy",
    "tests": f"{PYTEST} -n 2 --dist worksteal tests --ignore=tests/test_speed.py --ignore=tests/browser",
    "notebooks": f"{PYTEST} -n 2 --dist loadfile {NBVAL}",
    "browser": f"{PYTEST} tests/browser",
}
LANES = [["ruff", "format", "mypy", "tests"], ["browser", "notebooks"]]  # run side by side: browser and kernels wait
Result = tuple[str, bool, float]  # a stage, whether it passed, and its seconds


def asking() -> list[str]:
    """The notebooks that ask for a package which a learner may lack: with the packages of the tests, they run more."""
    paths = [path for folder in KINDS for path in sorted(Path(folder).glob("*.ipynb"))]
    asks = re.compile(r"find_spec\(\\?\"(?!course_lib)")  # every set-up cell looks for course_lib
    return [path.as_posix() for path in paths if asks.search(path.read_text(encoding="utf-8"))]


def run_stage(name: str, options: list[str], aside: bool = False) -> Result:
    """Run one stage. One that runs aside is shown when it has ended."""
    words, start = STAGES[name].split(), time.perf_counter()
    if importlib.util.find_spec("xdist") is None:  # a learner has one process
        words = [word for word in words if word not in ("-n", "2", "--dist", "loadfile", "worksteal")]
    words += options
    title = f"\n=== {name}: {' '.join(words)}\n"
    if aside:
        done = subprocess.run([sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        sys.stdout.buffer.write(title.encode() + done.stdout)
        sys.stdout.flush()
    else:
        print(title, end="", flush=True)
        done = subprocess.run([sys.executable, "-m", *words])
    return name, done.returncode == 0, time.perf_counter() - start


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="course.py test", description=__doc__)
    parser.add_argument("--all", action="store_true", help="the slow tests, too, as in continuous integration")
    parser.add_argument("--under-load", action="store_true", help="with every core busy; leaves out the speed tests")
    parser.add_argument("--learner", action="store_true", help="only the notebooks: requirements.txt is enough")
    parser.add_argument("--after-learner", action="store_true", help="only the notebooks that ask for packages")
    asked = parser.parse_args(arguments)
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"  # the solutions that pass here are not the learner's
    for library in ("OMP", "OPENBLAS", "MKL"):  # stages share the cores: two threads for one product would be slower
        os.environ[f"{library}_NUM_THREADS"] = "1"
    start, slow = time.perf_counter(), ["--all"] * asked.all
    options = {"tests": slow, "browser": slow, "notebooks": asking() if asked.after_learner else list(KINDS)}
    burn = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(burn) for _ in range(os.cpu_count() or 1) if asked.under_load]
    lanes = [["notebooks"]] if asked.learner else LANES

    def run_lane(lane: list[str]) -> list[Result]:
        return [run_stage(name, options.get(name, []), lane is not lanes[0]) for name in lane]

    try:  # a test that measures time has the machine for itself
        results = [] if busy or lanes is not LANES else [run_stage("speed", [])]
        with ThreadPoolExecutor() as pool:
            results += chain.from_iterable(pool.map(run_lane, lanes))
    finally:
        for process in busy:
            process.kill()
    print()
    for name, passed, seconds in results:
        print(f"{name:<10}  {'passed' if passed else 'FAILED'}  {seconds:>5.0f} seconds")
    print(f"in all {time.perf_counter() - start:.0f} seconds")
    return int(not all(passed for _, passed, _ in results))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
