"""What a whole decoder learns for position."""

from itertools import combinations, pairwise

from course_lib.checking import Case, CodingTask

SCHEMES = {  # the part of the result: the name in the comparison
    "learned": "learned",
    "t5": "T5 buckets",
    "shaw": "Shaw",
    "music": "Music Transformer",
    "xl": "Transformer-XL",
}


def _learned_numbers(layers, D, H, n, k, B):
    """How many numbers a whole decoder learns for position: learned, t5, shaw, music, xl.

    It has `layers` layers of H heads; D is the width of the model, all heads together.
    n: the longest text; k: Shaw's clip; B: T5's buckets.
    """
    d = D // H
    learned = n * D
    t5 = B * H
    shaw = layers * H * 2 * (2 * k + 1) * d
    music = layers * H * n * d
    xl = layers * (D**2 + 2 * H * d)
    return learned, t5, shaw, music, xl


def _counted(layers, D, H, n, k, B):
    """The parameters of the course's modules, one module for each layer where layers do not share it."""
    import torch  # when a check needs it

    from .. import comparison

    sizes = comparison.Sizes(d_model=D, n_heads=H, n=n, clip=k, num_buckets=B)
    counts = []
    with torch.device("meta"):  # shapes without numbers in them: a large model costs nothing
        for name in SCHEMES.values():
            scheme = comparison.SCHEMES[name]
            modules = [scheme.make(sizes) for _ in range(1 if scheme.shared else layers)]
            counts.append(sum(p.numel() for module in modules for p in module.parameters()))
    return tuple(counts)


def _by_hand(layers, D, H, n, k, B):
    """Table by table, vector by vector."""
    shaw = music = xl = 0
    for _ in range(layers):
        for _ in range(H):
            shaw += (k + 1 + k) * D // H  # keys
            shaw += (k + 1 + k) * D // H  # values
            music += n * D // H
        xl += D * D + D + D
    return [n * D, B * H, shaw, music, xl]


def _short(layers, D, H, n, k, B):
    """H heads of d channels are D channels."""
    return n * D, B * H, 2 * layers * (2 * k + 1) * D, layers * n * D, layers * D * (D + 2)


