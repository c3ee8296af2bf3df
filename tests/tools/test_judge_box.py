"""What a hand-in finds of the course while it is judged: all that it needs, and no solution."""

import re

import pytest

from course_lib.checking import CodingTask
from course_tasks import tasks_of, topics
from tools.judge import sandbox
from tools.judge.data import decode, encode
from tools.judge.elsewhere import lend

TASKS = {f"{topic}.{name}": task for topic in topics() for name, task in tasks_of(topic).items()}


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge") / "box"
    sandbox.fill(folder)
    return folder


def test_no_file_holds_a_solution_a_case_or_an_answer(box):
    texts = {path: path.read_text(encoding="utf-8") for path in (box / "course_tasks").rglob("*.py")}
    assert len(texts) > len(topics())
    for name, task in TASKS.items():
        body = [line.strip() for line in task.solution_source().splitlines()[1:] if len(line.strip()) > 25]
        for path, text in texts.items():
            assert f"def _{task.name}(" not in text and f"class {task.name}" not in text, (name, path)
            assert not any(line in text for line in body if not line.startswith('"""')), (name, path)
    assert not list(box.rglob("*.ipynb")) and not (box / "solutions").exists()


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if isinstance(task, CodingTask)])
def test_every_argument_of_a_case_can_go_across(name, box):
    def borrow(data):
        module = box / f"{data['module'].replace('.', '/')}.py"
        assert re.search(rf"^(def|class) {data['name']}\b", module.read_text(encoding="utf-8"), re.MULTILINE)
        return data["name"]

    for case in TASKS[name].spec.all_cases:
        args = decode(encode(list(case.args), lend), borrow)
        assert len(args) == len(case.args) and "thing" not in str(encode(list(case.args), lend))


def test_what_is_lent_needs_nothing_but_the_library(box):
    for path in box.glob("course_tasks/**/given.py"):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "import" in line]
        assert all("course_tasks" not in line and "from ." not in line for line in lines), path
