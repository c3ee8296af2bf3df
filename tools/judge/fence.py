"""Where a hand-in runs: a process that sees the course's library without its answers, and may do little.

With bubblewrap (`bwrap`, on Linux) it sees no network, no other process, no home, and no file but Python, the system's
programs and that library; it writes into memory only, and whatever it starts ends with it. Elsewhere it has a folder
of its own and the limits of the module `resource`.
"""

import os
import shutil
import site
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
NAMESPACES = ("--die-with-parent", "--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts")
BECOME_NOBODY = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
START = "import sys; sys.path.insert(0, {!r}); from tools.judge.worker import main; main({}, {})"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
KEPT = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
IS_ROOT = os.name == "posix" and os.geteuid() == 0


class Limits(NamedTuple):
    """What a hand-in may take. Processor time decides, because a busy machine slows down right code, too."""

    cell: float = 30.0  # seconds of processor time for a cell
    processor: int = 120  # seconds of processor time for a process
    wall: float = 900.0  # seconds by the clock for the whole hand-in, which might sleep
    memory: int = 4 * 2**30  # bytes, of all its processes together
    disk: int = 64 * 2**20  # bytes
    processes: int = 64  # and threads

    def of_the_kernel(self) -> dict[str, int]:
        """The limits by the names that the module `resource` has for them. What runs already may count, too."""
        before = len(list(Path("/proc").glob("[0-9]*/task/*")))
        most = {"RLIMIT_NPROC": before + self.processes} if before else {}
        return most | {
            "RLIMIT_CPU": self.processor, "RLIMIT_AS": 2 * self.memory, "RLIMIT_FSIZE": self.disk, "RLIMIT_NOFILE": 256
        }  # fmt: skip


def start(folder: Path, limits: Limits) -> subprocess.Popen[bytes]:
    """The worker, in a new folder of the given one."""
    box, fenced = folder / "box", not refused()
    fill(box)
    home = "/box/exercises" if fenced else str(box / "exercises")
    names = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "COURSE_KEEPS_NO_PROGRESS": "1"}
    names |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "IPYTHONDIR"), home) | ONE_THREAD | KEPT
    code = START.format("/box" if fenced else str(box), limits.of_the_kernel(), fenced and IS_ROOT)
    return subprocess.Popen(
        [*(bubblewrap(box, limits) if fenced else ()), sys.executable, "-I", "-B", "-c", code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=box / "exercises", env=names, start_new_session=True,
    )  # fmt: skip


def fill(box: Path) -> None:
    """What a hand-in may read of the course: the library, what the checks lend it, and tasks that answer nothing."""
    shutil.copytree(ROOT / "course_lib", box / "course_lib", ignore=shutil.ignore_patterns("__pycache__"))
    for init in (ROOT / "course_tasks").glob("*/__init__.py"):
        (box / init.parent.relative_to(ROOT)).mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "judge" / "quiet_tasks.py", box / init.relative_to(ROOT))
    (box / "course_tasks" / "__init__.py").touch()
    (box / "tools" / "judge").mkdir(parents=True)
    for path in (*(ROOT / "course_tasks").rglob("given.py"), *(ROOT / "tools" / "judge").glob("[dw]*.py")):
        shutil.copy(path, box / path.relative_to(ROOT))
    (box / "exercises").mkdir()  # it runs here, because a notebook looks for the course in a folder above it


def bubblewrap(box: Path, limits: Limits) -> list[str]:
    """`bwrap`, and what it shows. What is deeper in the tree is mounted later and so decides."""
    hidden = {str(path) for path in (ROOT, Path.home(), *(Path(name) / "course_tasks" for name in site.getsitepackages()))}
    shown = {*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    empty = ["--perms", "1777", "--size", str(limits.disk), "--tmpfs"]
    mounts = [*empty, "/tmp"]
    for name in sorted(filter(os.path.exists, shown | hidden - {"/"}), key=lambda name: name.count("/")):
        mounts += [word for parent in reversed(Path(name).parents) for word in ("--dir", str(parent))]  # for all users
        mounts += ["--size", "65536", "--tmpfs", name] if name in hidden else ["--ro-bind", name, name]
    mounts += ["--ro-bind", str(box), "/box", *empty, "/box/exercises", "--dev", "/dev", *empty, "/dev/shm"]
    mounts += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/box/exercises"]
    return ["bwrap", *NAMESPACES, *(BECOME_NOBODY if IS_ROOT else ["--unshare-user"]), *mounts, "--"]


@cache
def refused() -> str:
    """Why there is no fence here, or "" where there is one."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    tried = subprocess.run([*bubblewrap(ROOT, Limits()), sys.executable, "-I", "-c", ""], capture_output=True, text=True)
    return (tried.stderr.strip() or "bubblewrap does not say why").splitlines()[-1] if tried.returncode else ""


def unfenced() -> str:
    """What a hand-in can do here, in one sentence; "" where it is fenced."""
    more = "" if os.name == "posix" else " use all memory,"
    free = f"read and change your files (the solutions too), use the network,{more} and leave processes behind"
    return f"On this system a hand-in can {free}, because {refused()}." if refused() else ""


def memory(number: int) -> int:
    """Bytes of memory of a process and of all that it has started; 0 where there is no /proc."""
    parents, sizes = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = stat.read_text().rpartition(")")[2].split()
        except OSError:  # the process has just ended
            continue
        parents[int(stat.parent.name)], sizes[int(stat.parent.name)] = int(told[1]), int(told[21])
    family = {number}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(sizes.get(one, 0) for one in family) * (os.sysconf("SC_PAGE_SIZE") if sizes else 0)
