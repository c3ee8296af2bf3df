"""Enter the table of tools/recheck.py into nbgrader's gradebook: python tools/gradebook.py marks.csv sqlite:///gradebook.db

nbgrader itself imports students and assignments from CSV files, but no marks, so this uses its Python interface. Run it
with the Python in which nbgrader is installed. Each topic becomes an assignment, and each task a cell of one point,
which the learner gets for "passed". Run it again with a newer table, and the points change; other entries stay.
"""

import argparse
import csv
import os
import sys


def enter(table: str, database: str) -> int:
    """How many marks were entered. Raises ValueError unless the file is a table that tools/recheck.py wrote."""
    from nbgrader.api import Gradebook, MissingEntry

    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"learner", "task", "status"} <= rows[0].keys():
        raise ValueError(f"{table}: expected columns learner, task, status and cause, and a row below them")
    marks = [(row["learner"], *row["task"].split("."), row["status"] == "passed") for row in rows if row["task"]]
    # a new gradebook runs the command alembic, which lies beside this Python
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    with Gradebook(database) as book:
        for topic, task in dict.fromkeys((topic, task) for _, topic, task, _ in marks):
            book.update_or_create_assignment(topic)
            book.update_or_create_notebook(topic, topic)
            book.update_or_create_grade_cell(task, topic, topic, max_score=1, cell_type="code")
        for whose, topic, task, _ in marks:
            book.update_or_create_student(whose)
            book.update_or_create_submission(topic, whose)
            try:
                book.find_grade(task, topic, topic, whose)
            except MissingEntry:  # the task is newer than the submission, which takes what there is when it is added
                book.remove_submission(topic, whose)
                book.add_submission(topic, whose)
        for whose, topic, task, passed in marks:
            grade = book.find_grade(task, topic, topic, whose)
            grade.auto_score, grade.needs_manual_grade = float(passed), False
        book.db.commit()
    return len(marks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", help="what `tools/recheck.py --csv` has written")
    parser.add_argument("database", help="the address of the gradebook, such as sqlite:///gradebook.db")
    given = parser.parse_args()
    try:
        print(f"{enter(given.table, given.database)} marks are in {given.database}")
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"{error}")
