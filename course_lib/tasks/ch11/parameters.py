"""How many numbers each scheme learns in a whole decoder."""

from itertools import combinations

from ..engine import Case, Mistake, Task

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

    from ... import comparison

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


def _exchanged(names, a, b):
    """The names, in which those at a and b have changed places."""
    names = list(names)
    names[a], names[b] = names[b], names[a]
    return names


def _in_other_order(order):
    """A wrong function, to which the arguments come in another order."""
    return lambda *sizes: _short(**dict(zip(order, sizes)))


ARGUMENTS = ("layers", "D", "H", "n", "k", "B")


def _short(layers, D, H, n, k, B):
    """H heads of d channels are D channels."""
    return n * D, B * H, 2 * layers * (2 * k + 1) * D, layers * n * D, layers * D * (D + 2)


learned_numbers = Task(
    title="What a whole decoder learns for position",
    minutes=10,
    difficulty=1,
    words="""A decoder has `layers` layers with H heads each, and D channels in all, so that one head has D / H. How many numbers
does it learn for **position**, in the whole model? Five schemes, each as the course builds it by default, in this order:

- `learned`: a vector per position, added to the input, for n positions;
- `t5`: a number per bucket and head, for B buckets;
- `shaw`: clipped at k, with a table for keys and one for values; every head has tables of its own. A table has rows for
  −k … k always, also those a decoder never reads and those beyond n;
- `music`: Music Transformer, for the offsets −(n − 1) … 0 without clipping, keys alone; every head has a table of its own;
- `xl`: Transformer-XL, u and v of every head, and the map W_r from D channels to D.

Two of the five are there once, however many layers there are; the others are in every layer. For sinusoids, a log decay,
ALiBi and RoPE there is nothing to count. Write the five formulas down before you type them: the check counts the
parameters of the real modules, up to the sizes of a GPT-2.""",
    solution=_learned_numbers,
    expected=_counted,
    returns=tuple(SCHEMES),
    cases=[
        Case(2, 64, 4, 64, 16, 32, says="the study's model"),
        Case(1, 32, 2, 20, 3, 8, says="one layer"),
        Case(3, 24, 1, 50, 7, 16, says="a single head"),
        Case(12, 768, 12, 1024, 16, 32, says="GPT-2's sizes"),
        Case(6, 512, 8, 512, 1, 64, says="clip 1, 64 buckets"),
        Case(2, 24, 2, 16, 20, 8, says="a clip beyond the longest text"),
    ],
    draw=lambda rng: (
        int(rng.integers(2, 6)),
        2 * int(rng.integers(3, 9)) * (heads := int(rng.integers(2, 6))),
        heads,
        int(rng.integers(16, 60)),
        int(rng.integers(1, 12)),
        (8, 16, 32)[rng.integers(3)],
    ),
    then="At GPT-2's sizes: learned 786,432; t5 384; shaw 608,256; music 9,437,184; xl 7,096,320. Only `learned` and `music` grow with n.",
    mistakes=[
        Mistake(
            "B * H",
            "layers * B * H",
            "t5: this is a table for each layer, which umT5 has. T5 has one for the whole stack.",
        ),
        Mistake("B * H", "B", "t5: a number per bucket *and head*."),
        Mistake(
            "B * H",
            "B * D",
            "t5: a bucket of a head holds one number, not a vector of d channels: the table has H columns.",
        ),
        Mistake("B * H", "B * d", "t5: a number for each *head*, whose channels do not matter to a bias."),
        Mistake("B * H", "layers * B", "t5: one table for the whole stack, and in it a number per bucket *and head*."),
        Mistake("B * H", "(2 * n - 1) * H", "t5: a row per *bucket*, not per offset: B of them."),
        Mistake(
            "B * H", "n**2 * H", "t5: this is the bias, n × n for each head. What is learned is the table, B rows."
        ),
        Mistake("B * H", "n * H", "t5: there are B rows, one for each bucket, however long the text is."),
        Mistake("B * H", "2 * B * H", "t5: B buckets are all there are, and a decoder uses them all for the past."),
        Mistake("B * H", "B * H // 2", "t5: a decoder uses all B buckets for the past; it has no half for the future."),
        Mistake("H * 2 * (2", "H * (2", "shaw: one table too few. There is one for keys and one for values."),
        Mistake(
            "layers * H * 2",
            "H",
            "shaw: two factors are missing. There is a table for keys and one for values, and each layer has its own.",
        ),
        Mistake(
            "layers * H * 2 * (2 * k + 1) * d",
            "layers * 2 * 2 * k + 1 * D",
            "shaw: `2 * k + 1` needs parentheses: without them only the 1 is multiplied by what follows.",
        ),
        Mistake(
            "2 * k + 1", "min(2 * k + 1, 2 * n - 1)", "shaw: the table has its 2k + 1 rows however short the text is."
        ),
        Mistake("2 * k + 1", "2 * min(k, n) + 1", "shaw: 2k + 1 rows, also where k is larger than n."),
        Mistake("H * 2 * (2", "2 * (2", "shaw: every head has tables of its own here."),
        Mistake(
            "layers * H * 2",
            "layers",
            "shaw: two factors are missing. There is a table for keys and one for values, and every head has its own.",
        ),
        Mistake(
            "layers * H * 2", "2", "shaw: these are the tables of one head. There are H heads in each of the layers."
        ),
        Mistake("layers * H * 2", "H * 2", "shaw: this is one layer. Each layer has tables of its own."),
        Mistake("2 * k + 1", "2 * k", "shaw: offset 0 has a vector too: from −k to k there are 2k + 1 rows, not 2k."),
        Mistake(
            "2 * k + 1",
            "k + 1",
            "shaw: a table has rows for −k … k. Those ahead are there too, though a decoder has no use for them.",
        ),
        Mistake("2 * k + 1", "k", "shaw: offsets from −k to k are 2k + 1, those ahead included."),
        Mistake("2 * k + 1", "2 * k - 1", "shaw: offsets from −k to k are 2k + 1: k on each side, and 0."),
        Mistake("2 * k + 1", "2 * n - 1", "shaw: these are all offsets of n tokens. Past ±k they share: 2k + 1 rows."),
        Mistake("2 * k + 1", "n", "shaw: the table does not grow with the text: 2k + 1 rows."),
        Mistake("(2 * k + 1) * d", "(2 * k + 1) * D", "shaw: a row has d = D / H channels, one head's. H · d is D."),
        Mistake("(2 * k + 1) * d", "(2 * k + 1)", "shaw: a row is a vector of d channels, not a number."),
        Mistake("layers * H * n", "H * n", "music: this is one layer. Each layer has a table of its own."),
        Mistake("layers * H * n", "layers * n", "music: every head has a table of its own here."),
        Mistake(
            "layers * H * n", "n", "music: this is the table of one head. There are H heads in each of the layers."
        ),
        Mistake("H * n * d", "H * (2 * n - 1) * d", "music: offsets ahead have no vector in a decoder: n rows."),
        Mistake("H * n * d", "H * (n - 1) * d", "music: offset 0 has a row too: from −(n − 1) to 0 there are n."),
        Mistake("H * n * d", "H * (n + 1) * d", "music: from −(n − 1) to 0 there are n rows, not n + 1."),
        Mistake("H * n * d", "H * n * d * 2", "music: one table only: nothing is added to the values."),
        Mistake("H * n * d", "H * n * D", "music: a row has d = D / H channels, one head's. H · d is D."),
        Mistake("H * n * d", "H * n", "music: a row is a vector of d channels, not a number."),
        Mistake("H * n * d", "H * (2 * k + 1) * d", "music: nothing is clipped here: a row for each of n offsets."),
        Mistake(
            "H * n * d", "H * (k + 1) * d", "music: nothing is clipped here: k has no say in the number of its rows."
        ),
        Mistake(
            "H * n * d",
            "(2 * n - 1) * d",
            "music: two slips. Offsets ahead have no vector in a decoder, and every head has a table of its own.",
        ),
        Mistake("H * n * d", "H * n**2 * d", "music: a row per *offset*, not per pair: n of them."),
        Mistake(
            "layers * (D**2 + 2 * H * d)", "D**2 + 2 * H * d", "xl: this is one layer. Each has its own u, v, W_r."
        ),
        Mistake(
            "layers * (D**2 + 2 * H * d)",
            "layers * D**2 + 2 * H * d",
            "xl: here each layer has its own u and v. (The authors' TensorFlow code shares them unless `untie_r` is set.)",
        ),
        Mistake(
            "layers * (D**2 + 2 * H * d)",
            "D**2 + layers * 2 * H * d",
            "xl: each layer has its own u and v, and its own map W_r as well.",
        ),
        Mistake(
            "layers * (D**2 + 2 * H * d)",
            "D**2",
            "xl: this is one map W_r alone. Each layer has one, and u and v as well.",
        ),
        Mistake("D**2", "H * D**2", "xl: one map W_r serves all heads of a layer: its D outputs are H times d."),
        Mistake("2 * H * d", "2 * n", "xl: u and v do not grow with the text: d numbers for each head."),
        Mistake(" + 2 * H * d", "", "xl: u and v are missing, two vectors of d numbers for each head."),
        Mistake("2 * H * d", "H * d", "xl: u and v are two: each has d numbers for each head."),
        Mistake("2 * H * d", "2 * d", "xl: every head has its own u and v: H · d numbers each, which is D."),
        Mistake("2 * H * d", "2 * H", "xl: u and v are vectors: d numbers for each head."),
        Mistake("2 * H * d", "2 * H * D", "xl: u and v have d = D / H numbers for each head, D in all."),
        Mistake("D**2 + 2 * H * d", "2 * H * d", "xl: the map W_r is missing, D × D numbers."),
        Mistake("D**2", "d**2", "xl: W_r maps all D channels of a distance to those of all heads: D × D."),
        Mistake("D**2", "D * d", "xl: W_r maps D channels to each head's d: D × d for one head, and D × D in all."),
        Mistake("D**2", "n * D", "xl: the sinusoids are computed, not learned. What is learned is the map, D × D."),
        Mistake("D**2", "D**2 + n * D", "xl: the sinusoids are computed, not learned: they do not count."),
        Mistake(
            "D**2", "2 * D**2", "xl: one map W_r. The one for keys is there in every attention and does not count."
        ),
        Mistake(
            "D**2 + 2",
            "D**2 + D + 2",
            "xl: D too many. There are two vectors, u and v, and W_r is a plain map, without a bias.",
        ),
        Mistake("n * D\n", "layers * n * D\n", "learned: it is added once, before the first layer, not in each."),
        Mistake("n * D\n", "(n + 1) * D\n", "learned: positions 0 … n − 1 are n of them."),
        Mistake("n * D\n", "n\n", "learned: a position has a vector of D channels, not a number."),
        Mistake("n * D\n", "n * d\n", "learned: it is added to the input, where there are no heads yet: D channels."),
        Mistake(
            "n * D\n",
            "n * H\n",
            "learned: a position has one vector of D channels. There are no heads yet where it is added.",
        ),
        Mistake("n * D\n", "n * D * H\n", "learned: D is all heads together already."),
        Mistake("n * D\n", "n**2\n", "learned: a vector per position, and none per pair."),
        Mistake(
            "n * D\n", "(2 * n - 1) * D\n", "learned: a vector per *position*, and there are n: offsets do not count."
        ),
        *(
            Mistake(
                ", ".join(SCHEMES),
                ", ".join(_exchanged(SCHEMES, a, b)),
                f"The right numbers in another order: `{list(SCHEMES)[a]}` and `{list(SCHEMES)[b]}` have changed places.",
            )
            for a, b in combinations(range(len(SCHEMES)), 2)
        ),
        Mistake(
            ", ".join(SCHEMES),
            ", ".join(reversed(SCHEMES)),
            "The right numbers, from the last to the first: `learned` comes first.",
        ),
        *(
            Mistake(
                _in_other_order(_exchanged(ARGUMENTS, a, a + 1)),
                f"Right if `{ARGUMENTS[a]}` and `{ARGUMENTS[a + 1]}` changed places: the arguments come as {', '.join(ARGUMENTS)}.",
            )
            for a in range(len(ARGUMENTS) - 1)
        ),
        Mistake(
            lambda *sizes: [4 * count for count in _short(*sizes)],
            "All of them are four times too many: these are bytes, of numbers with four bytes each. How many numbers are there?",
        ),
    ],
    alternatives=[_by_hand, _short],
    hints=[
        "Three questions for each: how many rows, how many numbers in a row, how many such tables? What is added to the input is there once, and T5's layers all read one table.",
        "Rows: n positions, B buckets, 2k + 1 offsets, n offsets. A row of a head has d = D / H numbers, one of T5's table H.",
        "H heads with d channels each are D channels: Shaw's is layers · 2 · (2k + 1) · D, Transformer-XL's layers · (D² + 2D).",
    ],
)
