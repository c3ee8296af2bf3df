r"""What does it store? · 10 minutes · ★★

A model has 16 heads of $d = 64$, half precision (2 bytes per number), and full attention over 4,096
tokens, so the offsets are $-4095 \dots 4095$. Every head has a table of its own. How many megabytes (MB = $10^6$
bytes) does it store for one layer and one sequence? Commit to a guess first, then calculate four numbers:

- the **cube**, with a vector per pair;
- the **table**, with a vector per offset;
- the **products** of each query with each vector;
- the **row**, with one number per offset, which is all that a plain bias needs.

Give five decimals: write products, and let Python multiply. When the check passes, multiply by 24 layers: two of the
four would overfill a card of 24 GB.
"""

N, HEADS, D, BYTES = 4096, 16, 64, 2


def answer():
    """Megabytes per layer and sequence: heads × numbers × bytes."""
    one = HEADS * BYTES / 1e6
    return {
        "cube": one * N * N * D,
        "table": one * (2 * N - 1) * D,
        "products": one * N * (2 * N - 1),
        "row": one * (2 * N - 1),
    }


RIGHT = answer()


MATRIX = HEADS * BYTES * N * N / 1e6


OFF_BY = {
    1 / HEADS: "{} is for one head. There are 16.",
    2: "{} counts 4 bytes per number. Half precision has 2.",
    1 / 2: "{} counts one byte per number. Half precision has 2.",
    1e6 / 2**20: "{} is divided by 2²⁰, which gives MiB. A megabyte is 10⁶ bytes.",
    1 / 1000: "{} is in gigabytes. Give megabytes.",
    1e6: "{} is in bytes. Give megabytes, which are 10⁶ bytes.",
    1000: "{} is in kilobytes. Give megabytes.",
    24: "{} is for all 24 layers. Only one layer is asked for.",
}


MORE = 2 * N / (2 * N - 1)  # 2n offsets instead of 2n − 1


TWO_N = "You count 2n offsets for the {}. From −(n − 1) to n − 1 there are 2n − 1."


ROUNDED = "You rounded the {}. Give five decimals, because only the later ones tell 2n − 1 offsets from 2n."


WRONG = {
    "row": {
        RIGHT["row"] * MORE: TWO_N.format("row"),
        MATRIX: "This is the n × n matrix. The row has one number per *offset*.",
    },
    "cube": {
        RIGHT["cube"] * (2 * N - 1) / N: "You count a vector per pair and per offset. The cube has one vector for each "
        "of the n² pairs, because a pair has one offset.",
        RIGHT["cube"] / D: "You count one number per pair. The cube has a vector of 64 numbers per pair.",
    },
    "table": {
        RIGHT["table"] * MORE: TWO_N.format("table"),
        RIGHT["table"] * MORE / 2: "You count n offsets for the table. Full attention has 2n − 1.",
        RIGHT["row"]: "You count one number per offset, which is the row. The table has a vector of 64.",
    },
    "products": {
        RIGHT["products"] * MORE: TWO_N.format("products"),
        MATRIX: "You count n columns for the products, which is the causal case. Full attention multiplies each query "
        "with 2n − 1 vectors.",
        RIGHT["products"] * D: "You count 64 numbers per product. A query times a vector is one number, because the 64 "
        "are summed.",
    },
}


for name, megabytes in RIGHT.items():
    WRONG[name] |= {round(megabytes, places): ROUNDED.format(name) for places in range(4)}
    WRONG[name][int(megabytes)] = ROUNDED.format(name)


WRONG["row"] |= {0.2: ROUNDED.format("row"), 0.016: "Your row is for one head. There are 16."}


WRONG["products"][round(RIGHT["products"] * MORE, 2)] = TWO_N.format("products")


ANSWER = answer()


DIGITS = 5


WRONG = [
    *(({key: n * times for key, n in RIGHT.items()}, text.format("This")) for times, text in OFF_BY.items()),
    (
        {"table": RIGHT["products"], "products": RIGHT["table"]},
        "You exchanged the table and the products. The table knows no queries, but each product belongs to one.",
    ),
    *(({key: value}, message) for key, messages in WRONG.items() for value, message in messages.items()),
    *(
        ({key: n * times}, text.format(f"Your number for the {key}"))
        for times, text in OFF_BY.items()
        for key, n in RIGHT.items()
        if all(abs(n * times - value) > 2e-5 for value in WRONG[key])  # they could not be told apart
    ),
]


HINTS = [
    "Each of the four is heads × numbers per head × bytes. How many numbers per head does each have?",
    "There are n² pairs and 2n − 1 offsets. A vector has d numbers, a product is one number.",
    "The cube takes 16 · 4096 · 4096 · 64 · 2 bytes, divided by 10⁶.",
]
