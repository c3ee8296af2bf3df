"""course.py on a bare machine: what it says when something is missing, and that the next run puts it right.

The set-up runs for real, in a copy of the course that needs two tiny packages from a folder instead of the internet.
"""

import ast
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINDOWS = os.name == "nt"
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


def test_the_grammar_is_that_of_python_3_6():
    ast.parse((ROOT / "course.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_a_python_without_ensurepip_names_the_debian_package(course, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="sudo apt install python3-venv"):
        course.main(["lab"])
    assert not course.VENV.exists()


def test_a_disk_that_fills_up_during_the_set_up_is_named(course, monkeypatch):
    full = "print('ERROR: [Errno 28] No space left on device'); raise SystemExit(1)"
    monkeypatch.setattr(course, "prepare", lambda _: course.run(sys.executable, "-c", full))
    assert "too little disk space" in course.main(["lab"])


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


# The set-up, for real


def stub_wheel(folder, name):
    """A package whose only module says how it was called."""
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", TELL)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


class Copy:
    """A copy of course.py, in a folder with spaces in its name, that needs two stub packages."""

    def __init__(self, folder):
        self.root, self.wheels = folder / "the course", folder
        self.requirements = self.root / "requirements.txt"
        (self.root / "tests").mkdir(parents=True)
        (self.root / "tools").mkdir()
        (self.root / "course_lib" / "released").mkdir(parents=True)
        (self.root / "model").mkdir()
        (self.root / "model" / "SmolLM2-135M-Instruct.Q4_1.gguf").touch()
        for name in ("jupyterlab", "torch", "pytest"):
            stub_wheel(self.wheels, name)
        for name in ("course.py", "tools/mine.py", "tools/cells.py", "course_lib/released/files.py"):
            shutil.copy(ROOT / name, self.root / name)
        self.requirements.write_text("jupyterlab==1.0\ntorch==1.0\n")
        (self.root / "tests" / "requirements.txt").write_text("pytest==1.0\n")

    def start(self, *words, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "COURSE_", "CI"))}
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri(), "PIP_CONFIG_FILE": os.devnull}
        kept["PYTHONPATH"] = ""
        return subprocess.Popen(
            [sys.executable, self.root / "course.py", *words], cwd=self.wheels, env={**kept, **offline, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=None if WINDOWS else hear_interrupts,
        )  # fmt: skip

    def run(self, *words):
        """Status, the lines that were printed, and the errors."""
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        return process.returncode, out.splitlines(), err

    def interrupted(self):
        """The same for a run that Ctrl-C ends while pip waits for a package index that never answers."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(300)
            index = f"http://127.0.0.1:{server.getsockname()[1]}/simple"
            process = self.start("lab", PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=index)
            server.accept()
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=300)
        return process.returncode, out.splitlines(), err


def hear_interrupts():
    """A shell starts what runs in the background with Ctrl-C ignored, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.skipif(WINDOWS, reason="sends the signal that Ctrl-C sends on Linux and macOS")
def test_from_an_interrupted_set_up_to_work_and_back_from_a_failed_pip(tmp_path):
    copy = Copy(tmp_path)
    status, out, err = copy.interrupted()
    assert status == 1 and err.strip() == "Stopped. Run the same command again: it continues."
    assert out[0].startswith("First run: setting up .venv, about a minute and 1.4 GB, once only.")

    status, out, err = copy.run("lab", "--no-browser")
    assert status == 0 and err == "" and out[0].startswith("The folder .venv cannot be used as it is: setting up")
    arguments, folder, path, prefix = json.loads(out[-1])
    assert arguments[0] == "--LabApp.default_url=/lab/tree/mine/notebooks/00_start_here.ipynb"
    assert arguments[-1] == "--no-browser" and Path(prefix) == copy.root / ".venv"
    assert Path(folder) == copy.root and path.split(os.pathsep)[0] == str(copy.root)

    status, out, _ = copy.run("test", "tests/schemes/test_x.py", "-k", "y")
    assert status == 0 and out[0].startswith("Installing what is new in requirements.txt and tests/requirements.txt")
    assert json.loads(out[-1])[0] == ["tests/schemes/test_x.py", "-k", "y"]
    status, out, _ = copy.run("lab")
    assert status == 0 and len(out) == 1, "what lab needs is still there"

    good = copy.requirements.read_text()
    copy.requirements.write_text(good + "no-such-package==1.0\n")
    status, out, err = copy.run("lab")
    assert status == 1 and "Traceback" not in err and "Looking in links" not in err  # pip's errors, not its chatter
    assert "No matching distribution found for no-such-package==1.0" in err
    assert "Run the same command again: it continues." in err
    copy.requirements.write_text(good + "# a comment, so that pip has to look again\n")
    status, out, _ = copy.run("lab")
    assert status == 0 and out[0].startswith("Installing what is new")
