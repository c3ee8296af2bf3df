"""Bug hunt: a text with one position."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.example import TOKENS
from course_lib.reference.absolute import learned, sinusoidal

from ..shared import CHANNEL, normal

RANDOM = np.random.default_rng(5)
WORDS = normal(RANDOM, 5, 4).round(2)  # a vector for each of the five tokens
TEXTS = normal(RANDOM, 3, 6, 8).round(2)
TOKEN = Axis("token", TOKENS)
TABLE = sinusoidal(np.arange(12), 4)


def _add_positions(x, table):
    """Word vectors x (batch, n, d), times √d, plus the position vectors of `table` (max_length, d); the same shape."""
    n, d = x.shape[-2:]
    return x * np.sqrt(d) + table[:n]


def _with_the_bug(x, table):
    """Word vectors x (batch, n, d), times √d, plus the position vectors of `table` (max_length, d); the same shape."""
    n, d = len(x), x.shape[-1]
    return x * np.sqrt(d) + table[:n, None]


def _text_by_text(x, table):
    return np.array([np.sqrt(text.shape[-1]) * text + learned(len(text), table) for text in x])


def _draw(rng):
    batch, n, d = int(rng.integers(2, 5)), int(rng.integers(5, 9)), 2 * int(rng.integers(1, 5))
    return normal(rng, batch, n, d), normal(rng, n + 3, d)


def _same_in_every_text(result, x, table):
    """The same words get the same vectors in every text of the batch."""
    y = np.asarray(result, float) - x * np.sqrt(x.shape[-1])
    return np.allclose(y, y[:1], atol=1e-5)


add_positions = CodingTask(
    title="Bug hunt: a text with one position",
    minutes=8,
    difficulty=2,
    words="""Many models copied their positions from a tutorial that keeps the tokens on the *first* axis,
`(n, batch, d)`, and used them with batches `(batch, n, d)`. Every shape fits and no error is raised, but the model
treats each text as a bag of words. Its answer for a text even depends on where the text is in the batch. Find out which
position each token gets, and fix the code.

The factor √d is right: it makes the words about as long as the positions that are added to them.""",
    solution=_add_positions,
    starter=_with_the_bug,
    expected=_text_by_text,
    cases=[
        Case(WORDS[None], TABLE, label="the five tokens, a batch of one", axes=("text", TOKEN, CHANNEL)),
        Case(np.stack([WORDS, WORDS]), TABLE, label="the five tokens twice", axes=("text", TOKEN, CHANNEL)),
        Case(TEXTS, normal(RANDOM, 9, 8).round(2), label="three texts of six tokens"),
        Case(TEXTS[:, :, :4], TABLE[:6], label="a table that just suffices"),
        Case(TEXTS[:, :1, :4], TABLE, label="three texts of one token"),
        Case(TEXTS[:, :3, :4], TABLE, label="as many texts as tokens"),
    ],
    axes=("text", "token", CHANNEL),
    draw=_draw,
    properties=[
        Property(
            "the same positions in every text",
            _same_in_every_text,
            "You add other vectors to one text than to another. Token i of every text is at position i.",
        ),
    ],
    pieces="""
np.sqrt(d)
    the factor √d: It makes the words about as long as the positions. This part was right.
table[:n]
    the position vector: Token i of every text gets row i of the table.
n
    the end of the slice: Each text has n tokens, at positions 0 … n − 1.
x * np.sqrt(d)
    the scaled word: It is x times √d, and only the word is scaled. This part was right.
""",
    slips="""
table[:n] → table[: len(x)]
or table[:n] → table[None, : len(x)]
    You take as many rows as there are texts. Each text has n tokens, and each token needs a row.
table[:n] → table[:n, None]
    Your rows lie along the texts, because `[:, None]` makes (n, 1, d) of them. (n, d) lies along the tokens as it is.
table[:n] → table[0]
    All your tokens are at position 0. Token i gets row i of the table.
table[:n] → table[n - 1]
    All your tokens are at the last position. Token i gets row i of the table.
table[:n] → table[n]
    `table[n]` is a single row, the one of position n. Token i gets row i, so take the first n rows.
table[:n] → table[1 : n + 1]
    Your positions begin at 1. They begin at 0, with the first row of the table.
table[:n] → table[-n:]
    You take the last rows of the table. The tokens are at positions 0 … n − 1.
table[:n] → table[:n][::-1]
    Your positions run backwards. The first token gets row 0.
table[:n] → table
    You take the whole table. Each text has n tokens, so take its first n rows.
x * np.sqrt(d) + table[:n] → (x + table[:n]) * np.sqrt(d)
    You scale the positions as well. Only the words are multiplied by √d, before the positions are added.
x * np.sqrt(d) + table[:n] → x + table[:n] * np.sqrt(d)
    You scale the positions instead of the words. The words are multiplied by √d.
np.sqrt(d) → np.sqrt(n)
    You scale by the number of tokens. d is the number of channels. That line was right.
np.sqrt(d) → d
    You scale by d. The words are multiplied by its square root. That part was right.
table[:n] → table[:n] + table[: len(x), None]
    You add the positions of the tokens, but still the one of the text as well. Remove that one.
... → x = np.swapaxes(x, 0, 1); return x * np.sqrt(x.shape[-1]) + table[: len(x), None]
    Your result is (n, batch, d). Swap the two axes back, or leave them as they are.
... → n, d = x.shape[-2:]; y = x.reshape(n, -1, d) * np.sqrt(d) + table[:n, None]; return y.reshape(x.shape)
    `reshape` does not exchange axes, because it keeps the rows in their order. With two texts, tokens 0 and 1 of the
    first are both at position 0. Leave x as it is: the positions, (n, d), fit every text by themselves.
""",
    alternatives=[
        lambda x, table: x * np.sqrt(x.shape[2]) + table[np.arange(x.shape[1])],
        lambda x, table: np.swapaxes(np.swapaxes(x, 0, 1) * np.sqrt(x.shape[2]) + table[: x.shape[1], None], 0, 1),
    ],
    hints=[
        "Give it two equal texts, `np.stack([x, x])`, and compare what is added to the two, `result - x * np.sqrt(d)`.",
        "`table[:n, None]` has the shape (n, 1, d). Which axis of x does its first axis meet?",
        "NumPy aligns shapes from the right: (n, d) meets the last two axes of (batch, n, d).",
    ],
)
