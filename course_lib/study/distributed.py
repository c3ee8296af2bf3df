"""More processes than one: on this machine started here, on many machines by torchrun.

The runs are dealt like cards, by their number in the full plan. So no process needs to ask another what to do next, one
that dies loses only its run in flight, and it does not matter which process made a run, because each has one thread.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch

from . import results
from .settings import Settings

CHILD = "COURSE_STUDY_WORKER"  # "rank/world/parent": set for the processes that `start_local` starts
T = TypeVar("T")


@dataclass(frozen=True)
class Worker:
    """Which of how many processes this is, and who started it."""

    rank: int
    world: int
    torchrun: bool = False
    parent: int | None = None

    @classmethod
    def of_this_process(cls) -> "Worker | None":
        """None for a process that somebody started alone."""
        if CHILD in os.environ:
            rank, world, parent = map(int, os.environ[CHILD].split("/"))
            return cls(rank, world, parent=parent)
        if "TORCHELASTIC_RUN_ID" in os.environ:
            return cls(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), torchrun=True)
        return None

    def abandoned(self) -> bool:
        """Has the process that started this one been killed? Then somebody may already have started it again.

        Windows does not tell: a run that is done twice is the same twice, and is read once.
        """
        return os.name != "nt" and self.parent not in (None, os.getppid())

    def share(self, runs: Sequence[T]) -> Sequence[T]:
        """The runs of this process."""
        return runs[self.rank :: self.world]


ALONE = Worker(0, 1)


def start_local(number: int, argv: Sequence[str]) -> int:
    """The same command in so many processes, until all have ended: how many of them failed.

    One that fails does not stop the others; it is named. Ctrl-C stops all of them, and so does SIGTERM: it raises a
    KeyboardInterrupt here, with its number. (Windows ends a process without asking it.)
    """
    command = [sys.executable, "-m", "course_lib.study", *argv]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C is for this process, which tells them
    try:
        children = [
            subprocess.Popen(
                command, env={**os.environ, CHILD: f"{rank}/{number}/{os.getpid()}", "LOCAL_RANK": str(rank)}
            )
            for rank in range(number)
        ]
    finally:
        signal.signal(signal.SIGINT, before)
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, _interrupt)  # not sooner: no child may inherit it, and none has begun a run yet
        failed = [(rank, status) for rank, child in enumerate(children) if (status := child.wait())]
    finally:
        for child in children:
            child.terminate()  # when interrupted; nothing happens to those that have ended
        for child in children:
            child.wait()
        signal.signal(signal.SIGTERM, before)
    for rank, status in failed:
        print(
            f"Process {rank} of {number} ended with status {status}; the same command does what it left.",
            file=sys.stderr,
        )
    return len(failed)


def _interrupt(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(number)


def join() -> Any:
    """Under torchrun: the processes of all machines find one another, before the first run rather than after the last.

    What they will send are lines of text, which no GPU has ever seen: gloo serves both kinds of machine.
    Raises ConnectionError.
    """
    import torch.distributed as dist  # not in every torch there is

    with _connected():
        dist.init_process_group("gloo")
        return dist.new_group(timeout=timedelta(days=7))  # the first to end waits for the last


def collect(path: str | Path, settings: Settings, rows: Sequence[results.Row], group: Any) -> None:
    """Every machine gets the finished runs of all others into its own file: what `rows` and the files hold.

    group: of `join`. Raises ConnectionError when a process has died, and ValueError when one had other settings.
    """
    import torch.distributed as dist

    everywhere: list[list[results.Row]] = [[] for _ in range(dist.get_world_size())]
    with _connected():
        dist.all_gather_object(everywhere, [*results.read(path, settings)[0], *rows], group=group)
    for rank, theirs in enumerate(everywhere):
        for different in filter(None, (results.differences(row, settings) for row in theirs)):
            raise ValueError(f"process {rank} has other settings ({different}); expected the same command everywhere")
    if os.environ["LOCAL_RANK"] == "0":
        have = {results.key(row) for row in results.read(path, settings)[0]}
        for row in (row for theirs in everywhere for row in theirs):
            if results.key(row) not in have:
                have.add(results.key(row))
                results.append(path, row)
    with _connected():
        dist.barrier(group)
        dist.destroy_process_group()


def gpu_of_this_process() -> torch.device:
    """Under torchrun each process of a machine has a GPU of its own, while there are enough."""
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise ConnectionError(
            "a process of this study has ended early, here or elsewhere, or cannot be reached"
        ) from error
