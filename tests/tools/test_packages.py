"""Packages: what imports what, that each is pinned, and that those of Colab are enough."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from importlinter.cli import lint_imports
from packaging.requirements import Requirement

from course_lib import __version__
from tools import build
from tools.address import address

from .. import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_room_imports_only_those_that_it_may(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True, no_logo=True) == 0, "pyproject.toml has the contracts, docs/house.md the drawing"


def test_tasks_and_pictures_are_there_before_torch_and_matplotlib():
    code = "import sys, course_kit.checking, course_kit.figures, course_chapters\n"
    code += "from course_chapters import tasks_of, topics\n"
    code += "[tasks_of(topic) for topic in topics() if topic not in ('fast_attention', 'longer_than_training')]\n"
    code += "print({'torch', 'matplotlib', 'ipywidgets'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "set()\n", done.stdout + done.stderr


def versions(path):
    """The version of each package in a file of requirements."""
    return dict(re.findall(r"(?m)^(?:# Colab also has )?([\w.-]+)==(\S+)", (ROOT / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_every_package_is_pinned_as_in_constraints(path):
    assert versions(path).items() <= versions("constraints.txt").items(), "write it again: its first lines say how"


# On Colab


@pytest.mark.parametrize("pins", ["tests/tools/colab.txt", "requirements.txt"])
def test_course_lib_is_content_with_what_is_there(pins):
    """In Colab and in the course's own .venv alike, each requirement of course_lib already holds."""
    there, optional = versions(pins), PROJECT["optional-dependencies"].values()
    wanted = [Requirement(line) for lines in (PROJECT["dependencies"], *optional) for line in lines]
    assert not [want for want in wanted if there.get(want.name, "none") not in want.specifier]


def test_the_first_cell_finds_the_course_and_elsewhere_says_where_it_belongs(monkeypatch, tmp_path):
    (tmp_path / "unpacked" / "course_lib").mkdir(parents=True)
    (tmp_path / "unpacked" / "course_lib" / "__init__.py").touch()
    (tmp_path / "unpacked" / "mine" / "notebooks").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(ROOT)])
    for name in [name for name in sys.modules if name.split(".")[0] == "course_lib"]:
        monkeypatch.delitem(sys.modules, name)
    first_cell = build.SETUP.format(otherwise=build.HOMELESS)
    for folder in (tmp_path, tmp_path / "unpacked" / "mine" / "notebooks"):
        monkeypatch.chdir(folder)
        exec(first_cell, {})
        assert sys.path.pop(0) == str(tmp_path / "unpacked")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(ImportError, match="needs the folder of the course"):
        exec(first_cell, {})


def test_the_address_is_one_that_pip_and_colab_understand_and_the_version_has_its_changes():
    assert re.fullmatch(r"https://[\w.-]+/\S+(?<!\.git)(?<!/)", address() or "https://example.org/not/yet")
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_lesson_runs_with_the_installed_course_alone(tmp_path):
    """The package brings all that a lesson needs: away from this folder, and without the released model's file."""
    others = shutil.ignore_patterns(".*", "__pycache__", "build", "mine", "model", "tests")
    shutil.copytree(ROOT, tmp_path / "course", ignore=others)
    installed, content = tmp_path / "installed", tmp_path / "content"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", installed]
    subprocess.run([*install, tmp_path / "course"], check=True)
    content.mkdir()
    (lesson,) = ROOT.glob("notebooks/*_blind_to_distance.ipynb")
    shutil.copy(lesson, content)
    environment = {**os.environ, "PYTHONPATH": str(installed), "COURSE_MODEL": "none"}
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", lesson.name]
    done = subprocess.run(command, cwd=content, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
