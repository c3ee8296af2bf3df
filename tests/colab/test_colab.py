"""On Colab: the first cell brings the library and nothing else, and a notebook runs with what Colab has."""

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from course_lib import __version__
from tools import build

from . import simulate
from .simulate import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize("pins", ["tests/colab/pins.txt", "requirements.txt"])
def test_course_lib_is_content_with_what_is_there(pins):
    """In Colab and in the course's own .venv alike, each requirement of course_lib already holds."""
    there = dict(re.findall(r"^(?:# Colab also has )?([\w-]+)==([\w.]+)", (ROOT / pins).read_text(), re.MULTILINE))
    optional = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    wanted = [Requirement(line) for line in PROJECT["dependencies"] + optional]
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
    with pytest.raises(ImportError, match="back into the folder of the course"):
        exec(first_cell, {})


@pytest.mark.slow
def test_a_lesson_runs_in_a_fresh_runtime_and_installs_the_course_alone(tmp_path):
    (lesson,) = ROOT.glob("notebooks/*_blind_to_distance.ipynb")
    errors, installed = simulate.run(lesson, tmp_path / "colab", simulate.release(tmp_path / "course"))
    assert not errors and installed == {"course_lib": __version__}
