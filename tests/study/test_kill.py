"""Killed at random moments, again and again: the results are those of an unbroken run."""

import random
import signal
import time

import pytest

from course_lib import study
from course_lib.study.__main__ import RESUME

from .common import PLAN, SMALL, TYPED, numbers
from .forked import FORKS, PATIENCE, Command

pytestmark = [pytest.mark.skipif(not FORKS, reason="nothing forks here"), pytest.mark.slow]
ARGV = [*TYPED, *PLAN, "--seeds", "4"]
RUNS = study.plan(["copy-back", "flip-flop"], ["none", "rope"], 4)
TIMES = 10


@pytest.fixture(scope="module")
def unbroken():
    return numbers(study.sweep(SMALL, RUNS))


@pytest.mark.parametrize("group", [True, False], ids=["the whole group", "the parent alone"])
def test_killed_at_random_moments(group, tmp_path, unbroken):
    path, chance = tmp_path / "study.jsonl", random.Random(group)
    killed, found, running = 0, set(), []

    def begin_command():
        return Command([*ARGV, "--out", path, "--processes", 2], tmp_path / "said")

    def check_finished():
        assert numbers(study.read(path, SMALL)[0]) == unbroken
        path.unlink()

    for _ in range(2):  # the first also starts what the others are forked from
        begin = time.monotonic()
        assert begin_command().wait() == 0
        longest = time.monotonic() - begin
        check_finished()
    while killed < TIMES or (killed < 10 * TIMES and not found - {0}):
        running.append(begin_command())
        time.sleep(chance.uniform(0, longest))
        running[-1].kill(group=group)
        if group or chance.random() < 0.5:  # else the next begins while children of this one still work
            killed += [command.wait() for command in running].count(-signal.SIGKILL)
            running.clear()
            found.add(len(study.read(path, SMALL)[0]))
            if len(RUNS) in found:  # it was faster: from the start again
                found.remove(len(RUNS))
                check_finished()
    assert begin_command().wait() == 0
    check_finished()
    assert found - {0}, "no moment was in the middle"
    assert "Traceback" not in (tmp_path / "said").read_text()


def test_a_parent_that_is_killed_leaves_children_that_end_by_themselves(tmp_path):
    path, said = tmp_path / "study.jsonl", tmp_path / "said"
    command = Command([*ARGV, "--seeds", 400, "--out", path, "--processes", 2], said)
    wait_for(path, 4)
    command.kill(group=False)
    command.wait()
    assert said.read_text().count("The process that started this one is gone.") == 2
    rows, notes = study.read(path, SMALL)
    assert 4 <= len(rows) < 800 and not notes


def test_ctrl_c_ends_all_and_says_where_the_runs_are(tmp_path):
    path, said = tmp_path / "study.jsonl", tmp_path / "said"
    command = Command([*ARGV, "--seeds", 400, "--out", path, "--processes", 2], said)
    wait_for(path, 4)
    command.kill(signal.SIGINT, group=True)
    assert command.wait() == 130
    assert said.read_text().endswith(f"\nStopped. {RESUME.format(path)}\n")
    assert "Traceback" not in said.read_text()
    rows, notes = study.read(path, SMALL)
    assert 4 <= len(rows) < 800 and not notes


def wait_for(path, number):
    """Until so many runs are in the file."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if path.exists() and path.read_bytes().count(b"\n") >= number:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path}: no {number} runs in {PATIENCE} s")
