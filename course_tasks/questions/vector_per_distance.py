"""Questions about Shaw's vectors."""

from course_tasks.questions.form import claim, judged, question


@claim(
    "Shaw's tables are shared by all heads.",
    "In the paper's big model they are: {tables[big]} table of keys in a layer, with {vectors[big]} vectors. In its "
    "base model each head has its own: {tables[base]} tables with {vectors[base]} vectors. The paper says only that "
    "tables can be shared.",
    "Shaw et al. 2018, section 4.1: unique per layer and head in the base model, per layer in the big one",
)
def shaw_shares_over_heads():
    models = {"base": (8, 16, "head"), "big": (16, 8, "layer")}  # heads, k, a table for each
    tables = {name: heads if each == "head" else 1 for name, (heads, _, each) in models.items()}
    vectors = {name: tables[name] * (2 * k + 1) for name, (_, k, _) in models.items()}
    return judged(*(count == 1 for count in tables.values())), dict(tables=tables, vectors=vectors)


@question(
    "Shaw's scheme in one layer: 4 heads with tables of their own, for keys and for values, clip 8, 16 channels each. "
    "How many numbers are learned?",
    {
        "1,088": "That is the key side alone. The value table is as large.",
        "2,048": "That counts 16 offsets per table, without that of the token itself.",
        "544": "One head's share. Here no head shares with another.",
        "2,176": "Yes: {rows} rows for keys and {rows} for values, 16 numbers each, 4 heads. The length of the text does not enter.",
    },
)
def shaw_parameters():
    from course_lib.nn.shaw import ShawVectors

    tables = list(ShawVectors(4, 16, clip=8).parameters())
    return f"{sum(table.numel() for table in tables):,}", dict(rows=tables[0].shape[1])
