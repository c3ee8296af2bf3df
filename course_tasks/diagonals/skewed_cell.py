"""Whose number a cell of the causal skew holds."""

import numpy as np

from course_lib.checking import Prediction
from course_lib.reference import music_transformer as reference

SENTENCE = ("A", "bird", "sang", "in", "our", "tree")


def _held(i, j):
    """Whose product cell (i, j) of the causal skew of six tokens holds, and its offset."""
    n = len(SENTENCE)
    query, column = reference.skew_source(n, n)[i, j]
    return SENTENCE[query], int(column) - (n - 1)


def _junk(n):
    source = reference.skew_source(n, n)
    i, j = np.indices((n, n))
    return int(((source[..., 0] != i) | (source[..., 1] != j - i + n - 1)).sum())


skewed_cell = Prediction(
    "skewed_cell",
    title="Whose number is this?",
    minutes=10,
    difficulty=2,
    words="""Six queries, "A bird sang in our tree", have six products each, for the offsets −5 … 0. Pad a column in
front, cut the flat memory every 6 numbers, and drop the first row. Work with pencil and paper.

Which token's query, and which offset, is in the cell of query *tree* and key *bird*? Which are in the cell of query
*bird* and key *tree*? How many of the 36 cells are junk, that is, hold the padding or another query's product? And how
many would it be for 100 tokens? (The words are "A", "bird", "sang", "in", "our" and "tree".)""",
    expected=lambda: {
        "tree → bird, query": _held(5, 1)[0],
        "tree → bird, offset": _held(5, 1)[1],
        "bird → tree, query": _held(1, 5)[0],
        "bird → tree, offset": _held(1, 5)[1],
        "junk of 6": _junk(6),
        "junk of 100": _junk(100),
    },
    slips={
        ("tree → bird, query", "tree → bird, offset"): {
            ("our", -3): "You look one row too early. The first row after the cut is dropped, so *tree* has the last row.",
        },
        "tree → bird, offset": {
            4: "The sign is wrong. *bird* comes before *tree*, so the offset j − i is negative.",
            -5: "−5 is the first column of a row. *bird* is four places before *tree*, not five.",
            1: "1 is the column of this number. The columns begin at offset −5, so which offset does column 1 have?",
        },
        "tree → bird, query": {
            "bird": "The first cell is below the diagonal, where every row holds numbers of its own query.",
        },
        ("bird → tree, query", "bird → tree, offset"): {
            ("bird", 4): "This is what *should* be there. But +4 was never computed, because the columns end at 0.",
            ("sang", -5): "The row is right, but −5 of *sang* is two cells to the left, under *in*. Count on.",
            ("sang", -4): "The row is right, but you are one column short. Behind the padding, −5 of *sang* is under "
            "*in*. Count on from there.",
            ("sang", -2): "The row is right, but you are one column too far. Between 0 of *bird* and −5 of *sang* "
            "there is also the padding.",
            ("sang", 2): "2 is the column of this number in the row of *sang*. The columns begin at offset −5, so "
            "which offset does column 2 have?",
        },
        "bird → tree, offset": {
            4: "+4 is what should be there, but no +4 was ever computed. Which product is at this place in memory?",
            0: "Offset 0 is the end of a row. The padding, which has no offset, comes right after each diagonal cell. "
            "Count on from there.",
        },
        "bird → tree, query": {
            "bird": "The products of *bird* end at its own place, with offset 0. What comes after them in memory?",
            "tree": "It is not the row of the key. After *bird* the flat memory continues with the row below it.",
            "A": "*A* comes before *bird* in memory. What slips into the row of *bird* is what comes after it.",
            "in": "Two rows down is too far. Between *bird* and *in* are all products of *sang*.",
            "our": "Three rows down is too far. Between *bird* and *our* are all products of *sang* and *in*.",
        },
        "junk of 6": {
            10: "You left out the padding, which is not a score of its query either. The whole triangle above the "
            "diagonal is junk.",
            5: "You counted only the cells of padding. To the right of them are products of the next queries.",
            21: "You counted the diagonal too. The diagonal, offset 0, is right, so count only above it.",
            30: "n(n − 1) counts both triangles. The lower one is right.",
            18: "Half of the 36 cells includes half of the diagonal. The whole diagonal is right.",
        },
        "junk of 100": {
            4851: "You left out the 99 cells of padding. They are junk as well.",
            99: "You counted only the cells of padding. What is to the right of them?",
            5000: "Half of all cells includes half of the diagonal. The whole diagonal is right.",
            5050: "You counted the diagonal too. It is not junk, so count the triangle without it.",
            9900: "n(n − 1) counts both triangles. Only the upper one is junk.",
            10000: "This is all cells. Half of those that are not on the diagonal are junk.",
        },
    },
    hints=[
        "On and below the diagonal, a cell holds a product of its own query, with the offset j − i.",
        "Write out the line of memory from *bird* on. Where does its row end, and what is between two rows?",
        "The junk is the triangle above the diagonal. The first row has n − 1 cells of it, the last row has none.",
    ],
)
