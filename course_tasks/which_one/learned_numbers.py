"""What a whole decoder learns for position."""

from itertools import combinations, pairwise

from course_lib.checking import Case, CodingTask

ARGUMENTS = "layers", "D", "H", "n", "k", "B"
COMPARED = dict(learned="learned", t5="T5 buckets", shaw="Shaw", music="Music Transformer", xl="Transformer-XL")


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
    """The parameters of the modules that `COMPARED` names, one for each layer if layers share none."""
    import torch  # when a check needs it

    from .. import comparison

    sizes = comparison.Sizes(d_model=D, n_heads=H, n=n, clip=k, num_buckets=B)
    schemes = [comparison.SCHEMES[name] for name in COMPARED.values()]
    with torch.device("meta"):  # shapes without numbers in them: a large model costs nothing
        counts = [sum(p.numel() for p in scheme.make(sizes).parameters()) for scheme in schemes]
    return tuple(count if scheme.shared else layers * count for scheme, count in zip(schemes, counts))


def _short(layers, D, H, n, k, B):
    """H heads of d channels are D channels."""
    return [n * D, B * H, 2 * layers * (2 * k + 1) * D, layers * n * D, layers * D * (D + 2)]


def _exchanged(what, pairs, names, code):
    """A slip for each pair of names: the code gets all names in order, but with these two exchanged."""
    words = f"Your formulas are right, but you exchanged the {what} `{{}}` and `{{}}`. The order is {', '.join(names)}."
    slips = ""
    for one, other in pairs:
        order = ", ".join({one: other, other: one}.get(name, name) for name in names)
        slips += f"{code.format(order)}\n    {words.format(one, other)}\n"
    return slips


