"""What the seeds say together."""

import pytest

import course_study as study

from .common import result


def test_the_table_has_a_line_for_every_scheme_and_a_part_for_every_task():
    rows = [result("rope", seed, loss=[1.0 + seed, 2.0, 3.0, 4.0]) for seed in range(3)]
    rows.append(result("none", loss=[0.25, 2.0, 3.0, 4.0]))
    rows.append(result("none", task="flip-flop"))
    same = " ".join(f"{n}.000 [{n}.000, {n}.000]" for n in (2, 3, 4))
    assert [" ".join(line.split()) for line in study.table(rows).splitlines()] == [
        "copy-back, loss at 16 32 64 128",
        f"rope 2.000 [1.000, 3.000] {same}",
        "none 0.250 2.000 3.000 4.000",
        "",
        "flip-flop, loss at 16 32 64 128",
        "none" + 4 * " 1.000",
    ]
    assert study.table([]) == ""


def test_every_seed_must_agree_with_the_verdict_and_a_task_that_was_not_learned_has_none():
    words = {
        (0.0, 0.0, 0.05): "level",
        (-0.3, -0.2, -0.4): "level",
        (0.06, 0.1, 0.3): "rises",
        (0.3, 0.3, 9.0): "breaks",  # the larger the break, the more the seeds differ; it is a break all the same
        (0.0, 0.0, 0.1): "seeds differ",
        (0.0, 1.5, 0.6): "seeds differ",
    }
    for rises, word in words.items():
        for task, right, said in (
            ("copy-back", 1.0, word),
            ("copy-back", 0.89, "not learned"),
            ("characters", 0.5, word),
        ):
            rows = [result(seed=seed, loss=[1.0, 5.0, 1.0 + rise], task=task) for seed, rise in enumerate(rises)]
            rows[1]["accuracy"] = [right, 0.5, 0.5]
            rows[0]["accuracy"] = rows[2]["accuracy"] = [1.0, 0.5, 0.5]
            assert study.verdict(rows) == said, (rises, task)
            assert study.rises(rows) == pytest.approx(rises)
