"""course.py on a bare machine: what it says when something is missing, and that the next run puts it right.

The set-up runs for real, in a copy of the course that needs two tiny packages from a folder instead of the internet.
It does so once; all other tests begin with a copy of what it made, and where one of them has to make a venv again,
a module that replaces Python's `venv` copies the finished one, which takes a fraction of the time.
"""

import ast
import contextlib
import errno
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import pytest

from ..shared import shared_folder

ROOT = Path(__file__).resolve().parents[2]
WINDOWS = os.name == "nt"
OLD_PYTHONS = sorted(Path.home().glob(".pyenv/versions/3.[6-9].*/bin/python")) + sorted(
    Path.home().glob(".pyenv/versions/3.10.*/bin/python")
)
TELL = "import json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd(), os.environ['PYTHONPATH'], sys.prefix]))\n"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def course(monkeypatch, tmp_path):
    """course.py as a module that believes to lie in an empty folder."""
    module = load(ROOT / "course.py")
    (tmp_path / "requirements.txt").write_text("torch==1.0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "fetch_model", lambda: None)  # test_model_file.py is about that
    for name in ("VENV", "PYTHON", "STAMP"):
        monkeypatch.setattr(module, name, tmp_path / getattr(module, name).relative_to(ROOT))
    return module


# What it says


def test_the_grammar_is_that_of_python_3_6():
    ast.parse((ROOT / "course.py").read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("python", OLD_PYTHONS, ids=lambda python: python.parts[-3])
def test_an_old_python_is_told_in_one_sentence(python):
    said = subprocess.run([python, ROOT / "course.py", "lab"], capture_output=True, text=True)
    assert said.returncode == 1 and said.stdout == ""
    assert said.stderr.strip() == f"This course needs Python 3.11 or newer; this is {python.parts[-3]}."


def test_where_no_old_python_lies_about_one_is_pretended(course, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    monkeypatch.setattr(sys, "version", "3.8.18 (default, Nov 21 2026)")
    assert course.main(["lab"]) == "This course needs Python 3.11 or newer; this is 3.8.18."


@pytest.mark.parametrize(("words", "status"), [(["tset"], 2), ([], 2), (["--help"], 0)])
def test_help(words, status):
    said = subprocess.run([sys.executable, ROOT / "course.py", *words], capture_output=True, text=True)
    assert said.returncode == status
    assert "python3 course.py lab" in (said.stderr if status else said.stdout)


def test_a_python_without_ensurepip_names_the_debian_package(course, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        course.main(["lab"])
    assert not course.VENV.exists()


def test_too_little_disk_space_is_said_before_anything_is_made(course, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4e8))
    with pytest.raises(SystemExit, match=r"needs about 1\.7 GB; free are 0\.4 GB in "):
        course.main(["lab"])
    assert not course.VENV.exists()


def test_a_disk_that_fills_up_during_the_set_up_is_named(course, monkeypatch):
    full = "print('ERROR: [Errno 28] No space left on device'); raise SystemExit(1)"
    monkeypatch.setattr(course, "prepare", lambda _: course.run(sys.executable, "-c", full))
    assert "too little disk space" in course.main(["lab"])


def test_a_folder_that_cannot_be_written_is_named(course, monkeypatch):
    def refuse(path, **_):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(course.Path, "mkdir", refuse)
    said = course.main(["lab"])
    assert "Permission denied" in said and str(course.VENV) in said and "may you write in it" in said


# What it runs


@pytest.mark.parametrize(
    ("platform", "nvidia", "ci", "small"),
    [("linux", None, "", True), ("linux", "/usr/bin/nvidia-smi", "", False), ("linux", None, "true", False),
     ("darwin", None, "", False)],
)  # fmt: skip
def test_linux_without_a_gpu_takes_the_cpu_build_of_torch(course, monkeypatch, platform, nvidia, ci, small):
    commands = []
    monkeypatch.setattr(course, "run", lambda *command: (commands.append(command), (0, ""))[1])
    monkeypatch.setattr(course.sys, "platform", platform)
    monkeypatch.setattr(course.os.path, "exists", lambda _: False)
    monkeypatch.setattr(course.shutil, "which", lambda _: nvidia)
    monkeypatch.setenv("CI", ci)
    course.install(["requirements.txt"])
    assert [command[-1] for command in commands] == ["torch==1.0"] * small + ["requirements.txt"]
    assert any("https://download.pytorch.org/whl/cpu" in command for command in commands) == small


def test_lab_trusts_the_notebooks_of_the_course(course, monkeypatch, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    from nbformat.sign import NotebookNotary

    data, handed_over = tmp_path / "jupyter data", []
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(data))
    monkeypatch.setattr(course, "PYTHON", sys.executable)
    monkeypatch.setattr(course, "prepare", lambda _: None)
    monkeypatch.setattr(course, "become", lambda *words: handed_over.extend(words))
    cells = [nbformat.v4.new_code_cell(f"{number}", id=f"c{number}") for number in range(2)]
    ours, other = (nbformat.v4.new_notebook(cells=[cell]) for cell in cells)
    (tmp_path / "notebooks").mkdir()
    nbformat.write(ours, tmp_path / "notebooks" / "00_start_here.ipynb")  # lab trusts the learner's copy of it
    course.main(["lab", "--no-browser", "--port", "8890"])
    notary = NotebookNotary(data_dir=str(data))
    assert notary.check_signature(ours) and not notary.check_signature(other)
    assert "--LabApp.default_url=/lab/tree/mine/notebooks/00_start_here.ipynb" in handed_over
    assert handed_over[-3:] == ["--no-browser", "--port", "8890"]


def test_the_site_has_packages_of_its_own_and_no_torch(course, monkeypatch, tmp_path):
    pinned, commands, handed_over = tmp_path / "docs" / "site" / "requirements.txt", [], []
    pinned.parent.mkdir(parents=True)
    pinned.write_text("sphinx==1.0\n")
    monkeypatch.setattr(course, "run", lambda *command: (commands.append(command), (0, ""))[1])
    monkeypatch.setattr(course, "become", lambda *words: handed_over.extend(words))
    course.main(["site", "--serve"])
    own = tmp_path / "build" / "site-env"
    assert handed_over == ["docs/site/make.py", "--serve"]
    assert [command[-1] for command in commands] == [own, "docs/site/requirements.txt"]
    assert course.PYTHON.is_relative_to(own) and course.STAMP.parent == own and not (tmp_path / ".venv").exists()


# The set-up, for real


def stub_wheel(folder, name):
    """A package whose only module says how it was called."""
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", TELL)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


VENV = """\
import shutil
import sys

if __name__ == "__main__":
    mine = shutil.ignore_patterns("installed.txt", "jupyterlab*", "torch*", "pytest*")
    shutil.copytree({source!r}, sys.argv[1], symlinks=True, dirs_exist_ok=True, ignore=mine)
"""


class Copy:
    """A copy of course.py, in a folder with spaces in its name, that needs two stub packages."""

    def __init__(self, folder):
        self.root, self.wheels, self.modules = folder / "the course", folder / "wheels", folder / "modules"
        self.venv, self.requirements = self.root / ".venv", self.root / "requirements.txt"

    def write(self):
        (self.root / "tests").mkdir(parents=True)
        for folder in (self.wheels, self.modules):
            folder.mkdir()
        for name in ("jupyterlab", "torch", "pytest"):
            stub_wheel(self.wheels, name)
        shutil.copy(ROOT / "course.py", self.root)
        (self.root / "course_lib" / "released").mkdir(parents=True)
        shutil.copy(ROOT / "course_lib" / "released" / "files.py", self.root / "course_lib" / "released")
        (self.root / "model").mkdir()
        (self.root / "model" / "SmolLM2-135M-Instruct.Q4_1.gguf").touch()
        (self.root / "tools").mkdir()
        for name in ("mine.py", "cells.py"):
            shutil.copy(ROOT / "tools" / name, self.root / "tools")
        self.requirements.write_text("jupyterlab==1.0\ntorch==1.0\n")
        (self.root / "tests" / "requirements.txt").write_text("pytest==1.0\n")

    def start(self, *words, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "COURSE_", "CI"))}
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri(), "PIP_CONFIG_FILE": os.devnull}
        kept["PYTHONPATH"] = str(self.modules)
        return subprocess.Popen(
            [sys.executable, self.root / "course.py", *words], cwd=self.wheels, env={**kept, **offline, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=None if WINDOWS else hear_interrupts,
        )  # fmt: skip

    def run(self, *words):
        process = self.start(*words)
        return Said(*process.communicate(timeout=300), process.returncode)


def hear_interrupts():
    """A shell starts what runs in the background with Ctrl-C ignored, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


Said = namedtuple("Said", "out err status")


@contextlib.contextmanager
def silent_server():
    """A package index that accepts a connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(300)
        yield server, f"http://127.0.0.1:{server.getsockname()[1]}/simple"


@pytest.fixture(scope="session")
def set_up(tmp_path_factory):
    """A copy that was set up for real, and what its first run said."""
    with shared_folder(tmp_path_factory, "bare machine") as folder:
        copy, answer = Copy(folder), folder / "answer.json"
        if not answer.exists():
            copy.write()
            answer.write_text(json.dumps(copy.run("lab", "--no-browser")))
    return copy, Said(*json.loads(answer.read_text()))


@pytest.fixture
def copy(set_up, tmp_path):
    """A copy of one's own: set up, and with a quick way to make a venv again."""
    shutil.copytree(set_up[0].root.parent, tmp_path / "bare machine", symlinks=True)
    copy = Copy(tmp_path / "bare machine")
    (copy.modules / "venv.py").write_text(VENV.format(source=str(set_up[0].venv)))
    return copy


in_a_copy = pytest.mark.slow


@in_a_copy
def test_the_first_run_makes_the_venv_and_hands_over_from_the_root_of_the_course(set_up):
    copy, first = set_up
    assert first.status == 0 and first.err == ""
    assert first.out.startswith("First run: setting up .venv, about a minute and 1.4 GB, once only.")
    arguments, folder, path, prefix = json.loads(first.out.splitlines()[-1])
    assert arguments[0] == "--LabApp.default_url=/lab/tree/mine/notebooks/00_start_here.ipynb"
    assert arguments[-1] == "--no-browser"
    assert Path(folder) == copy.root and path.split(os.pathsep)[0] == str(copy.root) and Path(prefix) == copy.venv


@in_a_copy
@pytest.mark.skipif(WINDOWS, reason="sends the signal that Ctrl-C sends on Linux and macOS")
def test_an_interrupted_set_up_says_how_to_continue_and_does(copy):
    """Interrupted while pip is waiting, and completed by a second run."""
    shutil.rmtree(copy.venv)
    with silent_server() as (server, address):
        process = copy.start("lab", PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=address)
        server.accept()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert out.startswith("First run: setting up .venv, about a minute and 1.4 GB, once only.")
    assert err.strip() == "Stopped. Run the same command again: it continues."
    assert process.returncode == 1
    second = copy.run("lab")
    assert second.status == 0 and second.out.startswith("The folder .venv cannot be used as it is: setting up")
    assert json.loads(second.out.splitlines()[-1])[3] == str(copy.venv)


@in_a_copy
def test_the_next_run_goes_straight_to_work(copy):
    again = copy.run("lab")
    assert again.status == 0 and len(again.out.splitlines()) == 1 and again.err == ""


@in_a_copy
def test_tests_get_their_own_packages_and_pytest_its_arguments(copy):
    said = copy.run("test", "tests/schemes/test_x.py", "-k", "y")
    assert said.out.startswith("Installing what is new in requirements.txt and tests/requirements.txt")
    assert json.loads(said.out.splitlines()[-1])[0] == ["tests/schemes/test_x.py", "-k", "y"]
    assert len(copy.run("lab").out.splitlines()) == 1  # what lab needs is still there


@in_a_copy
def test_a_failed_pip_shows_its_words_and_the_next_run_recovers(copy):
    good = copy.requirements.read_text()
    copy.requirements.write_text(good + "no-such-package==1.0\n")
    failed = copy.run("lab")
    copy.requirements.write_text(good + "# a comment, so that pip has to look again\n")
    recovered = copy.run("lab")
    copy.requirements.write_text(good)
    assert failed.status == 1 and "Traceback" not in failed.err
    assert "No matching distribution found for no-such-package==1.0" in failed.err
    assert "Looking in links" not in failed.err  # pip's errors, not its chatter
    assert "Run the same command again: it continues." in failed.err
    assert recovered.status == 0 and recovered.out.startswith("Installing what is new")


def lose_pip(venv):
    shutil.rmtree(next(venv.rglob("site-packages/pip")))


def lose_the_interpreter(venv):
    for python in [*venv.glob("bin/python*"), *venv.glob("Scripts/python*")]:
        python.unlink()


@in_a_copy
@pytest.mark.parametrize("damage", [lose_pip, lose_the_interpreter])
def test_a_broken_venv_is_made_anew(copy, damage):
    damage(copy.venv)
    said = copy.run("lab")
    assert said.status == 0, said.err
    assert said.out.startswith("The folder .venv cannot be used as it is: setting up")
    assert json.loads(said.out.splitlines()[-1])[0]
