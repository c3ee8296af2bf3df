"""Decoding with a cache: of the whole grid one row is new, whatever the scheme."""

from course_lib.example import TOKENS
from course_lib.reference.alibi import slopes
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket

from ..display.colours import signed_colour
from ..display.formatting import number
from .frames import Cell, Frame, Table, live

N = len(TOKENS)
READ, LATER = "#e6e9ed", "#ffffff"  # a row that was read before, and one to come
# What is computed at a step, and what the cache keeps of the tokens before it.
SAYS = {
    "log decay": ("nothing, because the new row is the end of a list made once", "keys and values"),
    "ALiBi": ("nothing, because the new row is the end of a list made once per head", "keys and values"),
    "T5 buckets": ("nothing, because the new row is the end of a list looked up once per head", "keys and values"),
    "Shaw": ("the products of the new query with the few vectors of the table", "keys and values, without position"),
    "Music Transformer": (
        "the products of the new query with one vector per offset",
        "keys and values, without position",
    ),
    "Transformer-XL": ("the products of the new query with one vector r per offset", "keys and values"),
    "RoPE": ("the new query and the new key are rotated, nothing else", "keys that are rotated already, and values"),
}


@live(
    f"Decoding step by step: the grid of {N} queries and {N} keys, in which only one row is new, with what each of "
    f"{len(SAYS)} schemes puts in there for the new query and every key so far.",
    "One new row",
    scheme=SAYS,
    past=range(N),
)
def decoding_step(scheme: str = "log decay", past: int = N - 1) -> Frame:
    """The grid of a decoder that has read `past` tokens: what the scheme puts in at the one new row, and the rows read
    before. Alive: choose the scheme, move `past`; the same row for every scheme. Shaw's offsets are clipped to ±2.
    """
    grid = Table(
        scheme,
        rows=TOKENS,
        columns=TOKENS,
        cells=[[grid_cell(scheme, i, j, past) for j in range(N)] for i in range(N)],
        corner="query\u00a0↓ key\u00a0→",
        note="coloured: the new row; grey: read before",
        says="Query {row}, key {column}: {text}",
    )
    every = Table(
        f"The new row, query {TOKENS[past]}",
        rows=list(SAYS),
        columns=TOKENS[: past + 1],
        cells=[[new_cell(name, past - j) for j in range(past + 1)] for name in SAYS],
        corner="scheme\u00a0↓ key\u00a0→",
        note="b: a learned number; a, e: a learned vector; r: made from sinusoids; θ: the speed of a pair",
        chooses=("scheme", [name for name in SAYS for _ in range(past + 1)]),
    )
    computed, kept = SAYS[scheme]
    count = f"{past + 1} new score{'s' * (past > 0)} of {(past + 1) * (past + 2) // 2} so far."
    return Frame([grid, every], [count, "Computed at each step:", f"{computed}.", "In the cache:", f"{kept}."])


def new_cell(scheme: str, distance: int) -> Cell:
    """A cell of the new row."""
    return Cell(entry(scheme, distance), colour=signed_colour(-distance / (N - 1)), group=str(distance))


def grid_cell(scheme: str, i: int, j: int, past: int) -> Cell:
    """A cell of the grid when `past` tokens have been read."""
    if i == past >= j:
        return new_cell(scheme, i - j)
    shown = j <= i < past
    says = "" if shown else "the key comes later" if j > i else "the query comes later"
    return Cell(entry(scheme, i - j) if shown else "", colour=READ if i < past else LATER, says=says)


def entry(scheme: str, distance: int) -> str:
    """What the scheme puts in between the new query and the key `distance` tokens before it."""
    own = number(-distance)
    return {
        "log decay": lambda: number(float(decay_row(-distance))),
        "ALiBi": lambda: number(float(-slopes(2)[0] * distance), 4),
        "T5 buckets": lambda: f"b[{bucket(-distance, bidirectional=False)}]",
        "Shaw": lambda: f"a[{number(max(-distance, -2))}]",
        "Music Transformer": lambda: f"e[{own}]",
        "Transformer-XL": lambda: f"r[{own}]",
        "RoPE": lambda: f"rotate {own}θ" if distance else "rotate 0",
    }[scheme]()