learned_numbers = CodingTask(
    title="What a whole decoder learns for position",
    minutes=10,
    difficulty=1,
    words="""A decoder has `layers` layers with H heads each, and D channels in all, so that one head has D / H. How
many numbers does it learn for **position**, in the whole model? Five schemes, each as the course builds it by default,
in this order:

- `learned`: a vector per position, added to the input, for n positions;
- `t5`: a number per bucket and head, for B buckets;
- `shaw`: clipped at k, with a table for keys and one for values; every head has its own tables. A table always has
  rows for −k … k, also those that a decoder never reads and those beyond n;
- `music`: Music Transformer, for the offsets −(n − 1) … 0 without clipping, for keys only; every head has its own
table; - `xl`: Transformer-XL, u and v of every head, and the map W_r from D channels to D.

Two of the five occur once, however many layers there are. The others are in every layer. For sinusoids, a log decay,
ALiBi and RoPE there is nothing to count. Write the five formulas down before you type them. The check counts the
parameters of the real modules, up to the sizes of a GPT-2.""",
    solution=_learned_numbers,
    expected=_counted,
    returns=tuple(SCHEMES),
    cases=[
        Case(2, 64, 4, 64, 16, 32, label="the study's model"),
        Case(1, 32, 2, 20, 3, 8, label="one layer"),
        Case(3, 24, 1, 50, 7, 16, label="a single head"),
        Case(12, 768, 12, 1024, 16, 32, label="GPT-2's sizes"),
        Case(6, 512, 8, 512, 1, 64, label="clip 1, 64 buckets"),
        Case(2, 24, 2, 16, 20, 8, label="a clip beyond the longest text"),
    ],
    draw=lambda rng: (
        int(rng.integers(2, 6)),
        2 * int(rng.integers(3, 9)) * (heads := int(rng.integers(2, 6))),
        heads,
        int(rng.integers(16, 60)),
        int(rng.integers(1, 12)),
        (8, 16, 32)[rng.integers(3)],
    ),
    on_pass="At GPT-2's sizes: learned 786,432; t5 384; shaw 608,256; music 9,437,184; xl 7,096,320. Only `learned` "
    "and `music` grow with n.",
    pieces="""
D // H
    the width of a head: It is d = D / H channels.
2 * k
    the rows for offsets other than 0 in `shaw`: There are k on each side, 2k in all.
layers * H * 2
    the number of tables in `shaw`: Every head of every layer has two, one for keys and one for values.
layers * H * n
    the number of rows in `music`: Every head of every layer has n.
2 * H
    the number of vectors in `xl`: Every head of every layer has u and v.
n * D
    `learned`: There are n positions, and each has a vector of D channels.
B * H
    `t5`: There is one table, with B rows and a number per head in each.
2 * k + 1
    the number of rows in `shaw`: From −k to k there are 2k + 1 offsets.
layers * H * 2 * (2 * k + 1) * d
    `shaw`: Every head of every layer has two tables, each with 2k + 1 rows of d channels.
layers * H * n * d
    `music`: Every head of every layer has one table, with n rows of d channels.
D**2
    the map W_r in `xl`: It has D × D numbers in each layer.
2 * H * d
    the part for u and v in `xl`: They are two vectors of d numbers for each head.
layers * (D**2 + 2 * H * d)
    `xl`: Every layer has its own u, v and W_r.
""",
    slips="""
B * H → layers * B * H
    t5: this is a table for each layer, which umT5 has. T5 has one for the whole stack.
B * H → B
    t5: there is a number per bucket *and head*.
B * H → B * D
    t5: a bucket of a head holds one number, not a vector of d channels, so the table has H columns.
B * H → B * d
    t5: there is one number for each *head*. Its channels do not matter to a bias.
B * H → layers * B
    t5: there is one table for the whole stack, with a number per bucket *and head*.
B * H → (2 * n - 1) * H
    t5: there is a row per *bucket*, not per offset, so B of them.
B * H → n**2 * H
    t5: this counts the bias, n × n for each head. What is learned is the table, with B rows.
B * H → n * H
    t5: there are B rows, one for each bucket, however long the text is.
B * H → 2 * B * H
    t5: there are B buckets in all, and a decoder uses them all for the past.
B * H → B * H // 2
    t5: a decoder uses all B buckets for the past, and none for the future.
H * 2 * (2 → H * (2
    shaw: you have one table too few. There is one for keys and one for values.
layers * H * 2 → H
    shaw: two factors are missing. There is a table for keys and one for values, and each layer has its own.
layers * H * 2 * (2 * k + 1) * d → layers * 2 * 2 * k + 1 * D
    shaw: `2 * k + 1` needs parentheses. Without them only the 1 is multiplied by what follows.
2 * k + 1 → min(2 * k + 1, 2 * n - 1)
    shaw: the table has its 2k + 1 rows however short the text is.
2 * k + 1 → 2 * min(k, n) + 1
    shaw: the table has 2k + 1 rows, even if k is larger than n.
H * 2 * (2 → 2 * (2
    shaw: every head has its own tables here.
layers * H * 2 → layers
    shaw: two factors are missing. There is a table for keys and one for values, and every head has its own.
layers * H * 2 → 2
    shaw: these are the tables of one head. There are H heads in each of the layers.
layers * H * 2 → H * 2
    shaw: this is one layer. Each layer has its own tables.
2 * k + 1 → 2 * k
    shaw: offset 0 has a vector too, so from −k to k there are 2k + 1 rows, not 2k.
2 * k + 1 → k + 1
    shaw: a table has rows for −k … k. It has those for offsets ahead too, although a decoder does not use them.
2 * k + 1 → k
    shaw: from −k to k there are 2k + 1 offsets, including those ahead.
2 * k + 1 → 2 * k - 1
    shaw: from −k to k there are 2k + 1 offsets: k on each side, and 0.
2 * k + 1 → 2 * n - 1
    shaw: these are all offsets of n tokens. Those beyond ±k share rows, so there are 2k + 1.
2 * k + 1 → n
    shaw: the table does not grow with the text. It has 2k + 1 rows.
(2 * k + 1) * d → (2 * k + 1) * D
    shaw: a row has the d = D / H channels of one head, and H · d is D.
(2 * k + 1) * d → (2 * k + 1)
    shaw: a row is a vector of d channels, not a number.
layers * H * n → H * n
    music: this is one layer. Each layer has its own table.
layers * H * n → layers * n
    music: every head has its own table here.
layers * H * n → n
    music: this is the table of one head. There are H heads in each of the layers.
H * n * d → H * (2 * n - 1) * d
    music: offsets ahead have no vector in a decoder, so there are n rows.
H * n * d → H * (n - 1) * d
    music: offset 0 has a row too, so from −(n − 1) to 0 there are n.
H * n * d → H * (n + 1) * d
    music: from −(n − 1) to 0 there are n rows, not n + 1.
H * n * d → H * n * d * 2
    music: there is one table only, because nothing is added to the values.
H * n * d → H * n * D
    music: a row has the d = D / H channels of one head, and H · d is D.
H * n * d → H * n
    music: a row is a vector of d channels, not a number.
H * n * d → H * (2 * k + 1) * d
    music: nothing is clipped here, so there is a row for each of n offsets.
H * n * d → H * (k + 1) * d
    music: nothing is clipped here, so the number of rows does not depend on k.
H * n * d → (2 * n - 1) * d
    music: there are two mistakes. Offsets ahead have no vector in a decoder, and every head has its own table.
H * n * d → H * n**2 * d
    music: there is a row per *offset*, not per pair, so n of them.
layers * (D**2 + 2 * H * d) → D**2 + 2 * H * d
    xl: this is one layer. Each layer has its own u, v and W_r.
layers * (D**2 + 2 * H * d) → layers * D**2 + 2 * H * d
    xl: here each layer has its own u and v. (The authors' TensorFlow code shares them unless `untie_r` is set.)
layers * (D**2 + 2 * H * d) → D**2 + layers * 2 * H * d
    xl: each layer has its own u and v, and its own map W_r as well.
layers * (D**2 + 2 * H * d) → D**2
    xl: this is a single map W_r. Each layer has its own, and u and v as well.
D**2 → H * D**2
    xl: one map W_r serves all heads of a layer, because its D outputs are H times d.
2 * H * d → 2 * n
    xl: u and v do not grow with the text. They have d numbers for each head.
+ 2 * H * d →
    xl: u and v are missing. They are two vectors of d numbers for each head.
2 * H * d → H * d
    xl: u and v are two vectors, and each has d numbers for each head.
2 * H * d → 2 * d
    xl: every head has its own u and v, so each has H · d numbers, which is D.
2 * H * d → 2 * H
    xl: u and v are vectors, with d numbers for each head.
2 * H * d → 2 * H * D
    xl: u and v have d = D / H numbers for each head, D in all.
D**2 + 2 * H * d → 2 * H * d
    xl: the map W_r is missing. It has D × D numbers.
D**2 → d**2
    xl: W_r maps all D channels of a distance to those of all heads, so it has D × D numbers.
D**2 → D * d
    xl: W_r maps D channels to each head's d, so it has D × d numbers for one head and D × D in all.
D**2 → n * D
    xl: the sinusoids are computed, not learned. What is learned is the map, with D × D numbers.
D**2 → D**2 + n * D
    xl: the sinusoids are computed, not learned, so they do not count.
D**2 → 2 * D**2
    xl: there is one map W_r. The map for keys is part of every attention and does not count.
D**2 + 2 → D**2 + D + 2
    xl: you count D numbers too many. There are two vectors, u and v, and W_r is a plain map without a bias.
n * D → layers * n * D
    learned: the vectors are added once, before the first layer, not in each.
n * D → (n + 1) * D
    learned: there are n positions, 0 … n − 1.
n * D → n
    learned: a position has a vector of D channels, not a number.
n * D → n * d
    learned: the vectors are added to the input, where there are no heads yet, so they have D channels.
n * D → n * H
    learned: a position has one vector of D channels. It is added to the input, where there are no heads yet.
n * D → n * D * H
    learned: D already counts all heads together.
n * D → n**2
    learned: there is a vector per position, not per pair.
n * D → (2 * n - 1) * D
    learned: there is a vector per *position*, so n of them, and not one per offset.
""",
    alternatives=[_by_hand, _short],
    hints=[
        "Three questions for each: how many rows, how many numbers in a row, how many such tables? What is added to "
        "the input occurs once, and T5's layers all read one table.",
        "The rows are n positions, B buckets, 2k + 1 offsets, n offsets. A row of a head has d = D / H numbers, and "
        "a row of T5's table has H.",
        "H heads with d channels each are D channels, so Shaw's is layers · 2 · (2k + 1) · D, Transformer-XL's "
        "layers · (D² + 2D).",
    ],
)


