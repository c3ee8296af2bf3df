"""A results file after all that can happen to one; every plan resumes, and several processes do what one does."""

import json
from functools import partial

import pytest

import course_study as study
from course_study import __main__, results
from course_study.__main__ import main

from .common import SMALL, numbers, result, small

A, B, C = result("rope"), result("none"), result("alibi", 1)
PRESET = SMALL, ("copy-back", "flip-flop"), ("none", "rope")
RUNS = study.plan(*PRESET)


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


def test_whole_lines_are_read_each_run_once_and_nothing_else(path):
    torn = b"{" + b"\x00\xff\xfe\x80" * 99 + b"\n"
    content = lines(A) + torn + b"null\n7\n[]\n{}\n\n" + lines(B, result("rope", loss=[9.0] * 4))
    path.write_bytes(content)
    assert study.read(path) == [A, B] and path.read_bytes() == content


def test_cut_off_anywhere_every_line_before_is_kept_and_the_next_is_not_spoilt(path):
    whole = lines(A, B)
    first, second = len(lines(A)) - 1, len(whole) - 1
    for cut in sorted({0, first - 1, first, first + 1, first + 2, second - 1, second, *range(0, second, 29)}):
        path.write_bytes(whole[:cut])
        results.append(path, C)
        assert study.read(path) == [row for row, end in ((A, first), (B, second)) if cut >= end] + [C]
        assert path.read_bytes().startswith(whole[:cut])


def test_all_that_goes_into_a_run_tells_it_from_others():
    others = [result("none"), result(seed=1), result(settings=small(steps=3)), result(text="0123456789ab")]
    assert len({study.key(row) for row in (A, *others)}) == 5
    assert study.key(A) == study.key({**A, "loss": [2.0], "seconds": 9})


# --- a plan -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unbroken():
    return numbers(study.sweep(RUNS))


def counted(runs, limit=1000):
    """The same runs, which note that they are done, and stop like Ctrl-C after `limit` of them."""
    done = []

    def noted(run):
        if len(done) == limit:
            raise KeyboardInterrupt
        done.append(run)
        return run.outcome()

    return [study.Run(run.inputs, partial(noted, run)) for run in runs], done


def test_every_run_is_done_once_and_the_rows_come_in_the_order_of_the_plan(path, unbroken):
    runs, done = counted(RUNS)
    rows = study.sweep([*runs, runs[0]], path)
    assert numbers(rows) == unbroken == numbers(study.read(path)) and len(done) == len(RUNS)
    assert [row["scheme"] for row in rows] == [*["none", "rope"] * 6, "none"]
    study.sweep(runs, path)
    assert len(done) == len(RUNS)


def test_after_an_interrupt_and_a_torn_line_only_what_is_missing_is_done(path, unbroken):
    with pytest.raises(KeyboardInterrupt):
        study.sweep(counted(RUNS, 5)[0], path)
    path.write_bytes(path.read_bytes()[:-9])
    runs, done = counted(RUNS)
    assert numbers(study.sweep(runs, path)) == unbroken == numbers(study.read(path))
    assert len(done) == len(RUNS) - 4


# --- the command --------------------------------------------------------------------------------------------------


def test_the_command_prints_the_table_of_its_plan_and_can_be_stopped(path, capsys, unbroken, monkeypatch):
    monkeypatch.setitem(study.PRESETS, "quick", PRESET)
    command = ["--out", str(path)]
    assert main(command) == 0
    assert numbers(study.read(path)) == unbroken and capsys.readouterr().out == study.table(study.read(path)) + "\n"
    monkeypatch.setattr(__main__, "sweep", lambda *_: counted(RUNS, 0)[0][0].outcome())
    assert main(command) == 130 and "the same command resumes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rpoe"], "scheme='rpoe'"),
        (["t5-16"], "scheme='t5-16'"),  # only the variants that have a name
        (["--preset", "repairs", "nkt"], "nkt"),
        (["--out", "nowhere/at/all.jsonl"], "nowhere"),
    ],
)
def test_a_mistake_is_named_before_the_first_run(words, said, path, capsys):
    assert main(["--out", str(path), *words]) == 2
    assert said in capsys.readouterr().err and not path.exists()
