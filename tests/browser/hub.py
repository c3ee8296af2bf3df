"""A real hub in a copy of the course, as docs/hub/README.md says, with three learners and a browser for each.

The three accounts and the group are made for the test and removed after it.
"""

import contextlib
import grp
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import psutil  # comes with JupyterLab
import pytest

from tools.judge import sandbox

from .conftest import SETTINGS, wait_for

ROOT = Path(__file__).resolve().parents[2]
LEARNERS = ("test-ada", "test-ben", "test-cem")
# Where only root can enter a folder above Python or the packages, such as /root: show these to everybody, and nothing
# else in it. Only the processes of the test see it.
OPEN_TO_ALL = """set -e
for path in $NEEDED; do mkdir -p "$PLACE$path"; mount --bind "$path" "$PLACE$path"; done
for folder in $CLOSED; do mount -t tmpfs -o mode=755 none "$folder"; done
for path in $NEEDED; do mkdir -p "$path"; mount --move "$PLACE$path" "$path"; done
exec "$@" """


@pytest.fixture(name="hub")
def running_hub(tmp_path):
    """A hub in a copy of the course: its address, the function that runs `course.py hub` there, and the passwords."""
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("the hub needs Linux, and root's rights to act for each learner")
    if sandbox.refused():
        pytest.skip(f"this system permits no namespaces, in which root may judge hand-ins: {sandbox.refused()}")
    prepared = subprocess.run([sys.executable, "course.py", "hub", "start", "--version"], cwd=ROOT, text=True,
                              capture_output=True)  # fmt: skip
    if prepared.returncode and os.environ.get("CI") != "true":
        pytest.skip(f"the hub's packages cannot be installed, so go online and try again: {prepared.stderr}")
    assert prepared.returncode == 0, prepared.stderr
    with contextlib.ExitStack() as stack:
        stack.enter_context(no_class())
        course = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="course-")))
        course.chmod(0o755)
        others = shutil.ignore_patterns(".git", ".venv", "build", ".*_cache", "__pycache__", "tests", "source")
        shutil.copytree(ROOT, course, ignore=others, dirs_exist_ok=True)
        (course / ".venv").symlink_to(sys.prefix)
        (course / "build").mkdir()
        (course / "build" / "hub-env").symlink_to(ROOT / "build" / "hub-env")
        view = as_everybody_sees_it(tmp_path, Path(sys.base_prefix), Path(sys.prefix), ROOT / "build" / "hub-env")

        def command(*words):
            said = subprocess.run([*view, sys.executable, "course.py", "hub", *words], cwd=course, text=True,
                                  capture_output=True)  # fmt: skip
            assert said.returncode == 0, said.stderr
            return said.stdout

        passwords = dict(re.findall(r"(\S+): new account, password (\S+)", command("give", *LEARNERS)))
        ports = [free_port() for _ in range(3)]
        addresses = [f"http://127.0.0.1:{port}" for port in ports]
        options = [f"--url={addresses[0]}", f"--ConfigurableHTTPProxy.api_url={addresses[1]}"]
        log = tmp_path / "hub.log"
        server = stack.enter_context(subprocess.Popen(
            [*view, sys.executable, "course.py", "hub", "start", *options, f"--JupyterHub.hub_port={ports[2]}"],
            cwd=course, stdout=log.open("w"), stderr=subprocess.STDOUT,
        ))  # fmt: skip
        stack.callback(server.terminate)
        stack.callback(end_processes)
        wait_for(f"{addresses[0]}/hub/login", server, log)
        yield SimpleNamespace(address=addresses[0], course=course, command=command, passwords=passwords)


@contextlib.contextmanager
def no_class():
    """Before and after, nobody of the test has an account. A class that is not of the test is left alone."""
    with contextlib.suppress(KeyError):
        if set(grp.getgrnam("learners").gr_mem) - set(LEARNERS):
            pytest.skip("this machine has a class already, which the test must not touch")

    def remove():
        end_processes()
        for learner in LEARNERS:
            subprocess.run(["userdel", "--force", "--remove", learner], stderr=subprocess.DEVNULL)
        subprocess.run(["groupdel", "learners"], stderr=subprocess.DEVNULL)

    remove()
    try:
        yield
    finally:
        remove()


def end_processes():
    for process in psutil.process_iter(["username"]):
        if process.info["username"] in LEARNERS:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def as_everybody_sees_it(folder, *needed):
    """The words before a command in whose eyes everybody can read these folders; none where everybody can."""
    closed = {top for path in needed for top in path.parents if top.stat().st_mode & 0o005 != 0o005}
    if not closed:
        return []
    hidden = [path for path in needed if closed & set(path.parents)]
    names = {"NEEDED": hidden, "CLOSED": [top for top in closed if not closed & set(top.parents)]}
    words = [f"{name}={' '.join(map(str, paths))}" for name, paths in names.items()]
    return ["env", *words, f"PLACE={folder}", "unshare", "--mount", "sh", "-c", OPEN_TO_ALL, "sh"]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(name="pages")
def pages_of_learners(hub, chromium):
    """A browser for each learner."""
    contexts = {learner: chromium.new_context(viewport={"width": 1280, "height": 900}) for learner in hub.passwords}
    yield {learner: context.new_page() for learner, context in contexts.items()}
    for context in contexts.values():
        context.close()


def home(learner):
    return Path(pwd.getpwnam(learner).pw_dir)


def keep_cells_on_the_page(learner):
    """A choice that this learner made in JupyterLab's settings."""
    settings = home(learner) / ".jupyter" / "lab" / "user-settings"
    for extension, chosen in SETTINGS.items():
        (settings / extension).parent.mkdir(parents=True, exist_ok=True)
        (settings / extension).write_text(chosen)
    subprocess.run(["chown", "-R", f"{learner}:", home(learner) / ".jupyter"], check=True)