def _exchanged(names, a, b):
    """The names with those at a and b exchanged."""
    names = list(names)
    names[a], names[b] = names[b], names[a]
    return names


def _in_other_order(order):
    """The right function with its arguments in another order."""
    return lambda *sizes: _short(**dict(zip(order, sizes)))


def _reordered(names):
    """The solution with its five results in another order."""
    return learned_numbers.source.variant([(", ".join(SCHEMES), ", ".join(names))])


ARGUMENTS = ("layers", "D", "H", "n", "k", "B")
ORDER = ", ".join(ARGUMENTS)

for one, other in combinations(SCHEMES, 2):
    names = _exchanged(SCHEMES, list(SCHEMES).index(one), list(SCHEMES).index(other))
    learned_numbers.wrong(f"Your numbers are right, but `{one}` and `{other}` have changed places.")(_reordered(names))

for k, (one, other) in enumerate(pairwise(ARGUMENTS)):
    learned_numbers.wrong(f"You exchanged `{one}` and `{other}`. The order of the arguments is {ORDER}.")(
        _in_other_order(_exchanged(ARGUMENTS, k, k + 1))
    )

learned_numbers.wrong("Your numbers are right, but in reverse order. `learned` comes first.")(
    _reordered([*SCHEMES][::-1])
)


@learned_numbers.wrong("You count bytes, four for each number. The task asks how many numbers there are.")
def _bytes(*sizes):
    return [4 * count for count in _short(*sizes)]
