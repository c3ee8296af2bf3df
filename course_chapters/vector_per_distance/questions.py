"""Questions about Shaw's vectors."""

from course_chapters.form import question


@question(
    "Shaw's scheme in one layer: 4 heads with tables of their own, for keys and for values, clip 8, 16 channels each. "
    "How many numbers are learned?",
    {
        "1,088": "That is the key side alone. The value table is as large.",
        "2,048": "That counts 16 offsets per table, without that of the token itself.",
        "544": "One head's share. Here no head shares with another.",
        "2,176": "Yes: {rows} rows for keys and {rows} for values, 16 numbers each, 4 heads. The length of the text "
        "does not enter.",
    },
)
def shaw_parameters():
    from course_lib.nn.shaw import ShawVectors

    tables = list(ShawVectors(4, 16, clip=8).parameters())
    return f"{sum(table.numel() for table in tables):,}", dict(rows=tables[0].shape[1])
