"""constraints.txt pins every package, so that pip installs the same versions wherever and whenever it is asked."""

import re
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {"pip", "setuptools", "wheel", "course-lib"}  # they come with .venv, or are the course itself


def requirements(path):
    lines = (line.partition("#")[0].strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked():
    """Name and version of each package on this system, as constraints.txt pins them."""
    here = [one for one in requirements("constraints.txt") if one.marker is None or one.marker.evaluate()]
    return {plain(one.name): one.specifier for one in here}


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_what_we_ask_for_is_pinned_as_in_the_lock(path):
    asked = {plain(one.name): one.specifier for one in requirements(path)}
    assert {name: str(version) for name, version in asked.items()} == {
        name: str(locked().get(name)) for name in asked
    }, "write constraints.txt again: its first lines say how"


@pytest.mark.skipif(not Path(sys.prefix).joinpath("installed.txt").exists(), reason="not the .venv of course.py")
def test_every_installed_package_is_the_locked_one():
    pinned = locked()
    other = {
        f"{name} {one.version}, locked {pinned.get(name, 'nowhere')}"
        for one in distributions(path=[sysconfig.get_path("purelib")])
        if (name := plain(one.metadata["Name"])) not in NOT_OURS and one.version not in pinned.get(name, "")
    }
    assert not other, "write constraints.txt again: its first lines say how"
