"""A results file after all that can happen to one."""

import errno
import json
import os

import pytest

from course_lib import study
from course_lib.study import data, results

from .common import SMALL, lines, result, small
from .forked import CONTEXT

A, B, C = result("rope"), result("none"), result("alibi", 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.mark.parametrize(
    ("content", "rows", "broken"),
    [
        (lines(A, B, C), [A, B, C], []),
        (b"", [], []),
        (b"\n  \n\n", [], []),
        (b"\n" + lines(A) + b"\n\r\n" + lines(B), [A, B], []),
        (lines(A, B).replace(b"\n", b"\r\n"), [A, B], []),
        (lines(A, B)[:-1], [A, B], []),  # whole but for the end of its line
        (lines(A, B)[:-2], [A], [2]),
        (lines(A) + lines(B)[:50], [A], [2]),
        (lines(A)[:50], [], [1]),
        (b"{", [], [1]),
        (lines(A)[:50] + b"\n" + lines(B), [B], [1]),
        (lines(A) + lines(B)[:50] + lines(C), [A], [2]),  # glued to a line that was cut off
        (lines(A) + b"\x00\xff\xfe\x80" * 99 + b"\n" + lines(B), [A, B], [2]),
        (lines(A) + b"\x00" * 512, [A], [2]),
        (lines(A) + b"[" * 9999 + b"\n" + lines(B), [A, B], [2]),  # nested deeper than Python goes
        (lines(A, B, A, result("rope", loss=[9.0] * 4)), [A, B], []),  # twice: the first counts
        (lines(A) + b"null\n7\n[]\n{}\n" + lines(B), [A, B], [2, 3, 4, 5]),
    ],
    ids=range(17),
)
def test_whole_lines_are_read_and_the_others_are_named(path, content, rows, broken):
    path.write_bytes(content)
    for settings in (None, SMALL):
        found, notes = study.read(path, settings)
        assert found == rows
        ends = "no whole result (stopped while writing?); that run is done again"
        assert notes == [f"{path}, line {number}: {ends}" for number in broken]
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "changed",
    [{"task": []}, {"settings": 5}, {"settings": {}}, {"loss": None}, {"loss": [1.0]}, {"accuracy": 0.5}],
    ids=str,
)
def test_a_result_of_another_shape_is_none(path, changed):
    path.write_bytes(lines(A, {**B, **changed}))
    assert study.read(path, SMALL)[0] == [A]
    for missing in ("task", "scheme", "seed", "loss", "accuracy", "by_position", "settings"):
        path.write_bytes(lines(A, {name: value for name, value in B.items() if name != missing}))
        assert study.read(path, SMALL)[0] == [A]


def test_no_file_holds_no_runs(path):
    assert study.read(path) == study.read(path, SMALL) == ([], [])


def test_cut_off_anywhere_every_line_before_is_kept_and_the_next_is_not_spoilt(path):
    whole = lines(A, B)
    ends = {0, *(end + near for end in (len(lines(A)), len(whole)) for near in (-3, -2, -1, 0, 1))}
    for cut in sorted({*ends, *range(0, len(whole), 29)} - {len(whole) + 1}):
        path.write_bytes(whole[:cut])
        results.append(path, C)
        kept = [row for row, end in ((A, len(lines(A)) - 1), (B, len(whole) - 1)) if cut >= end]
        found, notes = study.read(path, SMALL)
        assert found == [*kept, C]
        assert len(notes) == (cut not in (0, len(lines(A)) - 1, len(lines(A)), len(whole) - 1, len(whole)))
        assert path.read_bytes().startswith(whole[:cut])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"length": 10, "tests": (16, 32)}, "length=8, not 10; tests=[8, 16, 32, 64], not [16, 32]; "
         "measured=8, not 10"),
        ({"learning_rate": 0.5}, "learning_rate=0.003, not 0.5"),
        ({"device": "cuda"}, "device='cpu', not 'cuda'"),
    ],
)
def test_runs_of_other_settings_are_not_mixed_and_what_differs_is_said(path, changed, words):
    path.write_bytes(lines(A, B))
    with pytest.raises(ValueError) as error:
        study.read(path, small(**changed))
    assert str(error.value) == f"{path}, line 1: a run of other settings ({words}); expected a file of its own"
    assert path.read_bytes() == lines(A, B)
    path.write_bytes(lines(result(settings=small(**changed)), A))
    with pytest.raises(ValueError, match=r"line 2: a run of other settings"):
        study.read(path, small(**changed))


