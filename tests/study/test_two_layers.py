"""Two layers and two heads: what is asked, and rows of the form of the committed ones."""

import torch

import course_study as study
from course_study import two_layers
from course_study.__main__ import main


def test_the_command_gives_rows_of_the_same_form(tmp_path, monkeypatch):
    path = str(tmp_path / "rows.jsonl")
    for name, (draw, _, rate, models) in two_layers.TASKS.items():
        monkeypatch.setitem(two_layers.TASKS, name, (draw, 2, rate, models))
    assert main(["--preset", "two_layers", "--out", path]) == 0
    for row in study.read(path):
        (like,) = study.pick(study.committed("two_layers"), condition=row["condition"], seed=row["seed"])
        assert row.keys() == like.keys() and len(row.get("longer", [])) == len(like.get("longer", []))


def test_answers_are_the_first_letter_of_a_line_and_the_neighbour_that_a_word_asks_for():
    letters, answers = (part[0].tolist() for part in two_layers.first_letters(torch.Generator(), lines=3))
    assert answers == [letters[p - p % 4] for p in range(12)]
    words, answers = (part[0].tolist() for part in two_layers.neighbours(torch.Generator()))
    assert answers[1:-1] == [words[p - 1 if words[p] < 8 else p + 1] for p in range(1, 11)]
    assert answers[0] == answers[-1] == -100
