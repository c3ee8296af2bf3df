"""The process of a hand-in and all that it has started: how much they take, and their end."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """What /proc tells of a process."""

    number: int
    parent: int
    owner: int
    threads: int
    seconds: float  # of processor time, with that of its children which have ended
    bytes: int  # of memory


def running() -> list[Process]:
    """All processes that we can see; none where there is no /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            told = (folder / "stat").read_text().rpartition(")")[2].split()
            ticks, pages = sum(map(int, told[11:15])), int(told[21])
            owner = folder.stat().st_uid
            seconds, size = ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")
            found.append(Process(int(folder.name), int(told[1]), owner, int(told[17]), seconds, size))
    return found


def family(number: int) -> list[Process]:
    """A process and all that it has started, as far as we can see."""
    everything, found = running(), {number}
    while more := {p.number for p in everything if p.parent in found} - found:
        found |= more
    return [process for process in everything if process.number in found]


def end(process: subprocess.Popen[bytes]) -> None:
    """End a worker and all that it has started."""
    if os.name == "posix":
        for number in {one.number for one in family(process.pid)}:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
