"""What the tasks of the last lesson rest on: counted parameters, the guide, the orders of the seeds."""


from itertools import combinations

import numpy as np
import pytest

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


def test_a_decoder_learns_as_many_numbers_as_its_modules_hold():
    nn = pytest.importorskip("torch.nn")
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.shaw import ShawVectors
    from course_lib.nn.t5 import T5Bias

    shared = T5Bias(4, bidirectional=False)
    t5 = nn.ModuleList(RelativeAttention(16, 4, shared, causal=True) for _ in range(3))
    shaw = nn.ModuleList(RelativeAttention(16, 4, ShawVectors(4, 4, 5), causal=True) for _ in range(3))
    plain = nn.ModuleList(RelativeAttention(16, 4, None, causal=True) for _ in range(3))
    count = [sum(p.numel() for p in stack.parameters()) for stack in (t5, shaw, plain)]
    assert [count[0] - count[2], count[1] - count[2]] == list(
        CH11["learned_numbers"].spec.expected(3, 16, 4, 20, 5, 32)[1:3]
    )


def test_what_is_told_of_gpt_2_is_counted():
    task = CH11["learned_numbers"]
    (case,) = (case for case in task.spec.cases if "GPT-2" in case.label)
    counts = zip(task.spec.returns, task.spec.expected(*case.args))
    assert f"{'; '.join(f'{name} {count:,}' for name, count in counts)}. Only" in task.on_pass
    layers, D, H, n, k, B = case.args
    longer = task.spec.expected(layers, D, H, 2 * n, k, B)
    grow = [name for name, one, other in zip(task.spec.returns, task.spec.expected(*case.args), longer) if one != other]
    assert grow == ["learned", "music"]


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
