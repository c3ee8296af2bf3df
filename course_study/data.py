"""What the models read: real text, and three made-up tasks with one right answer.

| task | what is asked | what it needs |
|---|---|---|
| characters | the next character of Python's own help texts | what is near, most of all |
| copy-back | the token 3 places before | one exact offset |
| flip-flop | at a read, the bit written last | the nearest write, however far it is |
| retrieval | the value that was given with a name | one token, by its content, far back |
"""

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from course_lib.checks import check_choice

BACK, SYMBOLS = 3, 16  # copy-back: how many places back, and how many different tokens
BITS, WRITE, READ, IGNORE = 2, 2, 3, 4  # flip-flop's tokens: the bits 0 and 1, then the three instructions
WRITES, READS = 1 / 48, 1 / 4  # flip-flop: their shares in tests; writes are rare, so reads look far back
KEYS, ASKED = 8, 1 / 4  # retrieval: how many names, values, and other tokens; the share of questions
TRAINING_SHARE = 0.9  # of the text; what follows is for testing
SHORTEST, LONGEST = 2 * KEYS, 8192  # tokens in a text; a shorter one has no place for all names

Batch = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Task:
    """How many different tokens there are, and a way to draw texts.

    `batch(n, size, generator, test)`: tokens, the right answer at each place, and how many places back the token is
    that the answer depends on, 0 where nothing is asked; (size, n) each. (In text, 1: nobody knows.)
    """

    vocabulary: Callable[[], int]
    batch: Callable[[int, int, Generator, bool], Batch]


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
def characters() -> tuple[Tensor, Tensor, int]:
    """The text as numbers, the part for training and the part for testing, and how many characters are different."""
    alphabet = {character: number for number, character in enumerate(sorted(set(text())))}
    tokens = torch.tensor([alphabet[character] for character in text()])
    cut = int(TRAINING_SHARE * len(tokens))
    return tokens[:cut], tokens[cut:], len(alphabet)


def _next_character(n: int, size: int, generator: Generator, test: bool) -> Batch:
    training, testing, _ = characters()
    tokens = testing if test else training
    # Windows are drawn by where they end, and at every length they end at the same places: the questions stay the same.
    end = torch.randint(LONGEST, len(tokens), (size,), generator=generator)
    windows = tokens[end[:, None] + torch.arange(-n, 1)]
    return windows[:, :-1], windows[:, 1:], torch.ones(size, n, dtype=torch.long)


def _copy_back(n: int, size: int, generator: Generator, test: bool) -> Batch:
    tokens = torch.randint(SYMBOLS, (size, n), generator=generator)
    asked = torch.arange(n).expand(size, n) >= BACK  # before, there is nothing to copy
    return tokens, tokens.roll(BACK, 1), BACK * asked


def _flip_flop(n: int, size: int, generator: Generator, test: bool) -> Batch:
    """Instruction, bit, instruction, bit, …: after a read, the bit written last is asked.

    In the text a random bit follows the read, so the answer is only in the write. In training, from text to text,
    between a quarter of the instructions and one in 64 are writes.
    """
    writes = WRITES if test else 0.25 * 16 ** -torch.rand(size, 1, generator=generator)
    step, chance = torch.arange(n // 2), torch.rand(size, n // 2, generator=generator)
    instruction = torch.where(chance < writes, WRITE, torch.where(chance < writes + READS, READ, IGNORE))
    instruction[:, 0] = WRITE
    bit = torch.randint(BITS, (size, n // 2), generator=generator)
    last_write = torch.where(instruction == WRITE, step, 0).cummax(1).values
    tokens = torch.stack([instruction, bit], -1).flatten(1)
    answers = bit.gather(1, last_write).repeat_interleave(2, 1)
    back = torch.where(instruction == READ, 2 * (step - last_write) - 1, 0)
    return tokens, answers, torch.stack([back, torch.zeros_like(back)], -1).flatten(1)


def _retrieval(n: int, size: int, generator: Generator, test: bool) -> Batch:
    """In the first half, anywhere, every name with its value, one token each; then other tokens, and names.

    After a name its value is asked. Names are 0 … KEYS − 1, and name k with value v is the token (k + 1) · KEYS + v,
    which is the answer.
    """
    place = torch.rand(size, n // 2, generator=generator).argsort(-1)[:, :KEYS]  # of the token with each name
    value = torch.randint(KEYS, (size, KEYS), generator=generator)
    asked = (torch.rand(size, n, generator=generator) < ASKED) & (torch.arange(n) >= n // 2)
    name = torch.randint(KEYS, (size, n), generator=generator)
    other = torch.randint((KEYS + 1) * KEYS, (KEYS + 2) * KEYS, (size, n), generator=generator)
    tokens = torch.where(asked, name, other)
    tokens.scatter_(1, place, (torch.arange(KEYS) + 1) * KEYS + value)
    told = place.gather(1, name)
    return tokens, tokens.gather(1, told), torch.where(asked, torch.arange(n) - told, 0)


TASKS: dict[str, Task] = {
    "characters": Task(lambda: characters()[2], _next_character),
    "copy-back": Task(lambda: SYMBOLS, _copy_back),
    "flip-flop": Task(lambda: IGNORE + 1, _flip_flop),
    "retrieval": Task(lambda: (KEYS + 2) * KEYS, _retrieval),
}


def find_task(name: str) -> Task:
    """The task of that name, or a ValueError with the names there are."""
    return TASKS[check_choice("task", name, TASKS)]
