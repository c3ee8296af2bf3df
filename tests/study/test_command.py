"""python -m course_lib.study in this process: what it refuses, what it does, and what it says when it cannot go on."""

import errno
import importlib
import os
import re
from pathlib import Path

import pytest
import torch

from course_lib import study
from course_lib.study import __main__ as command_module
from course_lib.study import distributed as processes
from course_lib.study import results
from course_lib.study.__main__ import RESUME, arguments
from course_lib.study.distributed import CHILD, Worker

from .common import PLAN, RUNS, SMALL, TYPED, command, lines, numbers, result, small

SWEEP = importlib.import_module("course_lib.study.sweep")  # study.sweep is the function
ROW = result("log-1")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.fixture(scope="module")
def unbroken():
    return numbers(study.sweep(SMALL, RUNS))


@pytest.fixture
def runs_done(monkeypatch):
    """The runs that were really done."""
    done, run = [], SWEEP.run
    monkeypatch.setattr(SWEEP, "run", lambda settings, *one: done.append(one) or run(settings, *one))
    return done


def alone(*words, out):
    return command("--processes", 1, *words, out=out)


# --- what it refuses ----------------------------------------------------------------------------------------------

FAMILIES = "log-NUMBER, shaw-NUMBER, t5-NUMBER, window-NUMBER, rope-base-NUMBER, "
FAMILIES += "p-rope-NUMBER, uniform-buckets-NUMBER, linear-buckets-NUMBER, "
NAMES = (
    f"none, learned, sinusoidal, transformer-xl, alibi, rope, sink, log-scale, fox, fire, sinusoidal-scaled, {FAMILIES}"
    "quadratic-buckets-NUMBER, log-buckets-NUMBER"
)
BAD = {
    "--length 0": "--length 0: expected a whole number, 2 or more",
    "--length -8": "--length -8: expected a whole number, 2 or more",
    "--length 9": "--length 9: expected an even number (flip-flop reads in pairs) up to 8192",
    "--length 8.5": "argument --length: invalid int value: '8.5'",
    "--length": "argument --length: expected one argument",
    "--length 2": "--length 2, --test-texts 16: no copy-back text of 2 tokens asks anything in its last 2; "
    "expected longer texts, or more",
    "--tests 6 8": "--tests 6: expected no test shorter than the training texts, 8",
    "--tests 16 8": "--tests 16 8: expected even lengths, ascending, each once",
    "--tests 8 9": "--tests 8 9: expected even lengths, ascending, each once",
    "--tests 8 9000": "--tests 8 9000: expected at most 8192 tokens",
    "--schemes rpoe": f"--schemes rpoe: expected one of {NAMES}",
    "--schemes rope t5": f"--schemes t5: expected one of {NAMES}",
    "--schemes compared": "--length 8: the compared schemes need 34 or more, for one of T5's tables ends at half of it "
    "and has 16 exact buckets; schemes given by name run at less",
    "--schemes t5-4": "--schemes t5-4: num_buckets=32, max_distance=4: max_distance must exceed the 16 exact buckets",
    "--schemes ablation": "--schemes log-buckets-16 at --length 8: num_buckets=16, max_distance=8: "
    "max_distance must exceed the 8 exact buckets",
    "--schemes uniform-buckets-9": "--schemes uniform-buckets-9 at --length 8: number=9, max_distance=8: "
    "expected at most one bucket for each distance",
    "--schemes shaw-1.5": "--schemes shaw-1.5: number 1.5: expected a whole number up to 16384",
    "--schemes": "argument --schemes: expected at least one argument",
    "--tasks echo": "--tasks echo: expected some of characters, copy-back, flip-flop",
    "--seeds 0": "--seeds 0: expected a whole number, 1 or more",
    "--processes 0": "--processes 0: expected a whole number, 1 or more",
    "--steps 0": "--steps 0: expected a whole number, 1 or more",
    "--d-model 12 --n-heads 4": "--d-model 12, --n-heads 4: expected an even number of channels a head",
    "--learning-rate 0": "--learning-rate 0.0: expected a number above 0",
    "--table-rate nan": "--table-rate nan: expected a number above 0",
    "--device tpu": "argument --device: invalid choice: 'tpu' (choose from",
    "--device cuda": "--device cuda: torch sees no GPU here; expected cpu, which --preset quick is made for",
    "--preset gpu": "--device cuda: torch sees no GPU here; expected cpu, which --preset quick is made for",
    "--preset tpu": "argument --preset: invalid choice: 'tpu' (choose from",
    "--step 3": "unrecognized arguments: --step 3",
    "--steps 3": "{path}, line 1: a run of other settings (steps=2, not 3); expected a file of its own",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_refused_before_the_first_run_and_nothing_is_touched(words, path, capsys, monkeypatch, runs_done):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    path.write_bytes(lines(ROW))
    assert command(*words.split(), out=path) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"python -m course_lib.study: error: {BAD[words].format(path=path)}")
    assert path.read_bytes() == lines(ROW) and not runs_done and os.listdir(path.parent) == [path.name]


