"""The stages of `course.py test`: what they count, what runs side by side, and which slow tests are left out."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .. import unchanged

ROOT = Path(__file__).resolve().parents[2]
PYTEST = "pytest -q -p no:nbval"  # nbval takes a second to load
SLOW = "import pytest\n@pytest.mark.slow('one')\ndef test_a(): pass\n@pytest.mark.slow('two')\ndef test_b(): pass\n"
WAIT = "import time; from pathlib import Path; Path('{}').touch()\nwhile not Path('{}').exists(): time.sleep(0.01)\n"


@pytest.fixture
def check(monkeypatch, tmp_path):
    """tools/check.py in an empty folder, without stages."""
    spec = importlib.util.spec_from_file_location("check", ROOT / "tools" / "check.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "check", module)  # where a dataclass looks its module up
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(unchanged, "RECORD", tmp_path / "green.json")
    monkeypatch.setattr(module, "ALONE", [])
    return module


def stages(check, monkeypatch, lanes, **commands):
    monkeypatch.setattr(check, "STAGES", commands)
    monkeypatch.setattr(check, "LANES", lanes)


def test_the_table_counts_each_stage_and_one_failure_fails_the_whole(check, monkeypatch, tmp_path, capfd):
    (tmp_path / "test_three.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert False\ndef test_c(): pytest.skip('no')\n"
    )
    (tmp_path / "test_none.py").write_text("")
    three, none = (f"{PYTEST} test_{name}.py" for name in ("three", "none"))
    stages(check, monkeypatch, [["good", "three"], ["none"]], good="this", three=three, none=none)
    assert check.main([]) == 1
    said = capfd.readouterr().out
    rows = [line.split()[:4] for line in said.splitlines()[-4:-1]]
    assert rows == [["good", "1", "0", "0"], ["three", "1", "1", "1"], ["none", "0", "1", "0"]]
    assert "assert False" in said and "in all" in said.splitlines()[-1]
    assert (tmp_path / "build" / "reports" / "three.xml").exists(), "the report is kept"
    assert not unchanged.RECORD.exists(), "not green"


def test_a_green_run_is_recorded_and_the_next_one_leaves_out_what_it_has_passed(check, monkeypatch, tmp_path, capfd):
    stages(check, monkeypatch, [["good"]], good="this")
    assert check.main([]) == 0
    assert json.loads(unchanged.RECORD.read_text()) == unchanged.digests()
    assert check.main([]) == 0 and "Left out" in capfd.readouterr().out
    assert check.main(["--all"]) == 0 and "Left out" not in capfd.readouterr().out
    monkeypatch.setenv("CI", "true")
    assert check.main([]) == 0 and "Left out" not in capfd.readouterr().out


def test_lanes_run_side_by_side(check, monkeypatch, tmp_path):
    for mine, other in (("left", "right"), ("right", "left")):
        (tmp_path / f"{mine}.py").write_text(WAIT.format(f"{mine}.txt", f"{other}.txt"))
    stages(check, monkeypatch, [["left"], ["right"]], left="left", right="right")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert check.main([]) == 0


def test_under_load_every_core_is_busy_and_the_speed_tests_are_left_out(check, monkeypatch):
    begun = []
    popen = subprocess.Popen
    with monkeypatch.context() as patched:
        patched.setattr(check.subprocess, "Popen", lambda *words: begun.append(popen(*words)) or begun[-1])
        with check.busy_cores(True):
            assert len(begun) == os.cpu_count() and all(process.poll() is None for process in begun)
        assert all(process.poll() is not None for process in begun)
    stages(check, monkeypatch, [["good"]], good="this", speed="antigravity_does_not_run")
    monkeypatch.setattr(check, "ALONE", ["speed"])
    assert check.main(["--under-load"]) == 0


def test_an_unknown_option_is_refused(check, capsys):
    assert check.main(["--al"]) == 2 and "unknown: --al" in capsys.readouterr().err


# ---------------------------------------------------------------- which slow tests are left out


def test_a_changed_file_changes_the_digest_of_its_groups_alone(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").write_text("a")
    (tmp_path / "lib" / "b.py").write_text("b")
    groups = {"a": ["lib/a.py"], "b": ["lib/b.py"], "all": ["lib/*.py"]}
    before = unchanged.digests(groups, tmp_path)
    (tmp_path / "lib" / "a.py").write_text("changed")
    after = unchanged.digests(groups, tmp_path)
    assert [group for group in groups if before[group] == after[group]] == ["b"]
    (tmp_path / "lib" / "c.py").write_text("new")
    assert unchanged.digests(groups, tmp_path)["all"] != after["all"]


def test_pytest_leaves_out_the_slow_tests_of_unchanged_groups(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "from tests import unchanged\nunchanged.unchanged = lambda: ['one']\n"
        "import tests.conftest\ntests.conftest.unchanged = unchanged.unchanged\n"
        "from tests.conftest import pytest_addoption, pytest_collection_modifyitems\n"
    )
    (tmp_path / "test_slow.py").write_text(SLOW)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "-W", "ignore", "test_slow.py"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for options, line in ([], "2 passed"), (["--changed"], "1 passed, 1 deselected"):
        done = subprocess.run([*command, *options], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert line in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------- what nbval compares


def test_nbval_overlooks_pictures_and_addresses_and_nothing_else():
    from nbval.plugin import get_sanitize_patterns

    patterns = get_sanitize_patterns((ROOT / "tests" / "nbval_sanitize.cfg").read_text())

    def seen(output):
        for regex, replacement in patterns:
            output = re.sub(regex, replacement, output)
        return output

    assert seen('<img alt="B" src="data:image/png;base64,iVBOR+/0=">') == '<img alt="B" src="PNG">'
    assert seen("<Grid at 0x7f3a5c0d1e20>") == "<Grid at ADDRESS>"
    assert seen("640x480, 0.2079, 0x1F") == "640x480, 0.2079, 0x1F"
