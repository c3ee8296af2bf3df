"""What a second layer, or a second head, gives back: small models on two tasks of the lessons, with three seeds each.

    python -m course_study --preset two_layers --out course_study/committed/two_layers.jsonl

A row is one model of one seed: `loss` and `accuracy` on new texts. `first letters` also has `by_position`, the accuracy
at each position, and `longer`, the same for texts twice as long as those of training. `neighbours` has the mean weights
that each head gives to the word before and to the word after: `first_half` for the words 0 … 7, `second_half` for the
others.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from course_lib.checks import check_choice
from course_lib.nn.absolute import Learned
from course_lib.nn.position import Position
from course_lib.nn.shaw import ShawVectors

from .results import Row, Run
from .run import reproducible, rounded
from .small import D_MODEL, NOT_ASKED, TESTED, Draw, Small, tested, train

LINE, WORDS = 4, 12


def first_letters(generator: Generator, lines: int = 4) -> tuple[Tensor, Tensor]:
    """32 texts of random letters, each one of 8, and for each position the first letter of its line of 4."""
    letters = torch.randint(8, (32, LINE * lines), generator=generator)
    return letters, letters[:, ::LINE].repeat_interleave(LINE, dim=1)


def neighbours(generator: Generator) -> tuple[Tensor, Tensor]:
    """32 texts of 12 words, each one of 16; for words 0 … 7 the answer is the word before, for the others that after.

    Nothing is asked at the two ends, which may lack a neighbour.
    """
    words = torch.randint(16, (32, WORDS), generator=generator)
    answers = torch.where(words < 8, words.roll(1, 1), words.roll(-1, 1))
    answers[:, [0, -1]] = NOT_ASKED
    return words, answers


class BiasPerOffset(Position):
    """One learned number per head and offset, for texts of 12 words: offsets −11 … 11."""

    def __init__(self, n_heads: int = 1) -> None:
        super().__init__()
        self.numbers = nn.Parameter(torch.randn(n_heads, 2 * WORDS - 1))

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        return self.numbers


def vectors() -> Position:
    return ShawVectors(1, D_MODEL, clip=8)  # texts of 16 letters train all of them, so longer texts meet no new one


def with_table() -> Small:
    """One layer, and a row per position for texts twice as long as those of training."""
    model = Small([None], 8, feed_forward=True)
    model.embedding = nn.Sequential(model.embedding, Learned(2 * 4 * LINE, D_MODEL))
    return model


Models = dict[str, Callable[[], Small]]
LETTER_MODELS: Models = {
    "learned table, one layer": with_table,
    "no position, two layers": lambda: Small([None, None], 8, feed_forward=True),
    "vectors, one layer": lambda: Small([vectors()], 8, feed_forward=True),
    "vectors, two layers": lambda: Small([vectors(), vectors()], 8, feed_forward=True),
}
NEIGHBOUR_MODELS: Models = {
    "one head": lambda: Small([BiasPerOffset(1)], 16),
    "two heads": lambda: Small([BiasPerOffset(2)], 16, n_heads=2),
    "one head, feed-forward": lambda: Small([BiasPerOffset(1)], 16, feed_forward=True),
    "two heads, feed-forward": lambda: Small([BiasPerOffset(2)], 16, n_heads=2, feed_forward=True),
}
TASKS: dict[str, tuple[Draw, int, float, Models]] = {  # texts, steps, learning rate, models
    "first letters": (first_letters, 600, 0.003, LETTER_MODELS),
    "neighbours": (neighbours, 800, 0.01, NEIGHBOUR_MODELS),
}


def plan(names: Sequence[str] = ()) -> list[Run]:
    """Every model of the tasks with these names, or of both. Raises ValueError for another name."""
    runs = []
    for task in names or TASKS:
        _, steps, _, models = TASKS[check_choice("task", task, TASKS)]
        for condition, seed in product(models, range(3)):
            inputs = {"task": task, "condition": condition, "seed": seed, "settings": {"steps": steps}}
            runs.append(Run(inputs, partial(outcome, task, condition, seed)))
    return runs


def outcome(task: str, condition: str, seed: int) -> Row:
    """Train one model, and test it on new texts."""
    draw, steps, rate, models = TASKS[task]
    with reproducible(seed):
        model = models[condition]()
        train(model, draw, steps, rate, seed)
        logits, answers = tested(model, draw)
        loss = cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=NOT_ASKED)
        right = (logits.argmax(-1) == answers).double()
        row: Row = {"loss": rounded(loss), "accuracy": rounded(right[answers != NOT_ASKED].mean())}
        if task == "neighbours":
            return {**row, **beside(model)}
        logits, answers = tested(model, partial(first_letters, lines=8))
    longer = (logits.argmax(-1) == answers).double()
    return {**row, "by_position": rounded(right.mean(0)), "longer": rounded(longer.mean(0))}


@torch.no_grad()
def beside(model: Small) -> Row:
    """The mean weights [before, after] of each head, apart for the words of either half, without the ends."""
    words, _ = neighbours(Generator().manual_seed(TESTED))
    weights = model.attention[0].weights(model.embedding(words))
    pairs = torch.stack([weights.diagonal(-1, 2, 3)[..., :-1], weights.diagonal(1, 2, 3)[..., 1:]], -1)
    halves = {"first_half": words[:, 1:-1] < 8, "second_half": words[:, 1:-1] >= 8}
    return {name: rounded(pairs.movedim(1, 2)[half].mean(0)) for name, half in halves.items()}
