"""A results file after all that can happen to one."""

import json

import pytest

import course_study as study
from course_study import results

from .common import SMALL, result, small

A, B, C = result("rope"), result("none"), result("alibi", 1)


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (lines(A, B, C), [A, B, C]),
        (b"", []),
        (b"\n" + lines(A) + b"\n\r\n" + lines(B), [A, B]),
        (lines(A, B)[:-1], [A, B]),  # whole but for the end of its line
        (lines(A, B)[:-2], [A]),
        (lines(A)[:50] + b"\n" + lines(B), [B]),
        (lines(A) + lines(B)[:50] + lines(C), [A]),  # glued to a line that was cut off
        (lines(A) + b"{" + b"\x00\xff\xfe\x80" * 99 + b"\n" + lines(B), [A, B]),
        (lines(A, B, A, result("rope", loss=[9.0] * 4)), [A, B]),  # twice: the first counts
        (lines(A) + b"null\n7\n[]\n{}\n" + lines(B), [A, B]),
    ],
    ids=range(10),
)
def test_whole_lines_are_read(path, content, rows):
    path.write_bytes(content)
    assert study.read(path) == rows and path.read_bytes() == content


def test_cut_off_anywhere_every_line_before_is_kept_and_the_next_is_not_spoilt(path):
    whole = lines(A, B)
    first, second = len(lines(A)) - 1, len(whole) - 1
    for cut in sorted({0, first - 1, first, first + 1, first + 2, second - 1, second, *range(0, second, 29)}):
        path.write_bytes(whole[:cut])
        results.append(path, C)
        assert study.read(path) == [row for row, end in ((A, first), (B, second)) if cut >= end] + [C]
        assert path.read_bytes().startswith(whole[:cut])


@pytest.mark.parametrize("content", [b"task,scheme\ncopy-back,rope\n", b"\x89PNG\r\n\x1a\n", b"My thesis"])
def test_a_file_of_something_else_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="something else"):
        study.sweep(study.plan(SMALL, ["copy-back"], ["rope"], 1), path)
    assert path.read_bytes() == content


def test_all_that_goes_into_a_run_tells_it_from_others():
    others = [result("none"), result(seed=1), result(settings=small(steps=3)), result(text="0123456789ab")]
    assert len({study.key(row) for row in (A, *others)}) == 5
    assert study.key(A) == study.key({**A, "loss": [2.0], "seconds": 9})


def test_a_line_is_json_that_other_programs_can_read(path):
    results.append(path, study.run(SMALL, "characters", "shaw-2", 0))

    def refuse(name):
        raise AssertionError(name)  # NaN and Infinity are Python's own

    row = json.loads(path.read_text(encoding="ascii"), parse_constant=refuse)
    assert row["task"] == "characters" and row["settings"]["tests"] == [8, 16, 32, 64]
