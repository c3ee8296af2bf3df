"""The learners' accounts on this machine. Each function needs root's rights."""

import contextlib
import grp
import os
import pwd
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

GROUP = "learners"  # the class; jupyterhub_config.py lets its members sign in


def members() -> list[str]:
    """The class. Raises ValueError if nobody is in it."""
    with contextlib.suppress(KeyError):
        if found := grp.getgrnam(GROUP).gr_mem:
            return sorted(found)
    raise ValueError("The class is empty. Begin with `course.py hub give ada ben`, with the names of your learners.")


def enrol(learner: str) -> str:
    """Make this learner a member of the class and close the home to others. Returns the password of a new account."""
    password = ""
    try:
        account = pwd.getpwnam(learner)
    except KeyError:
        if learner != learner.lower():
            raise ValueError(f"LEARNER={learner!r}: expected lower case, because JupyterHub asks for that") from None
        run("useradd", "--create-home", "--shell", "/bin/bash", learner)
        password = secrets.token_urlsafe(9)
        run("chpasswd", input=f"{learner}:{password}")
        account = pwd.getpwnam(learner)
    if account.pw_uid < 1000 or os.stat(account.pw_dir).st_uid != account.pw_uid:
        raise ValueError(f"LEARNER={learner!r}: expected a person with a home; this account belongs to the system")
    run("groupadd", "--force", GROUP)
    run("usermod", "--append", "--groups", GROUP, learner)
    os.chmod(account.pw_dir, 0o700)
    return password


@contextlib.contextmanager
def acting_as(learner: str) -> Iterator[Path]:
    """The learner's home. Files are opened with the learner's rights, so a link in it leads no further than these."""
    account, groups = pwd.getpwnam(learner), os.getgroups()
    os.setgroups([])
    os.setegid(account.pw_gid)
    os.seteuid(account.pw_uid)
    try:
        yield Path(account.pw_dir)
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def run(*command: str | Path, **options) -> None:
    """Raises ValueError with what the command says when it fails."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise ValueError(f"{Path(command[0]).name}: {done.stdout.strip()}")
