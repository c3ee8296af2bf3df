"""On Colab: the first cell brings the library and nothing else, and the notebooks run with what Colab has."""

import os
import re
import sys

import nbformat
import pytest
from packaging.requirements import Requirement

from tools import build

from ..shared import shared_folder
from . import simulate
from .simulate import PROJECT, ROOT

SOURCE = f"git+{simulate.ADDRESS}@v{simulate.VERSION}"
NOTEBOOKS = {path.stem[3:]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
WITH_TORCH = [t for t, path in NOTEBOOKS.items() if re.search(r"import torch|course_lib\.nn", path.read_text("utf-8"))]


# What pip would do there


@pytest.mark.parametrize("pins", ["tests/colab/pins.txt", "requirements.txt"])
def test_course_lib_is_content_with_what_is_there(pins):
    """In Colab and in the course's own .venv alike, each requirement of course_lib already holds."""
    there = dict(re.findall(r"^(?:# Colab also has )?([\w-]+)==([\w.]+)", (ROOT / pins).read_text(), re.MULTILINE))
    optional = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    wanted = [Requirement(line) for line in PROJECT["dependencies"] + optional]
    refused = {str(want): there.get(want.name) for want in wanted if there.get(want.name, "none") not in want.specifier}
    assert not refused


# The first cell


@pytest.fixture
def first_cell(monkeypatch):
    """A function that runs the first cell; the course is not on the path, and installing is refused with a word."""
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(ROOT)])
    for name in [name for name in sys.modules if name.split(".")[0] == "course_lib"]:
        monkeypatch.delitem(sys.modules, name)
    return lambda: exec(build.SETUP.format(otherwise="raise ImportError('nowhere')"), {})


@pytest.mark.parametrize("folder", ["notebooks", "source", ""])
def test_in_the_course_the_first_cell_finds_it(first_cell, monkeypatch, folder):
    monkeypatch.chdir(ROOT / folder)
    first_cell()
    assert sys.path[0] == str(ROOT)


def test_in_the_learners_folder_and_above_an_unpacked_copy_too(first_cell, monkeypatch, tmp_path):
    (tmp_path / "unpacked" / "course_lib").mkdir(parents=True)
    (tmp_path / "unpacked" / "course_lib" / "__init__.py").touch()
    (tmp_path / "unpacked" / "mine" / "notebooks").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "unpacked" / "mine" / "notebooks"):
        monkeypatch.chdir(folder)
        first_cell()
        assert sys.path.pop(0) == str(tmp_path / "unpacked")


def test_elsewhere_it_installs_the_release_or_says_where_the_notebook_belongs(first_cell, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImportError, match="nowhere"):
        first_cell()
    said = build.INSTALL.format(address=simulate.ADDRESS, version=simulate.VERSION)
    assert said == f"%pip install --quiet --no-deps {SOURCE}"
    with pytest.raises(ImportError, match="back into the folder of the course"):
        exec(build.HOMELESS)
    assert len(build.SETUP.splitlines()) <= 8


# Whole notebooks


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    with shared_folder(tmp_path_factory, "github") as folder:
        return folder / "origin.git" if folder.exists() else simulate.publish(folder)


@pytest.fixture(scope="session")
def colab_python(tmp_path_factory):
    with shared_folder(tmp_path_factory, "colab"):  # kept for later runs too, in a folder of its own
        python = simulate.colab_python()
    if python is None and os.environ.get("CI") != "true":
        pytest.skip("needs Python 3.13 and, the first time, the internet to install what Colab has")
    return python or sys.executable


@pytest.mark.colab
@pytest.mark.slow
@pytest.mark.parametrize("topic", ["start_here", "bias_by_hand"])
def test_a_notebook_runs_with_what_colab_has(topic, colab_python, repository, tmp_path):
    runtime = simulate.Runtime(tmp_path / "colab", colab_python, repository)
    notebook = published(repository, topic)
    errors, waived = runtime.run(notebook)
    assert errors == [] and waived * 6 < len(nbformat.read(notebook, as_version=4).cells)  # few need torch
    assert runtime.installed() == {"course_lib": simulate.VERSION}
    # Again, and now without a way to the repository: the first cell has nothing to fetch.
    runtime.environment["GIT_CONFIG_KEY_0"] = f"url.{(tmp_path / 'gone').as_uri()}.insteadOf"
    assert runtime.run(opening(notebook, tmp_path)) == ([], 0)
    assert runtime.installed() == {"course_lib": simulate.VERSION}


def published(repository, topic):
    return repository.parent / "course" / "notebooks" / NOTEBOOKS[topic].name


def opening(notebook, folder):
    """The notebook as far as its first cell with code, and the library imported."""
    nb = nbformat.read(notebook, as_version=4)
    (first, *_) = (k for k, cell in enumerate(nb.cells) if cell.cell_type == "code")
    nb.cells = [*nb.cells[: first + 1], nbformat.v4.new_code_cell("import course_lib")]
    nbformat.write(nb, folder / "opening.ipynb")
    return folder / "opening.ipynb"


@pytest.mark.colab
@pytest.mark.slow
@pytest.mark.parametrize("topic", WITH_TORCH[:1])
def test_a_notebook_with_torch_replaces_none_of_it(topic, repository, tmp_path):
    """With the packages of this interpreter, since torch is not among those of `colab_python`."""
    runtime = simulate.Runtime(tmp_path / "colab", sys.executable, repository)
    assert runtime.run(published(repository, topic)) == ([], 0)
    assert runtime.installed() == {"course_lib": simulate.VERSION}


# That these tests can fail


def test_a_replaced_package_is_seen(tmp_path):
    runtime = simulate.Runtime(tmp_path / "colab", sys.executable, tmp_path)
    assert runtime.installed() == {}
    (runtime.installs_in / "numpy-1.0.dist-info").mkdir()
    (runtime.installs_in / "numpy-1.0.dist-info" / "METADATA").write_text("Name: numpy\nVersion: 1.0\n")
    assert runtime.installed() == {"numpy": "1.0"}


def test_only_a_missing_torch_is_an_excuse():
    def cell(source, name=None, value=None):
        outputs = [{"output_type": "error", "ename": name, "evalue": value}] if name else []
        return {"source": [source], "outputs": outputs}

    waived = [
        cell("import torch\nx = torch.ones(2)", "ModuleNotFoundError", "No module named 'torch'"),
        cell("y = x + 1", "NameError", "name 'x' is not defined"),
    ]
    errors = [
        cell("import scipy", "ModuleNotFoundError", "No module named 'scipy'"),
        cell("unknown", "NameError", "name 'unknown' is not defined"),
        cell("1 / 0", "ZeroDivisionError", "division by zero"),
    ]
    found, excused = simulate.read_errors({"cells": [cell("1"), *waived, *errors]})
    assert [error.splitlines()[1] for error in found] == ["import scipy", "unknown", "1 / 0"] and excused == 2