def test_runs_on_another_text_are_not_mixed(path):
    ours = result(task="characters", text=data.text_hash())
    path.write_bytes(lines(A, ours))
    assert study.read(path, SMALL)[0] == [A, ours]
    path.write_bytes(lines(A, {**ours, "text": "0123456789ab"}))
    with pytest.raises(
        ValueError, match=r"line 2: .*another text, 0123456789ab, not [0-9a-f]{12} \(it comes with the P"
    ):
        study.read(path, SMALL)
    assert len(study.read(path)[0]) == 2  # to look at, without more to add


@pytest.mark.parametrize(
    "content",
    [
        b"task,scheme,seed\ncopy-back,rope,0\n",
        b'{\n "cells": [],\n "nbformat": 4\n}\n',
        b'{"cells": [], "nbformat": 4}',
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"My thesis",
        b'{"loss": 1.0}\n',
        b"\n\n# A note\n",
    ],
)
def test_a_file_of_something_else_is_refused(path, content):
    path.write_bytes(content)
    for settings in (None, SMALL):
        with pytest.raises(ValueError) as error:
            study.read(path, settings)
        assert str(error.value) == f"{path}: expected the results of a study, or no file yet; it holds something else"
    with pytest.raises(ValueError, match="something else"):
        study.sweep(SMALL, [("copy-back", "rope", 0)], path)
    assert path.read_bytes() == content


def test_a_full_disk_is_said_with_the_name_of_the_file_and_spoils_nothing(path, monkeypatch):
    results.append(path, A)
    write, full = os.write, OSError(errno.ENOSPC, "No space left on device")

    def almost_full(file, line):
        if len(line) < 50:
            raise full
        return write(file, line[:-40])

    monkeypatch.setattr(results.os, "write", almost_full)
    with pytest.raises(OSError, match=r"No space left on device: .*study\.jsonl"):
        results.append(path, B)
    monkeypatch.undo()
    assert study.read(path, SMALL)[0] == [A] and len(study.read(path, SMALL)[1]) == 1
    results.append(path, B)
    assert study.read(path, SMALL)[0] == [A, B]


def test_a_disk_that_takes_a_line_in_pieces_gets_all_of_it(path, monkeypatch):
    write = os.write
    monkeypatch.setattr(results.os, "write", lambda file, line: write(file, line[:100]))
    results.append(path, A)
    results.append(path, B)
    assert path.read_bytes() == lines(A, B)


def add_many(path, first):
    for seed in range(first, 200, 2):
        results.append(path, result(seed=seed, added=[0.1234] * 900))  # a line longer than a page of memory


def test_two_processes_that_write_at_once_lose_nothing(path):
    others = [CONTEXT.Process(target=add_many, args=(path, n)) for n in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    found, notes = study.read(path, SMALL)
    assert not notes and sorted(row["seed"] for row in found) == list(range(200))


def test_what_is_committed_can_be_read_and_another_preset_is_told_which_there_are(path, monkeypatch):
    monkeypatch.setattr(results, "COMMITTED", path.parent)
    (path.parent / "quick.jsonl").write_bytes(lines(A, B))
    assert study.committed("quick") == [A, B]
    with pytest.raises(ValueError, match=r"^preset='tpu': expected one of 'quick'$"):
        study.committed("tpu")


def test_a_line_is_json_that_other_programs_can_read(path):
    results.append(path, study.run(SMALL, "characters", "shaw-2", 0))

    def refuse(name):
        raise AssertionError(name)  # NaN and Infinity are Python's own

    row = json.loads(path.read_text(encoding="ascii"), parse_constant=refuse)
    assert row["task"] == "characters" and row["settings"]["tests"] == [8, 16, 32, 64]


def test_an_end_that_was_torn_off_is_dropped_and_its_run_done_again(path):
    whole, foreign = lines(A, B), b"a file of somebody else"
    for torn in (lines(C)[:1], lines(C)[:50], lines(C)[:-2]):
        path.write_bytes(whole + torn)
        note = results.drop_torn_end(path)
        assert note == f"{path}, line 3: no whole result (stopped while writing?); that run is done again"
        assert path.read_bytes() == whole
    for kept in (b"", whole, lines(A, B, C)[:-1], foreign, whole + foreign):
        path.write_bytes(kept)
        assert results.drop_torn_end(path) is None and path.read_bytes() == kept
    assert results.drop_torn_end(path.with_name("none")) is None


def test_results_of_earlier_versions_are_read(path):
    old = {**A, "settings": {k: v for k, v in A["settings"].items() if k not in ("measured", "far_masked")}}
    path.write_bytes(lines(old))
    assert study.read(path, SMALL) == ([A], [])
