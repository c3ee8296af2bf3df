"""The re-check of handed-in notebooks: what each answer is worth, whatever stands in the learner's outputs."""

import csv
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_lib.contents import TOPICS
from course_tasks import topics
from tools import recheck

ROOT = Path(__file__).resolve().parents[2]
DOUBTFUL = {
    "scaled_scores": "def scaled_scores(q, k):\n    return q @ k.T / np.sqrt(q.shape[-1])",
    "bias_matrix": "def bias_matrix(n, scale):\n    return scale * np.log1p(abs(np.arange(n) - np.arange(n)[:, None]))",
    "biased_attention": "1 / 0",
}


def run(*words):
    command = [sys.executable, str(ROOT / "tools" / "recheck.py"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    if done.stderr.startswith("Hand-ins would run as root here"):
        pytest.skip(done.stderr)
    return done


def read(folder, topic):
    """A built notebook of a topic, such as a learner hands in."""
    return nbformat.read(ROOT / folder / f"{TOPICS[topic].file}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def hand_ins(tmp_path_factory):
    """Right, doubtful, empty of checks, deadly, and no exercise notebook at all."""
    folder = tmp_path_factory.mktemp("hand ins")
    exercise, solved = (read(kind, "bias_by_hand") for kind in ("exercises", "solutions"))
    nbformat.write(solved, folder / "ada.ipynb")
    for cell in exercise.cells:
        for name, code in DOUBTFUL.items():
            if cell.source.startswith(f"def {name}("):
                cell.source = code
    exercise.cells = [cell for cell in exercise.cells if not cell.source.startswith("task.far_share.check")]
    nbformat.write(exercise, folder / "ben.ipynb")
    exercise.cells[2].source += "\nimport os\nos._exit(1)"
    nbformat.write(exercise, folder / "cem.ipynb")
    (folder / "dan.ipynb").write_text("my answers")
    nbformat.write(nbformat.v4.new_notebook(), folder / "eva.ipynb")
    return folder


@pytest.mark.slow("recheck")
def test_each_hand_in_is_run_and_judged(hand_ins, tmp_path):
    before = {path: path.read_bytes() for path in hand_ins.iterdir()}
    table = tmp_path / "marks.csv"
    said = run("--csv", table, hand_ins / "*.ipynb", hand_ins / "none.ipynb")  # with a star, as Windows hands it over
    lines = said.stdout.splitlines()
    assert lines[0].endswith("ada.ipynb: bias_by_hand, 11 of 11 passed")
    assert lines[1].endswith("ben.ipynb: bias_by_hand, 1 of 11 passed")
    assert lines[2:5] == [
        "  wrong values: bias_matrix", "  no answer: biased_attention", "  not attempted: biased_attention_torch"
    ]  # fmt: skip
    assert "  not attempted: far_share" in lines  # its check cell is gone, but there is something to judge
    assert lines[-12].endswith("cem.ipynb: bias_by_hand, 0 of 11 passed")
    assert lines[-1] == "  did not finish: cached_bias"
    assert said.returncode == 1  # three of the files could not be judged
    dan, eva, none = (line for line in said.stderr.splitlines() if not line.startswith("On this system"))
    assert "dan.ipynb: cannot be read as a notebook" in dan
    assert "eva.ipynb: expected one line `from course_tasks import TOPIC as task`" in eva
    assert "none.ipynb: cannot be read" in none
    assert {path: path.read_bytes() for path in hand_ins.iterdir()} == before
    rows = list(csv.DictReader(table.open(encoding="utf-8", newline="")))
    assert list(rows[0].values()) == ["ada", "bias_by_hand.scaled_scores", "passed", ""]
    assert len(rows) == 3 * 11 + 3 and [row["status"] for row in rows[-3:]] == ["not judged"] * 3
    causes = {row["task"]: row["cause"] for row in rows if row["learner"] == "ben"}
    assert causes["bias_by_hand.biased_attention"] == "When all cells have run, there is no `biased_attention`."
    assert causes["bias_by_hand.bias_matrix"].startswith("The factor −scale has lost its minus sign.")
    assert {row["cause"] for row in rows if row["learner"] == "cem"} == {"Its code ended the process."}


@pytest.mark.slow("recheck")
def test_a_notebook_of_version_0_1_is_judged_by_the_tasks_of_today(tmp_path):
    old = read("solutions", "blind_to_distance")  # the old chapter had the tasks of two topics
    later = read("solutions", "absolute_positions")
    old.cells += [cell for cell in later.cells if "unseen_pairs" in cell.source]
    for cell in old.cells:
        cell.source = cell.source.replace("course_tasks import blind_to_distance", "course_lib.tasks import ch01")
    nbformat.write(old, tmp_path / "fay.ipynb")
    said = run(tmp_path / "fay.ipynb")
    assert said.stdout.splitlines() == [
        f"{tmp_path / 'fay.ipynb'}: blind_to_distance, 5 of 5 passed",
        f"{tmp_path / 'fay.ipynb'}: absolute_positions, 1 of 5 passed",
        "  no check cell: clocks_by_hand",
        "  no check cell: sinusoidal_table",
        "  no check cell: shift_matrix",
        "  no check cell: add_positions",
    ], said.stderr


def test_a_table_names_the_learner_and_obeys_nobody():
    assert recheck.learner(Path("hand-ins/ada.ipynb")) == "ada"
    assert recheck.learner(Path("collected/ada/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.learner(Path("submitted/ada/bias_by_hand/02_bias_by_hand.ipynb")) == "ada"
    assert recheck.written("=cmd()", "−1", "-1") == ["'=cmd()", "−1", "'-1"]


def test_a_table_that_cannot_be_written_is_refused_before_the_work_begins(tmp_path):
    said = run(tmp_path / "none.ipynb", "--csv", tmp_path / "no folder" / "marks.csv")
    assert said.returncode == 2 and "marks.csv: No such file or directory" in said.stderr


def test_every_former_chapter_is_judged_by_the_topics_that_have_its_tasks():
    assert recheck.topics_of("ch02") == recheck.topics_of("bias_by_hand") == ["bias_by_hand"]
    assert recheck.topics_of("ch07") == ["alibi", "rope"]
    former = sorted(topic for k in range(1, 12) for topic in recheck.topics_of(f"ch{k:02}"))
    assert former == sorted({*topics()} - {"stretching_rope", "windows_and_sinks"})  # which are newer
    assert recheck.topics_of("ch12") == recheck.topics_of("start_here") == []
