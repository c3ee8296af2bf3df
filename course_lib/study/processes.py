"""More processes than one: on this machine started here, on many machines by torchrun.

The runs are dealt like cards, by place in the full plan. So nobody needs to ask anybody what to do next, a process that
dies takes nothing along but its run in flight, and which process made a run cannot matter: each has one thread.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import torch

from . import results
from .settings import Settings

CHILD = "COURSE_STUDY_PLACE"  # "rank/world/parent": set for the processes that `start_local` starts
T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Which of how many processes this is, and who started it."""

    rank: int
    world: int
    torchrun: bool = False
    parent: int | None = None

    @classmethod
    def of_this_process(cls) -> "Place | None":
        """None for a process that somebody started alone."""
        if CHILD in os.environ:
            rank, world, parent = map(int, os.environ[CHILD].split("/"))
            return cls(rank, world, parent=parent)
        if "TORCHELASTIC_RUN_ID" in os.environ:
            return cls(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), torchrun=True)
        return None

    def abandoned(self) -> bool:
        """Has the process that started this one been killed? Then somebody may already have started it again."""
        return self.parent not in (None, os.getppid())

    def share(self, runs: Sequence[T]) -> Sequence[T]:
        """The runs of this process."""
        return runs[self.rank :: self.world]


ALONE = Place(0, 1)


def start_local(number: int, argv: Sequence[str]) -> int:
    """The same command in so many processes, until all have ended: 0, or the exit status of one that failed.

    One that fails does not stop the others. Ctrl-C stops all of them, for the terminal tells each.
    """
    command = [sys.executable, "-m", "course_lib.study", *argv]
    children = [
        subprocess.Popen(command, env={**os.environ, CHILD: f"{rank}/{number}/{os.getpid()}", "LOCAL_RANK": str(rank)})
        for rank in range(number)
    ]
    try:
        failed = [(rank, status) for rank, child in enumerate(children) if (status := child.wait())]
    except BaseException:
        for child in children:
            child.terminate()
        for child in children:
            child.wait()
        raise
    for rank, status in failed:
        print(
            f"Process {rank} of {number} ended with status {status}; the same command does what it left.",
            file=sys.stderr,
        )
    return failed[0][1] if failed else 0


def collect(path: str | Path, settings: Settings) -> None:
    """Under torchrun: every machine gets the finished runs of all others into its own file.

    What is sent are lines of text, which no GPU has ever seen: gloo serves both kinds of machine.
    """
    import torch.distributed as dist  # not in every torch there is

    dist.init_process_group("gloo", timeout=timedelta(days=7))  # the first to end waits for the last
    try:
        rows, _ = results.read(path, settings)
        everywhere: list[list[results.Row]] = [[] for _ in range(dist.get_world_size())]
        dist.all_gather_object(everywhere, rows)
        if os.environ["LOCAL_RANK"] == "0":
            have = {results.key(row) for row in rows}
            for row in (row for rows in everywhere for row in rows):
                if results.key(row) not in have:
                    have.add(results.key(row))
                    results.append(path, row)
        dist.barrier()
    finally:
        dist.destroy_process_group()


def gpu_of_this_process() -> torch.device:
    """Under torchrun each process of a machine has a GPU of its own, while there are enough."""
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