def test_a_file_of_something_else_is_refused(path, capsys):
    path.write_text("task,scheme,seed\ncopy-back,rope,0\n")
    assert command(out=path) == 2
    ends = "expected the results of a study, or no file yet; it holds something else\n"
    assert capsys.readouterr().err.endswith(f"error: {path}: {ends}")
    assert path.read_text() == "task,scheme,seed\ncopy-back,rope,0\n"


def test_a_place_where_no_file_can_be_written_is_refused(path, capsys, monkeypatch):
    def refused(out):
        status, words = command(out=out), f"--out {out}: expected a file that can be written, in a folder that exists"
        return status == 2 and capsys.readouterr().err.endswith(f"error: {words}\n")

    assert refused(path.parent) and refused(path.parent / "nowhere" / "study.jsonl") and refused(os.devnull)
    monkeypatch.setattr(command_module.os, "access", lambda *_: False)  # as for somebody who is not the administrator
    assert refused(path)
    path.write_bytes(lines(ROW))
    assert refused(path) and path.read_bytes() == lines(ROW)


def test_a_file_that_cannot_be_read_is_refused(path, capsys, monkeypatch):
    def refuse(self):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    path.write_bytes(lines(ROW))
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert command(out=path) == 2
    assert capsys.readouterr().err.endswith(f"error: [Errno 13] Permission denied: '{path}'\n")


def test_help_names_everything(capsys):
    with pytest.raises(SystemExit, match="0"):
        arguments(["--help"])
    said = capsys.readouterr().out
    for name in [*SMALL.as_json(), "preset", "tasks", "schemes", "seeds", "out", "processes"]:
        assert f"--{name.replace('_', '-')} " in said
    for word in [*study.TASKS, *study.PRESETS, "compared", "ablation", "torchrun", "cuda", "study-PRESET.jsonl"]:
        assert word in said
    for preset in study.PRESETS.values():
        for name in command_module.CHANGEABLE:
            assert re.search(rf"\b{re.escape(str(getattr(preset, name)))}\b", said)


