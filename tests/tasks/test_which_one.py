"""What the tasks of the last lesson rest on: the guide, the orders of the seeds."""

from importlib import import_module

from course_tasks import tasks_of
from course_tasks.guide import OUT, decide

CH11 = tasks_of("which_one")
SITUATIONS = import_module("course_tasks.which_one.1_what_remains").SITUATIONS


def test_each_situation_leaves_one_candidate_at_most_and_its_words_name_all_four():
    words = CH11["what_remains"].words
    for name, (answers, candidates) in SITUATIONS.items():
        line = words.split(f"- `{name}`: ")[1].split("\n- ")[0]
        assert line.split("`")[1::2] == list(candidates)
        assert sum(decide(answers)[scheme].verdict != OUT for scheme in candidates) <= 1
    assert list(CH11["what_remains"].expected().values()).count("no scheme") == 1
