"""A check says to a function, a hook or a class in another process what it says to one in its own."""

from collections import defaultdict

import pytest

from tests.tasks import transcript
from tools.judge.elsewhere import answer
from tools.judge.hand_in import HandIn

EXERCISES = transcript.exercises()
TASKS = {  # why this task: what has to go across
    "bias_by_hand/bias_matrix": "numbers and an array",
    "bias_by_hand/self_dominates": "a dictionary of values, and no call at all",
    "bias_by_hand/biased_attention_torch": "tensors",
    "absolute_positions/unseen_pairs": "several results",
    "transformer_xl/read_segments": "a function of ours",
    "t5_buckets/biases_while_learning": "an array of a class of ours, and the code with the bug",
    "fast_attention/kept_after_tiles": "an array that notes how it is read",
    "fast_attention/cheap_mask": "a view, and the memory behind it",
    "vector_per_distance/random_layers": "an open task, whose properties decide",
    "longer_than_training/square_root_decay": "a hook, and whether it writes into its module",
    "which_one/log_kernel": "gradients of a hook",
    "which_one/Kerple": "a torch module",
}
EACH = 1  # answers of each status


def chosen(key):
    """Answers of every status that the transcript has for a task."""
    by_status = defaultdict(list)
    for entry in transcript.read(key):
        by_status[entry["status"], entry["how"]].append(entry)
    return [entry for entries in by_status.values() for entry in entries[:EACH]]


@pytest.mark.slow("judge")
@pytest.mark.parametrize("key", TASKS)
def test_the_answer_is_the_same_from_another_process(key):
    topic, name = key.split("/")
    task, wrong = EXERCISES[key], []
    for entry in chosen(key):
        with HandIn([f"from course_tasks import {topic} as task", entry["source"]], topic, {name: task}) as hand_in:
            hand_in.begin()
            said = transcript.said(task.check(answer(hand_in, task)))
        if said != {part: entry[part] for part in said} and "processor time" not in str(entry["facts"]):
            wrong.append((entry["source"], said))
    assert not wrong
