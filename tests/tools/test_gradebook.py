"""The table of the re-check in nbgrader's own gradebook, where nbgrader is installed (it is not among our packages)."""

import pytest

from tools import gradebook

HEAD = "learner,task,status,cause\n"
FIRST = HEAD + "ada,bias_by_hand.bias_matrix,passed,\nben,bias_by_hand.bias_matrix,raised,\ndan,,not judged,\n"
LATER = HEAD + "ben,bias_by_hand.bias_matrix,passed,\nben,bias_by_hand.neighbour,passed,\n"


def test_a_newer_table_changes_the_points_and_nothing_else(tmp_path):
    api = pytest.importorskip("nbgrader.api")
    table, database = tmp_path / "marks.csv", f"sqlite:///{tmp_path / 'gradebook.db'}"
    for text, count, points in ((FIRST, 2, {"ada": 1, "ben": 0}), (LATER, 2, {"ada": 1, "ben": 2})):
        table.write_text(text, encoding="utf-8")
        assert gradebook.enter(table, database) == count
        with api.Gradebook(database) as book:
            found = {student.id: book.find_submission("bias_by_hand", student.id).score for student in book.students}
            assert found == points and not book.find_submission("bias_by_hand", "ben").needs_manual_grade
    with api.Gradebook(database) as book:
        assert book.find_assignment("bias_by_hand").max_score == 2


def test_another_table_is_refused(tmp_path):
    pytest.importorskip("nbgrader.api")
    (tmp_path / "other.csv").write_text("name,mark\nada,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"other.csv: expected columns learner, task, status and cause"):
        gradebook.enter(tmp_path / "other.csv", f"sqlite:///{tmp_path / 'gradebook.db'}")
