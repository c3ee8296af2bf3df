"""On Colab: the first cell brings the library and nothing else, and the notebooks run with what Colab has."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from packaging.requirements import Requirement

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
    wanted = [Requirement(line) for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["torch"]]
    refused = {str(want): there.get(want.name) for want in wanted if there.get(want.name, "none") not in want.specifier}
    assert not refused


# The first cell


@pytest.fixture
def setup_cell(monkeypatch):
    """A function that runs the cell at an address, and the pip commands it gave, which all fail with a word."""
    text = (ROOT / "tools" / "setup_cell.py").read_text(encoding="utf-8")
    text, commands = text.replace("{VERSION}", simulate.VERSION), []

    def pip(command, **_):
        commands.append(command)
        return subprocess.CompletedProcess(command, 1, "", "much before\n" * 50 + "ERROR: no way to github.com")

    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(ROOT)])
    monkeypatch.setattr(subprocess, "run", pip)
    return (lambda address=simulate.ADDRESS: exec(text.replace("{REPOSITORY}", address), {})), commands


def test_in_a_checkout_the_cell_finds_the_course_once(setup_cell, monkeypatch):
    run, commands = setup_cell
    for folder in (ROOT / "source", ROOT, ROOT / "source"):
        monkeypatch.chdir(folder)
        run()
    assert sys.path.count(str(ROOT)) == 1 and not commands


@pytest.mark.parametrize("version", [None, simulate.VERSION, simulate.VERSION + ".post1"])
def test_elsewhere_the_cell_installs_this_version_unless_it_is_there(setup_cell, monkeypatch, tmp_path, version):
    run, commands = setup_cell
    monkeypatch.chdir(tmp_path)
    if version:
        (tmp_path / "course_lib-0.dist-info").mkdir()
        (tmp_path / "course_lib-0.dist-info" / "METADATA").write_text(f"Name: course_lib\nVersion: {version}\n")
        sys.path.insert(0, str(tmp_path))
    if version == simulate.VERSION:
        run()
        assert not commands
        return
    with pytest.raises(ImportError) as failure:
        run()
    assert commands == [[sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", SOURCE]]
    said = str(failure.value)
    assert "ERROR: no way to github.com" in said and simulate.ADDRESS in said and len(said.splitlines()) < 20


def test_what_is_not_published_is_not_looked_for_and_a_copy_is_found_below(setup_cell, monkeypatch, tmp_path):
    run, commands = setup_cell
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImportError, match="this edition is not published"):
        run(address="")
    (tmp_path / "unpacked" / "course_lib").mkdir(parents=True)
    run(address="")
    assert sys.path[0] == str(tmp_path / "unpacked") and not commands


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
