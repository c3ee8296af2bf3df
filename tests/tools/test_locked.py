"""constraints.txt pins every package, so that pip installs the same versions wherever and whenever it is asked."""

import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"pip", "setuptools", "wheel", "course-lib"}  # they come with .venv, or are the course itself


def versions(path):
    """The versions of each package in a file of requirements that hold on this system."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
    found = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {canonicalize_name(one.name): one.specifier for one in found if not one.marker or one.marker.evaluate()}


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_what_we_ask_for_is_pinned_as_in_the_lock(path):
    assert versions(path).items() <= versions("constraints.txt").items(), "write constraints.txt again"


@pytest.mark.skipif(not Path(sys.prefix).joinpath("installed.txt").exists(), reason="not the .venv of course.py")
def test_every_installed_package_is_the_locked_one():
    pinned, installed = versions("constraints.txt"), distributions(path=[sysconfig.get_path("purelib")])
    there = {canonicalize_name(one.metadata["Name"]): one.version for one in installed}
    other = {name for name in there.keys() - NOT_OURS if there[name] not in pinned.get(name, "")}
    assert not other, "write constraints.txt again: its first lines say how"