def test_what_is_not_typed_comes_from_the_preset(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    given, settings = arguments([])
    assert settings == study.PRESETS["quick"] and given.seeds == 3 and given.out == Path("study-quick.jsonl")
    assert given.schemes == study.compared(128) and given.tasks == list(study.QUICK)
    given, settings = arguments(str.split("--preset gpu --device cpu --seeds 2 --tasks flip-flop flip-flop"))
    assert settings.length == 256 and settings.device == "cpu" and settings.longest == 8192
    assert given.out == Path("study-gpu.jsonl") and given.seeds == 2 and given.tasks == ["flip-flop"]
    given, settings = arguments(str.split("--length 128 --schemes rope ablation rope log-buckets-8"))
    assert settings.tests == (128, 256, 512, 1024) and given.schemes == ["rope", *study.ablation()]
    assert arguments(str.split("--length 128 --tests 256"))[1].tests == (256,)
    assert os.listdir() == []


# --- what it does -------------------------------------------------------------------------------------------------


def test_the_command_does_every_run_and_says_a_table(path, capsys, unbroken, runs_done):
    assert alone(out=path) == 0
    rows, notes = study.read(path, SMALL)
    assert numbers(rows) == unbroken and not notes and runs_done == RUNS
    assert capsys.readouterr().out == study.table(rows) + "\n"


def test_the_same_command_again_does_nothing_and_says_the_same(path, capsys, runs_done):
    alone(out=path)
    before, first = path.read_bytes(), capsys.readouterr()
    runs_done.clear()
    assert command(out=path) == 0 and not runs_done
    said = capsys.readouterr()
    assert said.out == first.out and said.err == f"8 of 8 runs are in {path} already.\n" and path.read_bytes() == before


@pytest.mark.parametrize("cut", [1, 2, 40, 1200, 3000])
def test_after_a_break_it_does_what_is_missing_and_says_which_line_was_broken(path, capsys, unbroken, runs_done, cut):
    alone(out=path)
    before = path.read_bytes()[:-cut]
    kept = before.count(b"\n")
    whole = cut == 1  # only the end of the last line is missing
    path.write_bytes(before)
    runs_done.clear()
    assert alone(out=path) == 0
    stays = before if whole else before[: before.rfind(b"\n") + 1]  # a torn end is dropped
    assert runs_done == RUNS[kept + whole :] and path.read_bytes().startswith(stays)
    assert numbers(study.read(path, SMALL)[0]) == unbroken
    said = capsys.readouterr().err
    skipped = f"{kept + whole} of 8 runs are in {path} already{', and not done again' * (kept + whole < 8)}.\n"
    assert skipped in said if kept + whole else "already" not in said
    note = f"line {kept + 1}: no whole result (stopped while writing?); that run is done again\n"
    assert said.count(note) == (not whole)
    assert (
        alone(out=path) == 0 and capsys.readouterr().err == f"8 of 8 runs are in {path} already.\n"
    )  # the line stays, and no longer matters


def test_more_seeds_later_add_to_what_is_there(path, runs_done):
    alone("--seeds", 1, out=path)
    alone("--seeds", 2, "--schemes", "none", "rope", "alibi", out=path)
    assert len(runs_done) == len(set(runs_done)) == 12


def test_how_many_processes_are_started(path, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(command_module, "start_local", lambda number, argv: started.append((number, list(argv))) or 1)
    monkeypatch.setattr(command_module.os, "cpu_count", lambda: 3)
    assert command(out=path) == 1 and command("--processes", 99, out=path) == 1
    assert [number for number, _ in started] == [3, 8]  # one per core; never more than runs
    assert started[0][1] == [*TYPED, *PLAN, "--out", str(path)]
    for row in study.sweep(SMALL, RUNS[:6]):
        results.append(path, row)
    command("--processes", 99, out=path)
    assert started[-1][0] == 2  # two are left
    results.append(path, study.run(SMALL, *RUNS[6]))
    assert command("--processes", 99, out=path) == 0 and len(started) == 3  # one alone needs nobody


# --- what it says when it cannot go on ----------------------------------------------------------------------------


def failing(monkeypatch, number, action):
    """Run number so many ends in `action` instead."""
    run, begun = SWEEP.run, []

    def change(settings, *one):
        begun.append(one)
        return action() if len(begun) == number else run(settings, *one)

    monkeypatch.setattr(SWEEP, "run", change)


def interrupt():
    raise KeyboardInterrupt


def test_ctrl_c_says_where_the_runs_are_and_the_same_command_goes_on(path, monkeypatch, capsys, unbroken):
    failing(monkeypatch, 3, interrupt)
    assert alone(out=path) == 130
    assert capsys.readouterr().err.endswith(f"\nStopped. {RESUME.format(path)}\n")
    assert list(numbers(study.read(path, SMALL)[0])) == RUNS[:2]
    assert alone(out=path) == 0
    assert numbers(study.read(path, SMALL)[0]) == unbroken


def test_a_disk_that_is_full(path, monkeypatch, capsys, unbroken):
    write = os.write

    def full(file, line):
        if path.stat().st_size > 2500:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, line[:700])  # in pieces: the last line is cut off

    with monkeypatch.context() as patched:
        patched.setattr(results.os, "write", full)
        assert alone(out=path) == 1
    said = capsys.readouterr()
    words = f"Stopped: [Errno 28] No space left on device: '{path}'. {RESUME.format(path)}"
    assert words in said.err and "Traceback" not in said.err and said.out == ""
    assert 0 < len(study.read(path, SMALL)[0]) < len(RUNS)
    assert alone(out=path) == 0
    assert numbers(study.read(path, SMALL)[0]) == unbroken


def test_a_folder_that_vanishes(path, monkeypatch, capsys):
    folder = path.parent / "usb"
    folder.mkdir()
    failing(monkeypatch, 1, lambda: os.rmdir(folder) or ROW)
    assert alone(out=folder / "study.jsonl") == 1
    said = capsys.readouterr().err
    assert f"\nStopped: [Errno 2] No such file or directory: '{folder / 'study.jsonl'}'" in said


def test_another_study_in_the_same_file_meanwhile_is_not_mixed_with_ours(path, monkeypatch, capsys):
    other = result(settings=small(steps=7))
    failing(monkeypatch, 3, lambda: path.write_bytes(lines(other)) and ROW)
    assert alone(out=path) == 1
    assert f"\nStopped: {path}, line 1: a run of other settings (steps=7, not 2)" in capsys.readouterr().err
    assert path.read_bytes() == lines(other)


# --- places -------------------------------------------------------------------------------------------------------


def test_who_this_process_is(monkeypatch):
    for name in (CHILD, "TORCHELASTIC_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    assert Worker.of_this_process() is None
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("RANK", "5")
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert Worker.of_this_process() == Worker(5, 8, torchrun=True)
    monkeypatch.setenv(CHILD, f"2/4/{os.getppid()}")
    assert Worker.of_this_process() == Worker(2, 4, parent=os.getppid())


@pytest.mark.parametrize("world", [1, 2, 3, 8, 11])
def test_the_runs_are_dealt_each_to_one(world):
    dealt = [one for rank in range(world) for one in Worker(rank, world).share(RUNS)]
    assert sorted(dealt) == sorted(RUNS)


def test_a_process_whose_parent_is_gone_begins_no_run(path, monkeypatch):
    orphan = Worker(0, 2, parent=os.getppid() + 1)
    with pytest.raises(SystemExit, match="The process that started this one is gone"):
        study.sweep(SMALL, RUNS, path, worker=orphan)
    assert not path.exists() and not processes.ALONE.abandoned() and not Worker(0, 2, parent=os.getppid()).abandoned()
    monkeypatch.setattr(processes.os, "name", "nt")  # where a parent is no longer known, or is a launcher
    assert not orphan.abandoned()
