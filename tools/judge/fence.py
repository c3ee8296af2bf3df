"""Where a hand-in runs: a process that sees the course's library without its answers, and may do little.

With bubblewrap (`bwrap`, on Linux) it sees no network, no other process, no home, and no file but Python, the system's
programs and that library; it writes into memory only, and whatever it starts ends with it. Elsewhere only limits hold.
"""

import contextlib
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives"]
SYSTEM += ["/proc/cpuinfo", sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
NAMESPACES = ("--die-with-parent", "--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts")
IS_ROOT = os.name == "posix" and os.geteuid() == 0
USER = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") if IS_ROOT else ("--unshare-user",)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")  # no limit of processes holds for root
TASKS = "from tools.judge.worker import Quiet as __getattr__\nfrom .given import *"  # what a topic's module is here
NAMES = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "COURSE_KEEPS_NO_PROGRESS": "1"}
NAMES |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NAMES |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}


class Limits(NamedTuple):
    """What a hand-in may take. Processor time decides, because a busy machine slows down right code, too."""

    cell: float = 30.0  # seconds of processor time for a cell
    processor: int = 120  # seconds of processor time for a process
    wall: float = 900.0  # seconds by the clock for the whole hand-in, which might sleep
    memory: int = 4 * 2**30  # bytes, of all its processes together
    disk: int = 64 * 2**20  # bytes
    processes: int = 64  # and threads, beside those that run already


def talk(request: bytes, limits: Limits, deadline: float) -> tuple[list[bytes], str]:
    """The lines that a worker answers, and why that is all. It answers into a file, whose size is limited, too."""
    with tempfile.TemporaryDirectory(prefix="hand-in-", ignore_cleanup_errors=True) as folder:
        box, question, answer = Path(folder, "box"), Path(folder, "question"), Path(folder, "answer")
        fill(box)
        question.write_bytes(request)
        seen = str(box) if refused() else "/box"
        home = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "IPYTHONDIR"), f"{seen}/exercises")
        most = {"RLIMIT_CPU": limits.processor, "RLIMIT_AS": 2 * limits.memory, "RLIMIT_FSIZE": limits.disk}
        if running := len(list(Path("/proc").glob("[0-9]*/task/*"))):
            most["RLIMIT_NPROC"] = running + limits.processes
        code = f"import sys; sys.path.insert(0, {seen!r}); from tools.judge.worker import main; main({most})"
        command = [sys.executable, "-I", "-B", "-c", code]
        with question.open("rb") as asked, answer.open("wb") as said:
            process = subprocess.Popen(
                command if refused() else [*bubblewrap(box, limits), *command], stdin=asked, stdout=said,
                stderr=subprocess.DEVNULL, cwd=box / "exercises", env=NAMES | home, start_new_session=True,
            )  # fmt: skip
            try:
                why = watch(process, limits, deadline)
            finally:
                with contextlib.suppress(OSError):  # it has ended
                    os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()
                process.wait()
        return answer.read_bytes().splitlines(), why


def watch(process: subprocess.Popen[bytes], limits: Limits, deadline: float) -> str:
    """Wait until a process ends or takes too much, and say why."""
    while process.poll() is None:
        if time.monotonic() > deadline:
            return f"It did not end within {limits.wall:.0f} seconds."
        if memory(process.pid) > limits.memory:
            return f"It used more than {limits.memory / 2**30:g} GB of memory."
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
    if os.name == "posix" and process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return "It used all its processor time."
    return "Its code ended the process, or its objects cannot be read."


def fill(box: Path) -> None:
    """What a hand-in may read of the course: the library, what the checks lend it, and tasks that answer nothing."""
    (box / "exercises").mkdir(parents=True)  # it runs here: a notebook finds the course in a folder above
    for room in ("course_kit", "course_lib", "course_study"):
        shutil.copytree(ROOT / room, box / room)
    shutil.copytree(ROOT / "tools" / "judge", box / "tools" / "judge")
    for init in ROOT.glob("course_tasks/*/__init__.py"):
        folder, lent = box / init.parent.relative_to(ROOT), init.with_name("given.py")
        folder.mkdir(parents=True)
        (folder / "given.py").write_bytes(lent.read_bytes() if lent.exists() else b"")
        (folder / "__init__.py").write_text(TASKS)


def bubblewrap(box: Path, limits: Limits) -> list[str]:
    """`bwrap`, and what it shows. What is deeper in the tree is mounted later and so decides."""
    installed = [Path(name, "course_tasks") for name in site.getsitepackages()]
    hidden = {str(path) for path in (ROOT, Path.home(), *installed)} - {"/"}
    empty = ["--perms", "1777", "--size", str(limits.disk), "--tmpfs"]
    mounts = [*empty, "/tmp"]
    for name in sorted(filter(os.path.exists, hidden.union(SYSTEM)), key=lambda name: name.count("/")):
        mounts += [word for parent in reversed(Path(name).parents) for word in ("--dir", str(parent))]  # for all users
        mounts += ["--size", "65536", "--tmpfs", name] if name in hidden else ["--ro-bind", name, name]
    mounts += ["--ro-bind", str(box), "/box", *empty, "/box/exercises", "--dev", "/dev", *empty, "/dev/shm"]
    mounts += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/box/exercises"]
    return ["bwrap", *NAMESPACES, *USER, *mounts, "--", *(NOBODY if IS_ROOT else ())]


@cache
def refused() -> str:
    """Why there is no fence here, or "" where there is one."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    command = [*bubblewrap(ROOT, Limits()), sys.executable, "-I", "-c", ""]
    tried = subprocess.run(command, capture_output=True, text=True)
    return (tried.stderr.strip() or "bubblewrap does not say why").splitlines()[-1] if tried.returncode else ""


def memory(number: int) -> int:
    """Bytes of memory of a process and of all that it has started."""
    found = 0
    with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
        for process in (root := psutil.Process(number), *root.children(recursive=True)):
            with contextlib.suppress(psutil.Error):  # so has one of these
                found += process.memory_info().rss
    return found
