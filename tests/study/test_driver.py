"""Every plan resumes, wherever it was stopped; and several processes do what one does."""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import course_study as study
from course_study.__main__ import main

from .common import COMMAND, RUNS, SMALL, numbers

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300  # seconds: what takes one where nothing else runs
torchrun = pytest.mark.skipif(os.name == "nt", reason="its torchrun has no rendezvous there")


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


def start(*words, python=("-m", "course_study"), **options):
    """The command in a process of its own, and in a group that can be killed with all that it has started."""
    command = [sys.executable, *python, *COMMAND, *map(str, words)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=env, start_new_session=True, stderr=subprocess.PIPE, text=True, **options)


def finished(path):
    return len(study.read(path))


def wait_for(path, number):
    """Until so many runs are in the file."""
    end = time.monotonic() + PATIENCE
    while finished(path) < number:
        assert time.monotonic() < end, f"{path}: no {number} runs in {PATIENCE} s"
        time.sleep(0.01)


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
    other = study.plan(study.Settings(**{**SMALL.as_json(), "steps": 3}), ["copy-back"], ["none", "rope"], 2)
    assert len(study.sweep(other, path)) == 4
    assert numbers(study.sweep(RUNS, path)) == unbroken and finished(path) == 12


@pytest.mark.slow
@torchrun
@pytest.mark.parametrize("processes", [1, 2])
def test_killed_at_random_moments(path, unbroken, processes):
    chance, found = random.Random(0), set()
    for attempt in itertools.count(1):
        command = start("--out", path, "--processes", processes)
        wait_for(path, finished(path) + chance.randrange(1, 3))
        agent = psutil.Process(command.pid)
        every = [agent, *agent.children(recursive=True)]  # torchrun gives each a session of its own
        for process in every:
            process.kill()
        psutil.wait_procs(every)
        found.add(finished(path))
        if len(found) > 2 or attempt == 5 or max(found) == len(RUNS):
            break
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - chance.randrange(60))
    assert start("--out", path, "--processes", processes).wait(PATIENCE) == 0
    assert numbers(study.read(path)) == unbroken


@pytest.mark.slow
@torchrun
def test_ctrl_c_ends_all_processes_and_says_how_to_resume(path):
    command = start("--out", path, "--processes", 2, "--seeds", 400)
    wait_for(path, 4)
    os.killpg(command.pid, signal.SIGINT)
    said = command.communicate(timeout=PATIENCE)[1]
    assert command.returncode == 130 and "the same command resumes" in said and "Traceback" not in said


@pytest.mark.slow
@torchrun
def test_torchrun_on_two_nodes_gives_both_all_runs_and_what_each_had_before(tmp_path, unbroken):
    paths = [tmp_path / f"node{number}.jsonl" for number in range(2)]
    study.sweep(RUNS[:2], paths[0]), study.sweep(RUNS[5:], paths[1])
    meet = ["-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "127.0.0.1"]
    port = str(20000 + os.getpid() % 20000)
    words = [[*meet, "--master-port", port, "--node-rank", str(n), "-m", "course_study"] for n in range(2)]
    nodes = [start("--out", path, python=python) for path, python in zip(paths, words)]
    assert [node.wait(PATIENCE) for node in nodes] == [0, 0]
    for path in paths:
        assert numbers(study.read(path)) == unbroken and len(path.read_bytes().splitlines()) == len(RUNS)


@pytest.mark.slow
@torchrun
def test_after_a_process_of_torchrun_is_killed_the_same_command_resumes(path, unbroken):
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "tests.study.dying"]
    assert start("--out", path, python=words).wait(PATIENCE) != 0
    assert 1 <= finished(path) < len(RUNS)
    assert numbers(study.sweep(RUNS, path)) == unbroken


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
