"""Every plan resumes, wherever it was stopped; and several processes do what one does."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import course_study as study
from course_study import driver
from course_study.__main__ import main

from .common import COMMAND, RUNS, numbers, small

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300  # seconds: what takes one where nothing else runs


@pytest.fixture(scope="module")
def unbroken():
    return numbers(study.sweep(RUNS))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


def counted(runs, limit=1000):
    """The same runs, which note that they are done, and stop like Ctrl-C after `limit` of them."""
    done = []

    def noted(run):
        def outcome():
            if len(done) == limit:
                raise KeyboardInterrupt
            done.append(run)
            return run.outcome()

        return study.Run(run.inputs, outcome)

    return [noted(run) for run in runs], done


def start(path, *words):
    """The command in two processes, in a group of its own that can be stopped as a whole."""
    command = [sys.executable, "-m", "course_study", *COMMAND, "--processes", "2", "--out", str(path), *words]
    return subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # in the background a shell ignores it
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(path):
    return len(study.read(path))


def test_every_run_is_done_once_and_the_rows_come_in_the_order_of_the_plan(path, unbroken):
    runs, done = counted(RUNS)
    rows = study.sweep([*runs, runs[0]], path)
    assert numbers(rows) == unbroken == numbers(study.read(path)) and len(done) == len(RUNS)
    assert [row["scheme"] for row in rows] == [*["none", "rope"] * 4, "none"]
    study.sweep(runs, path)
    assert len(done) == len(RUNS)


@pytest.mark.parametrize("kept, torn", [(5, 0), (5, 1), (4, 2), (4, 40), (2, 5)])
def test_after_an_interrupt_and_a_torn_line_only_what_is_missing_is_done(path, unbroken, kept, torn):
    """The file has so many whole lines, and a torn one where `torn` characters are missing, not the newline alone."""
    with pytest.raises(KeyboardInterrupt):
        study.sweep(counted(RUNS, 5)[0], path)
    whole = kept + (torn > 1)
    text = "".join(path.read_text().splitlines(keepends=True)[:whole])
    path.write_text(text[: -torn or None])
    assert finished(path) == kept
    runs, done = counted(RUNS)
    assert numbers(study.sweep(runs, path)) == unbroken == numbers(study.read(path))
    assert len(done) == len(RUNS) - kept


def test_runs_of_other_settings_may_be_in_the_same_file(path, unbroken):
    other = study.plan(small(steps=3), ["copy-back"], ["none", "rope"], 2)
    assert len(study.sweep(other, path)) == 4
    assert numbers(study.sweep(RUNS, path)) == unbroken and finished(path) == 12


@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_does_its_share_and_tells_what_others_have_done(path, unbroken, rank, monkeypatch):
    monkeypatch.setattr(driver, "RANK", rank)
    monkeypatch.setattr(driver, "WORLD", 2)
    share = RUNS[rank::2]
    assert [study.key(row) for row in study.sweep(RUNS, path)] == [study.key(run.inputs) for run in share]
    monkeypatch.setattr(driver, "RANK", 1 - rank)
    assert numbers(study.sweep(RUNS, path)) == unbroken == numbers(study.read(path))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="it has no groups of processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_two_processes_are_stopped_and_the_same_command_resumes(path, unbroken, how):
    command, end = start(path, "--seeds", "400"), time.monotonic() + PATIENCE
    while finished(path) < 4:
        assert time.monotonic() < end, f"{path}: no run in {PATIENCE} s"
        time.sleep(0.01)
    os.killpg(command.pid, how)
    said = command.communicate(timeout=PATIENCE)[1]
    assert how == signal.SIGKILL or (command.returncode == 130 and "the same command resumes" in said)
    assert start(path).wait(PATIENCE) == 0
    assert unbroken.items() <= numbers(study.read(path)).items()


# --- the command --------------------------------------------------------------------------------------------------


def test_the_command_names_a_plan_and_prints_its_table(path, capsys, unbroken):
    assert main([*COMMAND, "--out", str(path)]) == 0
    assert numbers(study.read(path)) == unbroken and capsys.readouterr().out == study.table(study.read(path)) + "\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rpoe"], "scheme='rpoe'"),
        (["--length", "8"], "scheme='t5-16', length=8"),  # the table would end within its exact buckets
        (["--tests", "256", "128"], "tests=(256, 128)"),
        (["--preset", "repairs", "nkt"], "nkt"),
        (["--out", "nowhere/at/all.jsonl"], "nowhere"),
    ],
)
def test_a_mistake_is_named_before_the_first_run(words, said, path, capsys):
    assert main(["--out", str(path), *words]) == 2
    assert said in capsys.readouterr().err and not path.exists()


def test_a_shorter_length_brings_its_own_tests(path):
    main(["none", "copy-back", "--seeds", "1", "--steps", "1", "--length", "16", "--out", str(path)])
    assert study.read(path)[0]["settings"]["tests"] == [16, 32, 64, 128]
