"""The last step before a hand-in runs: this process gives up what a hand-in must not have, and becomes the worker.

`sandbox` starts it with a description of all that in JSON. With namespaces of its own it sees no file but those it is
shown; the limits of the kernel hold in any case. It uses the standard library only, and runs on POSIX alone.
"""

import contextlib
import ctypes
import json
import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DIE_WITH_PARENT, DROP_CAPABILITY, NO_NEW_PRIVILEGES = 1, 24, 38  # of prctl
DEVICES = ("null", "zero", "full", "random", "urandom")


def mount(source: str, target: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    """mount(2). Raises OSError."""
    if not target.exists():
        target.mkdir(parents=True)
    libc = ctypes.CDLL(None, use_errno=True)
    texts = [text.encode() or None for text in (source, str(target), kind)]
    if libc.mount(*texts, ctypes.c_ulong(flags), options.encode() or None):
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def show(path: Path, root: Path) -> None:
    """Show a file or a folder of the system at its own place under `root`, to be read only."""
    target = root / path.relative_to("/")
    if not path.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    mount(str(path), target, flags=BIND | RECURSIVE)
    kept = os.statvfs(target).f_flag & (NO_SETUID | NO_DEVICES | NO_PROGRAMS)
    mount("", target, flags=BIND | REMOUNT | READ_ONLY | NO_SETUID | kept)


def enter(root: Path, box: Path, shown: list[str], hidden: list[str], megabytes: int) -> None:
    """A file system with the folder `box` and what is shown, in memory; what is hidden in that is empty."""
    mount("", Path("/"), flags=RECURSIVE | PRIVATE)
    mount("none", root, "tmpfs", NO_SETUID | NO_DEVICES, f"size={megabytes}m,nr_inodes=20k,mode=755")
    for name in sorted({*shown, *hidden}, key=lambda name: name.count("/")):
        if name not in hidden:
            show(Path(name), root)
        elif (place := root / name.lstrip("/")).is_dir():
            mount("none", place, "tmpfs", NO_SETUID | NO_DEVICES, "size=64k,nr_inodes=100,mode=755")
    for device in DEVICES:
        (root / "dev").mkdir(exist_ok=True)
        (root / "dev" / device).touch()
        mount(f"/dev/{device}", root / "dev" / device, flags=BIND)
    with contextlib.suppress(OSError):  # a container may forbid it, and little needs it
        mount("proc", root / "proc", "proc", NO_SETUID | NO_DEVICES | NO_PROGRAMS)
    shutil.copytree(box, root / "box", dirs_exist_ok=True)
    for folder in (root / "box", root / "tmp"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
    os.chroot(root)
    os.chdir("/box")


def give_up_rights(become: int | None) -> None:
    """No capability is left after the next exec, and none can be had again; root becomes another user."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0)
    if become is not None:
        os.setgroups([])
        os.setgid(become)
        os.setuid(become)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def main(given: dict[str, Any]) -> None:
    if given["namespaces"]:
        os.setsid()  # else a signal to its group would reach `unshare`
        enter(Path(given["root"]), Path(given["box"]), given["shown"], given["hidden"], given["megabytes"])
        give_up_rights(given["become"])
    for name, most in given["limits"].items():
        with contextlib.suppress(AttributeError, ValueError, OSError):  # not every system has every limit
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))
    os.execve(given["command"][0], given["command"], given["environment"])


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
