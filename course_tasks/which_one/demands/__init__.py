"""What a learned bias with an `a` and a `c` per head must be. Each demand looks at the class: None, or what is broken.

This imports torch; the tasks do it when a check needs it.
"""

from .hook import agrees_in_a_layer, answers_a_row, follows_the_formula, keeps_nothing, moves, passes_gradients
from .numbers import (
    begins_at_1,
    follows_the_parameters,
    has_numbers,
    heads_differ,
    is_a_position,
    learns,
    only_reads,
    stays_positive,
)

DEMANDS = (  # in the order in which they are put: the first that fails is told
    is_a_position, has_numbers, only_reads, learns, begins_at_1, follows_the_parameters, stays_positive, heads_differ,
    answers_a_row, follows_the_formula, passes_gradients, keeps_nothing, moves, agrees_in_a_layer,
)  # fmt: skip
