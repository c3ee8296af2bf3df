"""How much memory a bias needs."""

from course_lib.checking import Prediction

HEADS, N, BUCKETS = 32, 4096, 32
TABLE, OFFSETS = "parameters of the table", "parameters, one per offset"
FROM_TABLE, FROM_OFFSETS = "GiB as a matrix, from the table", "GiB as a matrix, from one per offset"


def _memory():
    gib = HEADS * N * N * 4 / 2**30
    return {TABLE: BUCKETS * HEADS, OFFSETS: HEADS * (2 * N - 1), FROM_TABLE: gib, FROM_OFFSETS: gib}


PAIRS = "That is one number per *pair*. All pairs at the same offset share a number."
TWO_TABLES = (
    "That is two tables, one for each direction, or one for an encoder and one for a decoder. Here one table of 32 "
    "rows serves both directions, with a column per head."
)
MATRIX = "That is the table itself. The matrix has a number for every head, query and key, whatever it is made from."
GIGABYTES = "These are gigabytes of 10⁹ bytes. A GiB has 2³⁰ bytes."

memory = Prediction(
    "memory",
    title="How much memory does it need?",
    minutes=6,
    difficulty=1,
    words="""An encoder layer has 32 heads and reads $N = 4096$ tokens. How many parameters does T5's table of 32
buckets have? How many does a table with one number per offset have, in both directions? And how many GiB (2³⁰ bytes)
does the bias take as a matrix of 32-bit floats for every head, if it is made from the one table, and if it is made
from the other?""",
    expected=_memory,
    digits=2,
    slips={
        TABLE: {
            32: "That is one head. Each head has a column of its own.",
            64: "You add buckets and heads. Multiply them, because each head has a number for each bucket.",
            31 * 32: "31 rows are trained, but the table has 32.",
            2 * 32 * 32: TWO_TABLES,
            4 * 32 * 32: "These are bytes. A parameter is one number.",
            32 * N: "The table does not grow with the text. It has a row for each bucket, not for each token.",
            32 * N**2: "That is the matrix. The table has a row for each bucket.",
        },
        OFFSETS: {
            2 * N - 1: "That is one head. Each head has its own numbers.",
            N: "That is one direction of one head.",
            32 * N: "That is one direction. An encoder looks both ways, from −(N − 1) to N − 1.",
            32 * (N - 1): "That is one direction without offset 0. An encoder looks both ways, from −(N − 1) to N − 1.",
            32 * 2 * N: "You count offset 0 twice. From −(N − 1) to N − 1 there are 2N − 1 offsets.",
            32 * (2 * N + 1): "These are too many. The farthest offset is N − 1, so count from −(N − 1) to N − 1.",
            32 * (2 * N - 2): "Offset 0 has a number as well.",
            32 * N**2: PAIRS,
            N**2: PAIRS,
        },
        FROM_TABLE: {
            32 * N**2 / 2**30: "You counted numbers. A 32-bit float takes 4 bytes.",
            N**2 * 4 / 2**30: "That is one head. There are 32.",
            0.0: MATRIX,
            32 * N**2 * 4 / 1e9: GIGABYTES,
            2.0**31: "These are bytes. A GiB has 2³⁰ of them.",
            2048.0: "These are MiB. A GiB has 1024 of them.",
            16.0: "These are bits. A byte has 8.",
        },
        FROM_OFFSETS: {
            4.0: "The matrix has one number per query and key, so it already has both directions, above and below the "
            "diagonal.",
            0.0: MATRIX,
            32 * N**2 / 2**30: "You counted numbers. A 32-bit float takes 4 bytes.",
            N**2 * 4 / 2**30: "That is one head. There are 32.",
            32 * N**2 * 4 / 1e9: GIGABYTES,
        },
    },
    hints=[
        "The table has a row for each bucket and a column for each head.",
        "Offsets run from −(N − 1) to N − 1.",
        "The matrix has heads · N · N numbers of 4 bytes. Does it matter what they are made from?",
    ],
)
