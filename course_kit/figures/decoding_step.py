"""Decoding with a cache: of the whole grid one row is new, whatever the scheme."""

from collections.abc import Iterable, Sequence

from course_lib.example import TOKENS
from course_lib.reference.alibi import slopes
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket

from ..display.colours import signed_colour
from ..display.formatting import check_whole, number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

LARGEST = 8  # tokens
READ, LATER = "#e6e9ed", "#ffffff"  # a row that was read before, and one to come
# What is computed at a step, and what the cache keeps of the tokens before it.
SAYS = {
    "log decay": ("nothing: the end of one row of numbers, made once", "keys and values"),
    "ALiBi": ("nothing: the end of one row of numbers per head, made once", "keys and values"),
    "T5 buckets": ("nothing: the end of one row of numbers per head, looked up once", "keys and values"),
    "Shaw": ("the products of the new query with the few vectors of the table", "keys and values, without position"),
    "Music Transformer": (
        "the products of the new query with one vector per offset",
        "keys and values, without position",
    ),
    "Transformer-XL": ("the products of the new query with r, one vector per distance", "keys and values"),
    "RoPE": ("the new query and the new key are turned, nothing else", "keys that are turned already, and values"),
}


def decoding_step(
    scheme: str = "T5 buckets",
    past: int | None = None,
    tokens: Sequence[str] = TOKENS,
    *,
    clip: int = 2,
    title: str | None = None,
) -> Picture:
    """The grid of a decoder that has read `past` tokens (by default all but the last): what the scheme puts in at the
    one new row, and the rows read before. Alive: choose the scheme, move `past`; the same row for every scheme.

    `clip` is Shaw's. Raises ValueError for an unknown scheme, `past` beyond the tokens, or not 2 to 8 tokens.
    """
    if isinstance(tokens, str) or not isinstance(tokens, Iterable) or not 2 <= len(list(tokens)) <= LARGEST:
        raise ValueError(f"tokens={tokens!r}: expected a list of 2 to {LARGEST} words")
    words, clip = [str(token) for token in tokens], check_whole("clip", clip, 0, LARGEST)
    n = len(words)

    def new_cell(scheme: str, distance: int) -> Cell:
        return Cell(entry(scheme, distance, clip), colour=signed_colour(-distance / (n - 1)), group=str(distance))

    def grid_cell(scheme: str, i: int, j: int, past: int) -> Cell:
        if i == past >= j:
            return new_cell(scheme, i - j)
        shown = j <= i < past
        says = "" if shown else "the key comes later" if j > i else "the query comes later"
        return Cell(entry(scheme, i - j, clip) if shown else "", colour=READ if i < past else LATER, says=says)

    @live(scheme=list(SAYS), past=range(n))
    def draw(scheme: str, past: int) -> Frame:
        grid = Table(
            scheme,
            rows=words,
            columns=words,
            cells=[[grid_cell(scheme, i, j, past) for j in range(n)] for i in range(n)],
            corner="query\u00a0↓ key\u00a0→",
            note="coloured: the new row; grey: read before",
            says="Query {row}, key {column}: {text}",
        )
        every = Table(
            f"The new row, query {words[past]}",
            rows=list(SAYS),
            columns=words[: past + 1],
            cells=[[new_cell(name, past - j) for j in range(past + 1)] for name in SAYS],
            corner="scheme\u00a0↓ key\u00a0→",
            note="scheme by scheme",
            chooses=("scheme", [name for name in SAYS for _ in range(past + 1)]),
        )
        computed, kept = SAYS[scheme]
        count = f"{past + 1} new score{'s' * (past > 0)} of {(past + 1) * (past + 2) // 2} so far."
        return Frame([grid, every], [count, "Computed at each step:", f"{computed}.", "In the cache:", f"{kept}."])

    alt = (
        f"Decoding step by step: the grid of {n} queries and {n} keys, in which only one row is new, with what each of "
        f"{len(SAYS)} schemes puts in there for the new query and every key so far."
    )
    return draw(alt=alt, title=title or "One new row", scheme=scheme, past=n - 1 if past is None else past)


def entry(scheme: str, distance: int, clip: int = 2) -> str:
    """What the scheme puts in between the new query and the key `distance` tokens before it."""
    own = "0" if distance == 0 else number(-distance)
    return {
        "log decay": lambda: number(float(decay_row(-distance))),
        "ALiBi": lambda: number(float(-slopes(2)[0] * distance), 4),
        "T5 buckets": lambda: f"b[{bucket(-distance, bidirectional=False)}]",
        "Shaw": lambda: f"a[{number(-min(distance, clip))}]",
        "Music Transformer": lambda: f"e[{own}]",
        "Transformer-XL": lambda: f"r[{distance}]",
        "RoPE": lambda: f"turn {own}θ" if distance else "turn 0",
    }[scheme]()
