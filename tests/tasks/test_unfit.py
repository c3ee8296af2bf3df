"""Right numbers in a form that nobody could use are refused in words, and unusual right answers pass."""

import numpy as np
import pytest

from course_lib.reference.music_transformer import music_transformer_scores
from course_lib.reference.transformer_xl import update_memory
from course_tasks import tasks_of


def test_complex_numbers_are_no_biases():
    task = tasks_of("bias_by_hand")["bias_matrix"]
    result = task.check(lambda n, strength: task.spec.solution(n, strength) + 0j)
    assert result.status == "wrong type" and "complex" in result.facts[-1], result


@pytest.mark.parametrize(
    ("topic", "name"),
    [("t5_buckets", "t5_buckets"), ("vector_per_distance", "relative_index"), ("two_dimensions", "window_rows")],
)
def test_a_float_is_no_index(topic, name):
    task = tasks_of(topic)[name]
    result = task.check(lambda *args: np.asarray(task.spec.solution(*args), float))
    assert result.status == "wrong type" and "floats" in result.facts[0], result


def test_functions_of_the_library_are_right_answers():
    task = tasks_of("diagonals")["relative_scores"]
    assert task.check(lambda q, table, n_k, past: music_transformer_scores(q, table, n_k, past=past)).passed

    def read_segments(x, size, length, attend):
        memory, outputs = None, []
        for start in range(0, len(x), size):
            segment = x[start : start + size]
            outputs.append(attend(segment, x[:0] if memory is None else memory))
            memory = update_memory(memory, segment, length)
        return np.concatenate(outputs)

    assert tasks_of("transformer_xl")["read_segments"].check(read_segments).passed
