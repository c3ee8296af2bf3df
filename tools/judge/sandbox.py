"""Where a hand-in runs: a folder with the course's library and without its answers, in a process that may do little.

On Linux, where the system permits namespaces, the process sees no network, no other process, and no file but Python,
its packages, the system's programs and that folder, which lies in memory. Limits on processor time and on the size of a
file hold on other POSIX systems as well. `unrestricted` says what this system cannot restrict.
"""

import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tools.judge.processes import end, running

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--net", "--ipc", "--uts", "--kill-child")
MEGABYTES = 128  # that it may write in all
MEMORY = 4 * 2**30  # bytes, of all its processes together
PROCESSES = 64  # and threads
NOBODY = 65534  # the user that root becomes
LIMITS = {
    "RLIMIT_CPU": 600, "RLIMIT_AS": 2 * MEMORY, "RLIMIT_FSIZE": 64 * 2**20, "RLIMIT_NOFILE": 256, "RLIMIT_CORE": 0,
}  # fmt: skip
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
KEPT = ("LD_LIBRARY_PATH", "SYSTEMROOT", "PATHEXT")  # of our environment; nothing else is passed on
START = "import sys; sys.path[:0] = [{box!r}]; from tools.judge.worker import main; main()"


def fill(box: Path) -> None:
    """What a hand-in may read of the course: the library, what the checks lend it, and tasks that answer nothing."""
    shutil.copytree(ROOT / "course_lib", box / "course_lib")
    lent = [*(ROOT / "course_tasks").glob("given.py"), *(ROOT / "course_tasks").glob("*/given.py")]
    topics = [path.parent for path in (ROOT / "course_tasks").glob("*/__init__.py")]
    for folder in topics:
        place = box / folder.relative_to(ROOT) / "__init__.py"
        place.parent.mkdir(parents=True)
        shutil.copy(HERE / "quiet_tasks.py", place)
    for path in lent:
        shutil.copy(path, box / path.relative_to(ROOT))
    (box / "course_tasks" / "__init__.py").touch()
    (box / "tools" / "judge").mkdir(parents=True)
    for name in ("calls.py", "data.py", "worker.py"):
        shutil.copy(HERE / name, box / "tools" / "judge" / name)


def start(folder: Path, namespaces: bool, code: str = START) -> subprocess.Popen[bytes]:
    """A worker, or other code of ours, in a box inside `folder`, which must be empty."""
    box, root = folder / "box", folder / "root"
    root.mkdir()
    fill(box)
    seen = "/box" if namespaces else str(box)
    home = "/tmp" if namespaces else str(box)
    names = {"PATH": "/usr/bin:/bin", "HOME": home, "USERPROFILE": home, "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
    environment = names | ONE_THREAD | {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"TMPDIR": home, "TEMP": home, "IPYTHONDIR": home, "COURSE_KEEPS_NO_PROGRESS": "1"}
    command = [sys.executable, "-I", "-B", "-c", code.format(box=seen)]
    if os.name == "posix":
        given = {
            "command": command, "environment": environment, "limits": LIMITS | most_processes(namespaces),
            "namespaces": namespaces, "root": str(root), "box": str(box), "shown": shown(), "hidden": hidden(),
            "megabytes": MEGABYTES, "become": None if os.geteuid() else NOBODY,
        }  # fmt: skip
        command = [sys.executable, "-I", str(HERE / "inside.py"), json.dumps(given)]
    if namespaces:
        command = [*NAMESPACES, *(["--user", "--map-root-user"] if os.geteuid() else []), "--", *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=box, env=environment, start_new_session=True
    )


def shown() -> list[str]:
    """The system, and the Python that runs this."""
    wanted = [*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    return sorted({name for name in wanted if os.path.exists(name)})


def hidden() -> list[str]:
    """Our home, and the course with its answers, wherever they lie in what is shown."""
    homes = {Path.home(), Path(os.path.expanduser(f"~{os.environ.get('SUDO_USER', '')}"))} - {Path("/")}
    installed = [Path(folder) / "course_tasks" for folder in site.getsitepackages()]
    return sorted(map(str, {*homes, ROOT, *installed}))


def most_processes(namespaces: bool) -> dict[str, int]:
    """How many processes and threads the user of a hand-in may have. What that user runs already may count, too."""
    if sys.platform != "linux":
        return {}  # we could not count those
    owner = NOBODY if namespaces and os.geteuid() == 0 else os.getuid()
    kernel = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
    apart = namespaces and owner != NOBODY and kernel >= (5, 14)  # from then on a namespace counts its own
    before = 0 if apart else sum(process.threads for process in running() if process.owner == owner)
    return {"RLIMIT_NPROC": before + PROCESSES}


@cache
def refused() -> str:
    """Why the system does not permit namespaces, or "" where it does."""
    if not shutil.which("unshare"):
        return "there is no program `unshare`"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = start(Path(folder), namespaces=True, code="print()")
        ready = process.stdout and process.stdout.readline()
        end(process)
        said = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
    return "" if ready else said.splitlines()[-1] if said else "it does not say why"


def unrestricted() -> list[str]:
    """What a hand-in is free to do on this system."""
    if not refused():
        return []
    free = ["read and write what you can, the solutions too", "use the network", "fill the disk"]
    return [*free, "leave processes behind", *["use all memory"] * (sys.platform != "linux")]
