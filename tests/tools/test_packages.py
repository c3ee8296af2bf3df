"""Packages and actions: what imports what, what is pinned, and what may not change under us."""

import ast
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.colab import current

from .. import ROOT

NOT_OURS = {"pip", "setuptools", "wheel", "course-lib"}  # they come with .venv, or are the course itself


def test_the_library_never_imports_the_tasks():
    for path in ROOT.glob("course_lib/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            assert not any(name.split(".")[0] == "course_tasks" for name in names), path


def test_reading_the_library_needs_neither_torch_nor_matplotlib():
    code = "import sys, pkgutil, course_kit.checking, course_kit.figures, course_tasks.bias_by_hand\n"
    code += "import course_lib.reference as folder\n"
    code += "for module in pkgutil.iter_modules(folder.__path__, f'{folder.__name__}.'): __import__(module.name)\n"
    code += (
        "print('course_lib.reference.grid' in sys.modules, {'torch', 'matplotlib', 'ipywidgets'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True set()\n", done.stdout + done.stderr


def versions(path):
    """The versions of each package in a file of requirements that hold on this system."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
    found = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {canonicalize_name(one.name): one.specifier for one in found if not one.marker or one.marker.evaluate()}


def test_every_package_is_pinned_and_the_locked_one_is_installed():
    pinned = versions("constraints.txt")
    for path in ("requirements.txt", "tests/requirements.txt"):
        assert versions(path).items() <= pinned.items(), "write constraints.txt again: its first lines say how"
    if not Path(sys.prefix, "installed.txt").exists():
        pytest.skip("not the .venv of course.py")
    there = {
        canonicalize_name(one.metadata["Name"]): one.version
        for one in distributions(path=[sysconfig.get_path("purelib")])
    }
    other = {name for name in there.keys() - NOT_OURS if there[name] not in pinned.get(name, "")}
    assert not other, "write constraints.txt again: its first lines say how"


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_actions_are_pinned_and_may_only_read(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.+)", text)
    assert used and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action) for action in used)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] in ({}, {"contents": "read"})
    needed = {"contents": "read", "pages": "write", "id-token": "write"}  # to deploy the site
    for job in workflow["jobs"].values():
        assert job.get("permissions", {}).items() <= needed.items()
        steps = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in steps) and "timeout-minutes" in job


def test_the_packages_that_colab_has_today_are_taken(tmp_path):
    torch = "torch @ https://download.pytorch.org/whl/cpu/torch-2.12.0%2Bcpu-cp313-cp313-linux_x86_64.whl"
    freeze = f"{torch}\nnumpy==2.2.0\njupyter_client==7.5.0\ntensorflow==9.0\n"
    (tmp_path / "freeze.txt").write_text(freeze, encoding="utf-8")
    current.main(str(tmp_path / "packages.txt"), (tmp_path / "freeze.txt").as_uri())
    found = (tmp_path / "packages.txt").read_text(encoding="utf-8").split()
    assert sorted(found) == ["jupyter-client==7.5.0", "numpy==2.2.0", "torch==2.12.0"]
