r"""What does it store? · 10 minutes · ★★

A model has 16 heads of $d = 64$, half precision (2 bytes per number), and full attention over 4,096
tokens, so the offsets are $-4095 \dots 4095$. Every head has a table of its own. How many megabytes (MB = $10^6$
bytes) does it store for one layer and one sequence? Guess first, then calculate four numbers:

- the **cube**, with a vector per pair;
- the **table**, with a vector per offset;
- the **products** of each query with each vector;
- the **row**, with one number per offset, which is all that a plain bias needs.

Give five decimals: write products, and let Python multiply. When the check passes, multiply by 24 layers: two of the
four would overfill a card of 24 GB.
"""

N, HEADS, D, BYTES = 4096, 16, 64, 2
OFFSETS = 2 * N - 1
ONE = HEADS * BYTES / 1e6  # megabytes for one number in every head

ANSWER = {"cube": ONE * N * N * D, "table": ONE * OFFSETS * D, "products": ONE * N * OFFSETS, "row": ONE * OFFSETS}
DIGITS = 5

UNITS = {
    1 / HEADS: "is a sixteenth of the right one. There are 16 heads, and each is 64 wide.",
    2: "counts 4 bytes per number. Half precision has 2.",
    1 / 2: "counts one byte per number. Half precision has 2.",
    1e6 / 2**20: "is divided by 2²⁰, which gives MiB. A megabyte is 10⁶ bytes.",
    1 / 1000: "is in gigabytes. Give megabytes.",
    1e6: "is in bytes. Give megabytes, which are 10⁶ bytes.",
    1000: "is in kilobytes. Give megabytes.",
    24: "is for all 24 layers. Only one layer is asked for.",
}
TWO_N = "You count 2n offsets. From −(n − 1) to n − 1 there are 2n − 1."
MATRIX = ONE * N * N
ROUNDED = "You rounded. Give five decimals, because only the later ones tell 2n − 1 offsets from 2n."

WRONG = [
    *(({name: right * times for name, right in ANSWER.items()}, f"This {text}") for times, text in UNITS.items()),
    (
        {"table": ANSWER["products"], "products": ANSWER["table"]},
        "You exchanged the table and the products. The table knows no queries, but each product belongs to one.",
    ),
    *(
        ({name: right * times}, f"Your number for the {name} {text}")
        for times, text in UNITS.items()
        for name, right in ANSWER.items()
    ),
    ({"row": ONE * 2 * N}, TWO_N),
    ({"table": ONE * 2 * N * D}, TWO_N),
    ({"products": ONE * 2 * N * N}, TWO_N),
    ({"row": MATRIX}, "This is the n × n matrix. The row has one number per *offset*."),
    ({"cube": ONE * N * OFFSETS * D}, "You count a vector per query and offset. The cube has one per pair, n² in all."),
    ({"cube": MATRIX}, "You count one number per pair. The cube has a vector of 64 numbers per pair."),
    ({"table": ONE * N * D}, "You count n offsets for the table. Full attention has 2n − 1."),
    ({"table": ANSWER["row"]}, "You count one number per offset, which is the row. The table has a vector of 64."),
    ({"products": MATRIX}, "You count n columns, the causal case. In full attention each query has 2n − 1 products."),
    ({"products": ONE * N * OFFSETS * D}, "You count 64 numbers per product. A query times a vector is one number."),
    ({"products": round(ONE * 2 * N * N, 2)}, TWO_N),
    ({"row": 0.016}, "Your number for the row is a sixteenth of the right one. There are 16 heads."),
    ({"row": 0.2}, ROUNDED),
    *(({name: int(right)}, ROUNDED) for name, right in ANSWER.items()),
    *(({name: round(right, digits)}, ROUNDED) for name, right in ANSWER.items() for digits in range(4)),
]

HINTS = [
    "Each of the four is heads × numbers per head × bytes. How many numbers per head does each have?",
    "There are n² pairs and 2n − 1 offsets. A vector has d numbers, a product is one number.",
    "The cube takes 16 · 4096 · 4096 · 64 · 2 bytes, divided by 10⁶.",
]
