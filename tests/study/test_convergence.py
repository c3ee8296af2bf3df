"""Training with twice the steps until the loss stays: what has converged, and a command that can be interrupted."""

import dataclasses
import random

import pytest

from course_lib import study
from course_lib.study import convergence
from course_lib.study.convergence import converged, main

from .common import SIZES, numbers, result
from .test_command import SWEEP

WORDS = ["--tasks", "copy-back", "flip-flop", "--schemes", "none", "rope+none", "--seeds", "2", "--processes", "1"]


def rows(*losses):
    return [result("rope", seed, loss=[loss, 9.0, 9.0, 9.0]) for seed, loss in enumerate(losses)]


def test_converged_is_what_twice_the_steps_do_not_change_for_any_seed():
    def steps(budgets):
        return converged(budgets, "copy-back", "rope", 2)

    assert steps({2000: rows(1.0, 1.0), 4000: rows(1.01, 0.99)}) == 2000
    assert steps({2000: rows(1.0, 1.0), 4000: rows(1.0, 0.9), 8000: rows(1.0, 0.9)}) == 4000
    assert steps({2000: rows(1.0, 1.0), 4000: rows(1.0, 0.98), 8000: rows(1.0, 0.95)}) is None  # 0.02 is not less
    assert steps({2000: rows(1.0, 1.0)}) is None and steps({}) is None
    assert steps({2000: rows(1.0, 1.0), 4000: rows(1.0)}) is None  # the other seed is still to come
    assert steps({2000: rows(1.0, 1.0), 8000: rows(1.0, 1.0)}) is None
    assert converged({2000: rows(1.0), 4000: rows(1.0)}, "copy-back", "none", 1) is None


@pytest.fixture
def tiny(monkeypatch):
    """The long preset in a size that takes milliseconds."""
    settings = dataclasses.replace(study.PRESETS["long"], tests=(), measured=4, **{**SIZES, "test_texts": 16})
    monkeypatch.setitem(study.PRESETS, "long", settings)
    monkeypatch.setattr(convergence, "BUDGETS", (2, 4, 8))


def held(folder):
    return {steps: numbers(found) for steps, found in convergence.read(folder).items()}


def test_what_has_converged_is_not_trained_any_longer(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(convergence, "BOUND", 1e9)
    assert main([*WORDS, "--out", str(tmp_path / "new")]) == 0
    assert {steps: len(found) for steps, found in held(tmp_path / "new").items()} == {2: 8, 4: 8}
    assert capsys.readouterr().out.count("converged: 2 steps") == 4


def test_three_interruptions_and_torn_lines_lead_to_the_same_results(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(convergence, "BOUND", 1e-9)
    assert main([*WORDS, "--out", str(tmp_path / "unbroken")]) == 0
    assert capsys.readouterr().out.count("not converged") == 4
    unbroken, run, chance = held(tmp_path / "unbroken"), SWEEP.run, random.Random(0)
    assert {steps: len(found) for steps, found in unbroken.items()} == {2: 8, 4: 8, 8: 8}
    for _ in range(3):
        left = chance.randrange(1, 8)

        def run_until(*args):
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return run(*args)

        monkeypatch.setattr(SWEEP, "run", run_until)
        assert main([*WORDS, "--out", str(tmp_path / "broken")]) == 130
        newest = max((tmp_path / "broken").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        newest.write_bytes(newest.read_bytes()[: -chance.randrange(2, 200)])
    monkeypatch.setattr(SWEEP, "run", run)
    assert main([*WORDS, "--out", str(tmp_path / "broken")]) == 0
    assert held(tmp_path / "broken") == unbroken
