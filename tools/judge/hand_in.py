"""A hand-in in its own process: started, asked, watched, and ended when it takes too much."""

import json
import math
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from course_lib.checking import CodingTask, Exercise
from course_lib.checking.runner import WALL
from tools.judge import sandbox
from tools.judge.data import LARGEST, Data
from tools.judge.processes import end, family

SLICE = 0.2  # seconds between two looks at the process
SPARE = 15.0  # seconds for imports, which are not counted, and to stop a call that takes too long
START, CELL, CELLS, WHOLE = 60.0, 60.0, 180.0, 600.0  # seconds by the clock: to begin, a cell, all cells, a hand-in
BYTES = 2 * LARGEST  # of one answer
LETTERS = 300  # of a sentence


class Ended(Exception):
    """The process is no more; the text says why."""


class HandIn:
    """The code cells of one notebook, and the process that runs them. Its objects are asked for by name.

    A process that had to be ended is replaced by a new one, which runs the cells again, as long as `WHOLE` allows it.
    """

    def __init__(self, sources: Sequence[str], topic: str, tasks: dict[str, Exercise]) -> None:
        self.sources, self.topic = list(sources), topic
        self.starters = {name: starter(task) for name, task in tasks.items()}
        self.process: subprocess.Popen[bytes] | None = None
        self.folder = tempfile.TemporaryDirectory(prefix="hand-in-", ignore_cleanup_errors=True)
        self.deadline = time.monotonic() + WHOLE
        self.about: dict[str, Data] = {}  # what there is to judge, by task
        self.ended = ""  # why the last process was ended
        self.looked = 0.0  # when the process was last looked at
        self.used = math.inf  # seconds of processor time before the question that it answers now

    def __enter__(self) -> "HandIn":
        return self

    def __exit__(self, *error: object) -> None:
        if self.process:
            end(self.process)
        self.folder.cleanup()

    def begin(self) -> None:
        """Start a process and run the cells. Raises Ended."""
        folder = Path(tempfile.mkdtemp(dir=self.folder.name))
        self.process = sandbox.start(folder, namespaces=not sandbox.refused())
        self._answer(None, START)  # it says when it is ready
        asked = {"sources": self.sources, "seconds": CELL, "topic": self.topic, "starters": self.starters}
        found = self._answer({"do": "cells", **asked}, CELLS)
        known = found if isinstance(found, dict) else {}
        self.about = {name: known[name] for name in self.starters if isinstance(known.get(name), dict)}

    def ask(self, do: str, seconds: float = 5.0, **request: Data) -> Data:
        """What the process answers to `do`, for which it has so many seconds of processor time. Raises Ended."""
        if self.process is None:
            self.begin()
        return self._answer({"do": do, "seconds": seconds, **request}, WALL + SPARE, seconds + SPARE)

    def stop(self, cause: str) -> NoReturn:
        """End the process; the next question starts another. Raises Ended."""
        if self.process:
            end(self.process)
        self.process, self.ended = None, cause
        raise Ended(cause)

    def _answer(self, request: Data, seconds: float, processor: float = WHOLE) -> Data:
        """Write and read in a thread, so that a process that does neither cannot hold us up."""
        assert self.process is not None
        come: queue.Queue[bytes] = queue.Queue()
        process, start, self.used = self.process, time.monotonic(), math.inf
        threading.Thread(target=exchange, args=(process, request, come), daemon=True).start()
        while True:
            try:
                line = come.get(timeout=SLICE)
                break
            except queue.Empty:
                self._watch(process, time.monotonic() - start, seconds, processor)
        if time.monotonic() - self.looked > SLICE:  # many short answers must not hide what goes on beside them
            self._watch(process, time.monotonic() - start, seconds, processor)
        if not line.endswith(b"\n"):
            self.stop("Its code ended the process." if len(line) < BYTES else "It answered with too much data.")
        try:
            return json.loads(line)["answer"]
        except (ValueError, TypeError, KeyError, RecursionError):
            self.stop("It wrote into the judge's channel, or its objects fail when they are read.")

    def _watch(self, process: subprocess.Popen[bytes], passed: float, seconds: float, processor: float) -> None:
        """End a process that takes too long or too much."""
        self.looked = time.monotonic()
        running = family(process.pid)
        used = sum(one.seconds for one in running)
        self.used = min(self.used, used)
        if passed > seconds or used - self.used > processor:
            self.stop(f"It did not end within {min(passed, seconds):.0f} seconds.")
        if time.monotonic() > self.deadline:
            self.stop(f"All cells and calls together took more than {WHOLE:.0f} seconds.")
        if len(running) > sandbox.PROCESSES // 2:
            self.stop(f"It started more than {sandbox.PROCESSES // 2} processes.")
        if sum(one.bytes for one in running) > sandbox.MEMORY:
            self.stop(f"It used more than {sandbox.MEMORY / 2**30:g} GB of memory.")


def starter(task: Exercise) -> str:
    """The code with the bug that a learner starts from, where the task is a bug hunt."""
    return task.stub() if isinstance(task, CodingTask) and task.starter else ""


def exchange(process: subprocess.Popen[bytes], request: Data, come: "queue.Queue[bytes]") -> None:
    """Write a request, if there is one, and read a line; an incomplete one where the process has ended."""
    line: Any = b""
    try:
        assert process.stdin and process.stdout
        if request is not None:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        line = process.stdout.readline(BYTES)
    except (OSError, ValueError):
        pass
    come.put(line)


def text(said: Any, also: str = "") -> str:
    """What another process says, without anything that a terminal or a table would obey."""
    return "".join(letter if letter.isprintable() or letter in also else " " for letter in str(said)[:LETTERS])