learned_numbers = CodingTask(
    title="What a whole decoder learns for position",
    minutes=10,
    difficulty=1,
    words="""A decoder has `layers` layers with H heads each. The model is D channels wide, so each head has d = D / H
channels. How many numbers does the whole model learn for **position**? Give the answer for five schemes, each as the
course builds it by default, in this order:

- `learned`: a vector for each of n positions, added to the input;
- `t5`: a number for each of B buckets and each head;
- `shaw`: tables with a row for each offset −k … k, including those that a decoder never reads and those beyond n. Every
  head has its own tables, one for keys and one for values;
- `music`: Music Transformer, with a table for the offsets −(n − 1) … 0 without clipping, for keys only. Every head has
  its own table;
- `xl`: Transformer-XL, with u and v of every head, and the map W_r from D channels to D.

Two of the five occur once, however many layers there are. The others are in every layer. Sinusoids, a log decay, ALiBi
and RoPE learn nothing. Write the five formulas down before you type them. The check counts the parameters of the real
modules, up to the sizes of a GPT-2.""",
    solution=_learned_numbers,
    expected=_counted,
    returns=tuple(COMPARED),
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
        *map(int, rng.integers((16, 1), (60, 12))),
        (8, 16, 32)[rng.integers(3)],
    ),
    on_pass="At GPT-2's sizes: learned 786,432; t5 384; shaw 608,256; music 9,437,184; xl 7,096,320. Only `learned` "
    "and `music` grow with n.",
    pieces="""
D // H
    the width of a head: It is d = D / H channels.
2 * k
    the number of rows in `shaw` for offsets other than 0: There are k on each side, 2k in all.
layers * H * 2
    the number of tables in `shaw`: Every head of every layer has two, one for keys and one for values.
layers * H * n
    the number of rows in `music`: Every head of every layer has n.
2 * H
    the number of vectors in `xl`: Every head of every layer has u and v.
n * D
    `learned`: Each of n positions has a vector of D channels, which is added to the input, before there are heads.
B * H
    `t5`: The whole stack has one table, with a row for each of B *buckets* and a number for each head in it.
2 * k + 1
    the number of rows in `shaw`: From −k to k there are 2k + 1 offsets.
layers * H * 2 * (2 * k + 1) * d
    `shaw`: Every head of every layer has two tables, each with 2k + 1 rows of d channels.
layers * H * n * d
    `music`: Every head of every layer has one table, with n rows of d channels.
D**2
    the map W_r in `xl`: Each layer has one from D channels to D, with D × D numbers for all heads together.
2 * H * d
    the part for u and v in `xl`: They are two vectors of d numbers for each head.
layers * (D**2 + 2 * H * d)
    `xl`: Every layer has its own u, v and W_r.
layers
    the number of layers: In `shaw`, `music` and `xl` every layer has its own tables, or its own u, v and W_r.
H
    the number of heads: Every head has its own tables, its own u and v, and its own number in each row of T5's table.
d
    the width of a vector: In `shaw`, `music` and `xl` each vector has the d = D / H channels of one head.
n
    the number of rows: `learned` has one for each position 0 … n − 1, `music` for each offset −(n − 1) … 0.
""",
    slips="""
D // H → 1
    shaw, music and xl: you count vectors. Each of them has the d = D / H channels of one head.
n * D → n
or n * D → (2 * n - 1) * D
or n * D → n * D * H
or n * D → layers * n * D
    learned: each of n positions has one vector of D channels. It is added to the input, before layers and heads.
B * H → layers * B * H
    t5: you count a table for each layer, as in umT5. T5 has one for the whole stack.
B * H → (2 * n - 1) * H
or B * H → n**2 * H
    t5: the table has one row for each of B *buckets*, however long the text is.
B * H → 2 * B * H
or B * H → B * H // 2
    t5: there are B buckets in all, and a decoder uses all of them for the past.
H * 2 * (2 → H * (2
or layers * H * 2 → H
or layers * H * 2 → layers
or layers * H * 2 → 2
    shaw: you count too few tables. Every head of every layer has one for keys and one for values.
layers * H * 2 * (2 * k + 1) * d → layers * 2 * 2 * k + 1 * D
    shaw: `2 * k + 1` needs parentheses. Without them only the 1 is multiplied by what follows.
2 * k + 1 → 2 * k
or 2 * k + 1 → k + 1
or 2 * k + 1 → k
or 2 * k + 1 → min(2 * k + 1, 2 * n - 1)
or 2 * k + 1 → 2 * min(k, n) + 1
or 2 * k + 1 → 2 * n - 1
or 2 * k + 1 → n
    shaw: a table has a row for each offset from −k to k, including 0, so 2k + 1 rows, however long the text is.
layers * H * n → n
or H * n * d → (2 * n - 1) * d
    music: you count too few tables. Every head of every layer has its own, with n rows.
H * n * d → H * (2 * n - 1) * d
or H * n * d → H * (2 * k + 1) * d
or H * n * d → H * (k + 1) * d
    music: a table has one row for each offset from −(n − 1) to 0, so n rows, and nothing is clipped.
H * n * d → H * n * d * 2
    music: you count a second table. Nothing is added to the values.
layers * (D**2 + 2 * H * d) → D**2
or layers * (D**2 + 2 * H * d) → D**2 + layers * 2 * H * d
or layers * (D**2 + 2 * H * d) → layers * D**2 + 2 * H * d
    xl: each layer has its own u, v and W_r. (The authors' TensorFlow code shares u and v unless `untie_r` is set.)
2 * H * d → 2 * n
or 2 * H * d → H * d
    xl: u and v are two vectors with d numbers for each head, so 2 · H · d numbers.
D**2 → H * D**2
or D**2 → D * d
    xl: each layer has one map W_r from D channels to D, with D × D numbers for all heads together.
D**2 → n * D
or D**2 → D**2 + n * D
    xl: you count the sinusoids. They are computed, and what is learned is the map W_r with D × D numbers.
D**2 + 2 → D**2 + D + 2
    xl: you count D numbers too many. There are two vectors, u and v, and W_r is a plain map without a bias.
return learned, t5, shaw, music, xl → return xl, music, shaw, t5, learned
    Your numbers are right, but in reverse order. `learned` comes first.
return learned, t5, shaw, music, xl → return 4 * learned, 4 * t5, 4 * shaw, 4 * music, 4 * xl
    You count bytes, four for each number. The task asks how many numbers there are.
"""
    + _exchanged("results", combinations(COMPARED, 2), COMPARED, "return learned, t5, shaw, music, xl → return {}")
    + _exchanged("arguments", pairwise(ARGUMENTS), ARGUMENTS, "... → return _short({})"),
    alternatives=[_short],
    hints=[
        "Ask three questions about each scheme. How many rows has a table, how many numbers has a row, and how many "
        "tables are there? What is added to the input occurs once, and all layers of T5 read one table.",
        "There are rows for n positions, B buckets, 2k + 1 offsets, n offsets. A row of one head has d = D / H "
        "numbers, and a row of T5's table has H.",
        "H heads with d channels each are D channels. So Shaw's number is layers · 2 · (2k + 1) · D, and "
        "Transformer-XL's is layers · (D² + 2D).",
    ],
)
