"""The re-check of hand-ins: each is judged, whatever its code does, and what that does stays behind the fence."""

import csv
import os
import socket
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

from course_chapters import tasks_of, topics
from tools import recheck

from .. import ROOT

TASKS = tasks_of("bias_by_hand")
RIGHT = TASKS["biased_attention"].solution_source()
WRONG = RIGHT.replace("+ bias", "- bias")
ENDS = """
def bias_matrix(n, strength):
    import os
    for number in range(3, 20):
        try: os.write(number, b'[["biased_attention"], 1, 2]\\n{\\n["x", "passed", ""]\\n["bias_matrix"]\\n')
        except OSError: pass
    os._exit(0)"""
LOOKS = """
import os, socket
found = [name for name in {ours!r} if os.path.exists(name)] + [os.environ.get("SECRET", "")]
found += ["network"] * (socket.socket().connect_ex({address!r}) == 0)
for name in {course!r}:
    try: found.append(open(name, "a").name)
    except OSError: pass
def biased_attention(q, k, v, bias): raise ValueError("found " + "".join(found))"""


@pytest.fixture
def fenced():
    """Skips where there is no fence. With CI=true that is a failure, so that nobody misses these tests."""
    if not recheck.can_fence():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("bubblewrap is not installed, or may not be used")


def hand_in(path, *answers, topic="bias_by_hand"):
    """A notebook with these answers."""
    cells = map(nbformat.v4.new_code_cell, (import_module(f"course_chapters.{topic}.tasks").PREPARE, *answers))
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells)), path)
    return path


def judged(folder, *answers, **others):
    """The verdicts on a hand-in with these answers."""
    return recheck.recheck(*recheck.opened(hand_in(folder / "eve.ipynb", *answers, **others)), fenced=True)


@pytest.mark.slow
@pytest.mark.parametrize("topic", topics())
def test_a_right_answer_to_every_task_passes(tmp_path, topic, fenced):
    answers = [task.solution_source() for task in tasks_of(topic).values()]
    assert set(judged(tmp_path, *answers, topic=topic).values()) == {("passed", "")}


def test_the_table_has_right_wrong_and_missing_answers_and_what_is_no_hand_in(tmp_path, capsys, fenced):
    hand_in(tmp_path / "ada.ipynb", "print(1, end='', flush=True)\n1 / 0", RIGHT)
    hand_in(tmp_path / "ben.ipynb", WRONG)
    (tmp_path / "cem.ipynb").write_text("my answers")
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "dan.ipynb")
    table = tmp_path / "marks.csv"
    code = recheck.main(["--csv", str(table), str(tmp_path / "*.ipynb"), "none.ipynb"])  # a star, as Windows gives it
    said, errors = capsys.readouterr()
    assert code == 1  # three of the files could not be judged
    assert f"ada.ipynb: bias_by_hand, 1 of {len(TASKS)} passed\n  no answer: " in said
    assert "cem.ipynb: cannot be read as a notebook" in errors and "none.ipynb: cannot be read" in errors
    assert "dan.ipynb: expected one line `from course_chapters.TOPIC import tasks as task`" in errors
    rows = {(row["learner"], row["task"]): row for row in csv.DictReader(table.open(encoding="utf-8"))}
    assert rows["ada", "bias_by_hand.biased_attention"]["status"] == "passed"
    assert rows["ada", "bias_by_hand.bias_matrix"]["cause"] == "After all cells, there is no `bias_matrix`."
    assert rows["ben", "bias_by_hand.biased_attention"]["status"] == "wrong values"
    assert {rows[name, ""]["status"] for name in ("cem", "dan", "none")} == {"not judged"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "seconds", "verdict"),
    [
        ("while True: pass", 300, ("passed", "")),  # it is interrupted, and the next cell is right
        ("import time; time.sleep(10**6)", 1, ("did not finish", "It did not end within 1 seconds.")),
        (ENDS, 300, ("did not finish", "Its code ended the process.")),
    ],
)
def test_what_does_not_end_or_ends_the_process_is_reported(tmp_path, monkeypatch, answer, seconds, verdict, fenced):
    monkeypatch.setattr(recheck, "CELL", 5)
    monkeypatch.setattr(recheck, "HAND_IN", seconds)
    verdicts = judged(tmp_path, answer, RIGHT)
    assert verdicts["biased_attention"] == verdict and verdicts.keys() == TASKS.keys()


def test_a_hand_in_sees_no_file_name_or_network_of_ours_and_changes_no_file(tmp_path, monkeypatch, fenced):
    monkeypatch.setenv("SECRET", "the teacher's")
    (tmp_path / "eve.ipynb").touch()
    ours = [str(tmp_path / "eve.ipynb"), "/etc/passwd", "/proc/1/environ"]
    assert all(map(os.path.exists, ours))
    course = [str(ROOT / "course_lib" / "__init__.py"), nbformat.__file__]
    with socket.create_server(("127.0.0.1", 0)) as server:
        looks = LOOKS.format(ours=ours, address=server.getsockname(), course=course)
        assert judged(tmp_path, looks)["biased_attention"] == ("raised", "ValueError: found")


def test_without_a_fence_nothing_runs_unless_the_teacher_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recheck, "can_fence", lambda: False)
    path = str(hand_in(tmp_path / "ada.ipynb", RIGHT))
    assert recheck.main([path]) == 2 and "change your files" in capsys.readouterr().err
    assert recheck.main([path, "--unfenced"]) == 0 and f"1 of {len(TASKS)} passed" in capsys.readouterr().out


def test_a_table_names_the_learner_and_obeys_nobody():
    assert recheck.learner(Path("hand-ins/ada.ipynb")) == "ada"
    assert recheck.learner(Path("collected/ada/02_tasks_bias_by_hand.ipynb")) == "ada"
    assert recheck.learner(Path("submitted/ada/bias_by_hand/02_tasks_bias_by_hand.ipynb")) == "ada"
    assert recheck.written("=cmd()", "−1", "-1", "\x1b[2Jgone") == ["'=cmd()", "−1", "'-1", " [2Jgone"]
