"""What the tasks of the last lesson rest on: the guide, the orders of the seeds."""


from itertools import combinations

import numpy as np

from course_tasks import tasks_of
from course_tasks.guide import OUT, decide
from course_tasks.which_one.what_remains import SITUATIONS

CH11 = tasks_of("which_one")


def test_each_situation_leaves_one_candidate_at_most_and_its_words_name_all_four():
    words = CH11["what_remains"].words
    for name, (answers, candidates) in SITUATIONS.items():
        line = words.split(f"- `{name}`: ")[1].split("\n- ")[0]
        assert line.split("`")[1::2] == list(candidates)
        assert sum(decide(answers)[scheme].verdict != OUT for scheme in candidates) <= 1
    assert list(CH11["what_remains"].expected().values()).count("no scheme") == 1


def test_how_many_orders_the_seeds_undo():
    (case,) = (case for case in CH11["sure_orders"].spec.cases if "flip-flop" in case.label)
    (losses,) = case.args
    task = CH11["sure_orders"]
    means, sure = (np.sum(function(losses)) for function in (task.starter, task.spec.solution))
    pairs = len(list(combinations(losses, 2)))
    assert f"order {means} of the {pairs} pairs" in CH11["sure_orders"].on_pass
    assert f"Only {sure} of these orders hold" in CH11["sure_orders"].on_pass


def test_chance_alone_parts_two_equal_schemes_once_in_ten_times():
    deals = list(combinations(range(6), 3))
    parted = [deal for deal in deals if deal in ((0, 1, 2), (3, 4, 5))]
    assert (len(deals), len(parted)) == (20, 2)
    assert "there are 20 ways" in CH11["sure_orders"].words and "2 of these separate them" in CH11["sure_orders"].words
