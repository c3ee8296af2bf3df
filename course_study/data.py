"""What the models read: real text, and three made-up tasks with one right answer.

| task | what is asked | what it needs |
|---|---|---|
| characters | the next character of Python's own help texts | what stands near, most of all |
| copy-back | the token 3 places before | one exact offset |
| flip-flop | at a read, the bit written last | the nearest write, however far it is |
| retrieval | at the end, the value that was given with a key | one key, however far it is: the text is used, or not |
"""

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

BACK, SYMBOLS = 3, 16  # copy-back: how many places back, and how many different tokens
BITS, WRITE, READ, IGNORE = 2, 2, 3, 4  # flip-flop's tokens: the bits 0 and 1, then the three instructions
IGNORED = 0.8  # share of flip-flop's instructions that neither write nor read
KEYS = 8  # of retrieval: different keys, different values, and different tokens that are neither
TRAINING_SHARE = 0.9  # of the text; what follows is for testing
LONGEST = 8192  # tokens in a window, at most

Batch = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Task:
    """How many different tokens there are, and a way to draw texts.

    `batch(n, size, generator, test)`: tokens, the right answer at each place, and where it is asked; (size, n) each.
    `shortest`: the smallest n.
    """

    vocabulary: Callable[[], int]
    batch: Callable[[int, int, Generator, bool], Batch]
    shortest: int = 2


@functools.cache
def text() -> str:
    """The help texts behind Python's help(): half a million characters on every machine, others in other versions."""
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))


@functools.cache
def text_hash() -> str:
    """Twelve characters that change when the text does: results on different texts must not be compared."""
    return hashlib.sha256(text().encode()).hexdigest()[:12]


@functools.cache
def _characters() -> tuple[Tensor, Tensor, int]:
    alphabet = {character: number for number, character in enumerate(sorted(set(text())))}
    tokens = torch.tensor([alphabet[character] for character in text()])
    cut = int(TRAINING_SHARE * len(tokens))
    return tokens[:cut], tokens[cut:], len(alphabet)


def _next_character(n: int, size: int, generator: Generator, test: bool) -> Batch:
    training, testing, _ = _characters()
    tokens = testing if test else training
    # Windows are drawn by where they end, and at every length they end at the same places: the questions stay the same.
    end = torch.randint(LONGEST, len(tokens), (size,), generator=generator)
    windows = tokens[end[:, None] + torch.arange(-n, 1)]
    return windows[:, :-1], windows[:, 1:], torch.ones(size, n, dtype=torch.bool)


def _copy_back(n: int, size: int, generator: Generator, test: bool) -> Batch:
    tokens = torch.randint(SYMBOLS, (size, n), generator=generator)
    asked = torch.arange(n).expand(size, n) >= BACK  # before, there is nothing to copy
    return tokens, tokens.roll(BACK, 1), asked


def _flip_flop(n: int, size: int, generator: Generator, test: bool) -> Batch:
    """Instruction, bit, instruction, bit, …: the bit after a write is free, after a read the one last written."""
    steps = n // 2
    chance = torch.rand(size, steps, generator=generator)
    instruction = torch.where(chance < IGNORED, IGNORE, torch.where(chance < (1 + IGNORED) / 2, WRITE, READ))
    instruction[:, 0] = WRITE
    bit = torch.randint(BITS, (size, steps), generator=generator)
    last_write = torch.where(instruction == WRITE, torch.arange(steps), 0).cummax(1).values
    bit = torch.where(instruction == READ, bit.gather(1, last_write), bit)
    tokens = torch.stack([instruction, bit], -1).flatten(1)
    asked = torch.stack([instruction == READ, torch.zeros_like(bit, dtype=torch.bool)], -1).flatten(1)
    return tokens, tokens.roll(-1, 1), asked


def _retrieval(n: int, size: int, generator: Generator, test: bool) -> Batch:
    """Every key once with its value, other tokens, and at the end every key again: its value is asked.

    In training the pairs come anywhere before the questions, in tests at the very beginning: n − 2 · KEYS back.
    """

    def order() -> Tensor:
        return torch.rand(size, KEYS, generator=generator).argsort(-1)

    tokens = torch.randint(2 * KEYS, 3 * KEYS, (size, n), generator=generator)
    value = torch.randint(KEYS, 2 * KEYS, (size, KEYS), generator=generator)  # of each key
    given, questions = order(), order()
    begin = torch.randint(n - 4 * KEYS + 1, (size, 1), generator=generator) * (not test)
    tokens.scatter_(1, begin + torch.arange(2 * KEYS), torch.stack([given, value.gather(1, given)], -1).flatten(1))
    tokens[:, n - 2 * KEYS :] = torch.stack([questions, value.gather(1, questions)], -1).flatten(1)
    place = torch.arange(n).expand(size, n)
    return tokens, tokens.roll(-1, 1), (place >= n - 2 * KEYS) & ((n - place) % 2 == 0)


TASKS: dict[str, Task] = {
    "characters": Task(lambda: _characters()[2], _next_character),
    "copy-back": Task(lambda: SYMBOLS, _copy_back),
    "flip-flop": Task(lambda: IGNORE + 1, _flip_flop),
    "retrieval": Task(lambda: 3 * KEYS, _retrieval, shortest=4 * KEYS),
}
QUICK = tuple(name for name in TASKS if name != "retrieval")  # what 300 steps can teach


def find_task(name: str) -> Task:
    """The task of that name, or a ValueError with the names there are."""
    if name not in TASKS:
        raise ValueError(f"task={name!r}: expected one of {', '.join(map(repr, TASKS))}")
    return TASKS[name]
