"""course.py on a bare machine: what it says when something is missing, and that the next run puts it right.

The set-up runs for real, in a copy of the course that needs two tiny packages from a folder instead of the internet.
"""

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from packaging.requirements import Requirement

from .. import ROOT

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
    for name in ("VENV", "PYTHON", "STAMP"):
        monkeypatch.setattr(module, name, tmp_path / getattr(module, name).relative_to(ROOT))
    return module


def test_the_grammar_is_that_of_python_3_6():
    ast.parse((ROOT / "course.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_what_it_needs_and_where_it_is(course, monkeypatch):
    monkeypatch.setattr(course.sys, "version_info", (3, 10, 13))
    said = course.main(["lab"])
    assert "needs Python 3.11 or newer" in said and "https://www.python.org/downloads/" in said


def test_pip_tells_an_old_python_the_same_and_a_new_one_nothing():
    (line,) = re.findall(r"(?m)^newer-python.*$", (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    wanted = Requirement(line)
    assert wanted.marker.evaluate({"python_version": "3.10"}) and not wanted.marker.evaluate({"python_version": "3.11"})
    place = Path(unquote(urlsplit(wanted.url).path))  # pip says that it cannot find it
    assert place.name == "This course needs Python 3.11 or newer, from www.python.org" and not place.exists()


def test_a_home_that_cannot_be_written_is_left_alone(course, monkeypatch, capsys):
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
    for name in names:
        monkeypatch.setenv(name, "before")
        monkeypatch.delenv(name)
    course.keep_jupyter_here()
    assert capsys.readouterr().out == "" and "JUPYTER_DATA_DIR" not in os.environ
    monkeypatch.setattr(course.os, "access", lambda *place: False)
    course.keep_jupyter_here()
    assert "cannot be written, so Jupyter keeps its files in .venv." in capsys.readouterr().out
    assert all(Path(os.environ[name]).is_relative_to(course.VENV) for name in names)


def test_ctrl_c_says_that_the_same_command_continues(course, monkeypatch):
    monkeypatch.setattr(course, "prepare", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    assert course.main(["lab"]) == "\nStopped. Run the same command again: it continues."


@pytest.mark.parametrize(
    ("platform", "nvidia", "ci"),
    [("linux", None, ""), ("linux", "/usr/bin/nvidia-smi", ""), ("linux", None, "true"), ("darwin", None, "")],
)
def test_linux_without_a_gpu_takes_the_cpu_build_of_torch(course, monkeypatch, platform, nvidia, ci):
    commands, small = [], (platform, nvidia, ci) == ("linux", None, "")
    monkeypatch.setattr(course, "run", lambda *command: (commands.append(command), (0, ""))[1])
    monkeypatch.setattr(course.sys, "platform", platform)
    monkeypatch.setattr(course.os.path, "exists", lambda _: False)
    monkeypatch.setattr(course.shutil, "which", lambda _: nvidia)
    monkeypatch.setenv("CI", ci)
    course.install(["requirements.txt"])
    assert [command[-1] for command in commands] == ["torch==1.0"] * small + ["requirements.txt"]
    assert any("https://download.pytorch.org/whl/cpu" in command for command in commands) == small


@pytest.mark.parametrize(("command", "ci"), [("lab", ""), ("test", "true"), ("build", "")])
def test_a_command_goes_on_without_the_model_and_waits_only_in_ci(course, monkeypatch, command, ci):
    calls, handed_over = [], []
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(course, "prepare", lambda _: None)
    monkeypatch.setattr(course, "become", lambda *words: handed_over.append(words))
    monkeypatch.setattr(subprocess, "call", lambda words: (calls.append(words), 1)[1])
    course.main([command])
    impatient = [] if ci else ["--retries", "0", "--timeout", "5"]
    assert calls == [[course.PYTHON, course.FETCH, *impatient]] and handed_over


# The set-up, for real


def stub_wheel(folder, name):
    """A package whose only module says how it was called."""
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", TELL)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


@pytest.fixture
def command(tmp_path):
    """Runs course.py in a copy that needs stub packages, in a folder with a space in its name."""
    root = tmp_path / "the course"
    for folder in ("tests", "tools", "course_kit", "course_lib/released", "model"):
        (root / folder).mkdir(parents=True)
    (root / "model" / "SmolLM2-135M-Instruct.Q4_1.gguf").touch()
    for name in ("jupyterlab", "torch", "pytest"):
        stub_wheel(tmp_path, name)
    alone = ("tools/mine.py", "tools/cells.py", "course_kit/__init__.py", "course_kit/contents.py")
    for name in ("course.py", "course_lib/released/files.py", *alone):  # what Python alone must be able to run
        shutil.copy(ROOT / name, root / name)
    (root / "requirements.txt").write_text("jupyterlab==1.0\ntorch==1.0\n")
    (root / "tests" / "requirements.txt").write_text("pytest==1.0\n")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "COURSE_", "CI"))}
    kept |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path.as_uri(), "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": ""}

    def run(*words, **changed):
        """Status, the lines that were printed, and the errors."""
        line, env = [sys.executable, root / "course.py", *words], kept | changed
        done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    return run


@pytest.mark.slow
def test_from_a_set_up_that_pip_could_not_finish_to_work(command, tmp_path):
    status, out, err = command("lab", PIP_FIND_LINKS="")
    assert status == 1 and out[0].startswith("First run: setting up .venv, once only.")
    assert "No matching distribution found for jupyterlab==1.0" in err and "Traceback" not in err
    assert err.index("Is this computer online?") < err.index("pip said:") < err.index("No matching distribution")
    assert "Run the same command again: it continues." in err

    status, out, err = command("lab", "--no-browser")
    assert status == 0 and err == "" and out[0].startswith("The folder .venv cannot be used as it is: setting up")
    arguments, folder, path, prefix = json.loads(out[-1])
    assert arguments[0] == "--LabApp.default_url=/lab/tree/mine/notebooks/00_start_here.ipynb"
    assert arguments[-1] == "--no-browser" and Path(prefix) == tmp_path / "the course" / ".venv"
    assert Path(folder) == tmp_path / "the course" and path.split(os.pathsep)[0] == folder

    status, out, _ = command("test", "tests/schemes/test_x.py", "-k", "y")
    assert status == 0 and out[0].startswith("Installing what is new in requirements.txt and tests/requirements.txt")
    assert json.loads(out[-1])[0] == ["tests/schemes/test_x.py", "-k", "y"]
    status, out, _ = command("lab")
    assert status == 0 and len(out) == 2, "what lab needs is still there"
    assert out[0] == "Starting JupyterLab, which takes up to half a minute ..."
