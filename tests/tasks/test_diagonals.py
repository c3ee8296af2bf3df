"""What the tasks of the diagonals rest on: four numbers that read the grid."""


import numpy as np

from course_tasks import tasks_of

CH04 = tasks_of("diagonals")


def test_the_steps_of_the_task_read_the_grid():
    """What the words of grid_steps promise: the three numbers are `to_grid` without a copy."""
    rows = np.arange(10.0).reshape(2, 5)
    start, per_query, per_key = CH04["grid_steps"].spec.solution(2, 4, shared=False)
    grid = np.lib.stride_tricks.as_strided(rows.ravel()[start:], (2, 4), (8 * per_query, 8 * per_key))
    assert np.shares_memory(grid, rows) and np.array_equal(grid, CH04["to_grid"].spec.solution(rows, 2))
