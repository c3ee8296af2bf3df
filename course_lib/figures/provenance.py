"""Where every cell of a skew comes from: the numbers stay where they are in memory, and only the cuts move."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..display.formatting import check_choice, check_whole, escape
from ..display.picture import Picture
from ..example import TOKENS
from .skew_steps import (
    HINT,
    JUNK,
    NO_JUNK,
    SAYS,
    SHORT,
    STAGES,
    Cuts,
    facts,
    key_name,
    label,
    needed,
    offset_name,
    query_name,
    signed,
)

# One light colour per query, in turn; neighbours differ in brightness too, and black reads on each of them.
QUERIES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#e3c3ee", "#f4ee9d", "#8fd3d1", "#f7c0b4", "#d3d7dd"]
TABLE = 'style="color:#000000;text-align:center"'
ROW = "style=background-color:#ffffff"
TITLES = {
    "skew": "Huang’s skew: where every cell comes from",
    "general": "The general skew: every offset, no junk",
    "shift": "Transformer-XL’s relative shift: where every cell comes from",
}
# Argument: (usual value, least, most, name of its slider). `longest` 0 stands for just enough.
RANGES: dict[str, dict[str, tuple[int, int, int, str]]] = {
    "skew": {"n": (5, 1, 8, "tokens n")},
    "general": {
        "n_q": (3, 1, 6, "queries n_q"),
        "n_k": (5, 1, 8, "keys n_k"),
        "past": (2, 0, 6, "past"),
        "longest": (0, 1, 12, "table length"),
    },
    "shift": {"n": (3, 1, 6, "queries n"), "memory": (2, 0, 6, "memory")},
}


class Provenance(Picture):
    """A picture that also knows how many cells of its grid are `junk`."""

    junk: int = 0


def provenance(
    how: str = "skew",
    *,
    n: int | None = None,
    n_q: int | None = None,
    n_k: int | None = None,
    past: int | None = None,
    longest: int | None = None,
    memory: int | None = None,
    tokens: Sequence[str] | None = None,
    title: str | None = None,
) -> Provenance:
    """Where every cell of a skew comes from, step by step, with sliders; point at a cell to find it in every step.

    how="skew", n: Huang's causal skew, `reference.music_transformer.skew_causal`.
    how="general", n_q, n_k, past, longest: `slice_table` and `skew`, from the same file. The table holds the offsets
    −(longest − 1) … longest − 1, just enough by default; when it is too short the picture says what is missing.
    how="shift", n, memory: `reference.transformer_xl.relative_shift` for n queries behind `memory` keys.
    `tokens` name the first positions (the five tokens; in the general form q0, q1 … and k0, k1 … unless given).
    `.junk` is the number of cells of the grid that hold a zero or a number of another query.
    Raises ValueError for a size out of range or one that belongs to another `how`.
    Sources: Huang et al. 2019, section 3.4.1; Dai et al. 2019, appendix B.
    """
    how = check_choice("how", how, RANGES)
    given = {"n": n, "n_q": n_q, "n_k": n_k, "past": past, "longest": longest, "memory": memory}
    sizes = {name: usual for name, (usual, *_) in RANGES[how].items()}
    for name, value in given.items():
        if value is None:
            continue
        if name not in sizes:
            raise ValueError(f"{name}={value!r}: expected only {', '.join(sizes)} for how={how!r}")
        sizes[name] = check_whole(name, value, *RANGES[how][name][1:3])
    if isinstance(tokens, str) or not isinstance(tokens, Iterable | None):
        raise ValueError(f"tokens={tokens!r}: expected a word for each of the first positions")
    words = [str(token) for token in (tokens if tokens is not None else () if how == "general" else TOKENS)]
    cuts = cuts_of(how, sizes)
    name = title or TITLES[how]
    data = {
        "how": how,
        "sizes": {
            key: [sizes[key], 0 if key == "longest" else least, most, text]
            for key, (_, least, most, text) in RANGES[how].items()
        },
        "tokens": words,
        "title": name,
        "colours": QUERIES,
        "stages": STAGES[how],
        "says": SAYS[how],
        "verdict": JUNK if cuts.front else NO_JUNK,
        "short": SHORT,
        "note": HINT,
    }
    longest = sizes.get("longest", 0) or needed(cuts)
    picture = Provenance(
        "provenance",
        _body(cuts, words, name, longest),
        alt=_alt(cuts, longest),
        title=name,
        styles=["controls", "provenance"],
        script="provenance.js",
        data=data,
    )
    picture.junk = cuts.junk
    return picture


def cuts_of(how: str, sizes: dict[str, int]) -> Cuts:
    if how == "general":
        return Cuts(how, sizes["n_q"], sizes["n_k"], sizes["past"])
    past = sizes.get("memory", 0)
    return Cuts(how, sizes["n"], past + sizes["n"], past)


# --- the static body: every step as a table ------------------------------------------------------------------------


def _body(cuts: Cuts, words: Sequence[str], title: str, longest: int) -> str:
    queries = [query_name(cuts, words, i) for i in range(cuts.n_q)]
    keys = [key_name(cuts, words, j) for j in range(cuts.n_k)]
    columns = [offset_name(cuts, c) for c in range(cuts.width)]
    padded = ["zero", *columns] if cuts.front else [*columns, "zero"]
    known = facts(cuts, longest)
    captions = [f"{k}. {text.format(**known)}" for k, text in enumerate(STAGES[cuts.how], 1)]
    line = cuts.width + 1
    name = partial(label, cuts, words)
    rows = [[i * line + c for c in range(line)] for i in range(cuts.n_q)]
    products = [row[cuts.front :][: cuts.width] for row in rows]
    recut: list[list[int | None]] = [
        [*range(cuts.skip + i * cuts.width, cuts.skip + (i + 1) * cuts.width)] for i in range(cuts.n_q)
    ]
    heads = [str(i) for i in range(cuts.n_q)]
    if cuts.skip:
        recut.insert(0, [None] * (cuts.width - cuts.skip) + [*range(cuts.skip)])
        heads.insert(0, "out")
    if not cuts.front:
        recut.append([cuts.size - 1] + [None] * (cuts.width - 1))
        heads.append("out")
    grid = [[cuts.place(i, j) for j in range(cuts.n_k)] for i in range(cuts.n_q)]

    def in_grid(place: int) -> str:
        i, j = divmod(place - cuts.skip, cuts.width)
        return ("✗ " if cuts.is_junk(i, j) else "") + name(place)

    kept = [str(c) if cuts.front or c < cuts.n_k else "out" for c in range(cuts.width)]
    parts = [f'<p style="margin:0 0 6px"><b>{escape(title)}</b></p>']
    if not cuts.front:
        parts.append(_table_of_offsets(cuts, longest, captions.pop(0)))
        if known["missing"]:
            return "".join(parts) + f'<p style="margin:6px 0 0"><b>✗ {escape(SHORT.format(**known))}</b></p>'
    parts += [
        _table(cuts, captions[0], queries, columns, products, name),
        _table(cuts, captions[1], queries, padded, rows, name),
        _table(cuts, captions[2], heads, kept, recut, name),
        _table(cuts, captions[3], queries, keys, grid, in_grid),
    ]
    return "".join(parts) + f'<p style="margin:6px 0 0">{escape((JUNK if cuts.front else NO_JUNK).format(**known))}</p>'


def _table(
    cuts: Cuts,
    caption: str,
    heads: Sequence[str],
    columns: Sequence[str],
    rows: Sequence[Sequence[int | None]],
    text: Callable[[int], str],
) -> str:
    top = "".join(f"<th scope=col>{escape(column)}</th>" for column in columns)
    lines = "".join(
        f"<tr {ROW}><th scope=row>{escape(head)}</th>{''.join(_cell(cuts, place, text) for place in row)}</tr>"
        for head, row in zip(heads, rows, strict=True)
    )
    return (
        f'<div style="display:inline-block;vertical-align:top;margin:0 20px 10px 0"><table {TABLE}>'
        f'<caption style="text-align:left">{escape(caption)}</caption>'
        f"<thead><tr {ROW}><td></td>{top}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _cell(cuts: Cuts, place: int | None, text: Callable[[int], str]) -> str:
    if place is None:
        return "<td></td>"
    found = cuts.source(place)
    colour = f" style=background-color:{QUERIES[found[0]]}" if found else ""
    return f"<td{colour}>{escape(text(place))}</td>"


def _table_of_offsets(cuts: Cuts, longest: int, caption: str) -> str:
    """The table of vectors: which of its rows are taken, which are not used, and which are missing."""
    first, last = cuts.offset(0), cuts.offset(cuts.width - 1)
    shown = range(min(first, 1 - longest), max(last, longest - 1) + 1)
    heads, rows, cells = [], [], []
    for offset in shown:
        taken, there = first <= offset <= last, abs(offset) < longest
        heads.append(f"<th scope=col>{signed(offset)}</th>")
        rows.append(f"<td>{offset + longest - 1 if there else ''}</td>")
        cells.append(f"<td>{('✓' if taken else '–') if there else '✗' if taken else ''}</td>")
    return (
        f'<div><table {TABLE}><caption style="text-align:left">{escape(caption)}</caption>'
        f"<thead><tr {ROW}><th scope=row>offset</th>{''.join(heads)}</tr></thead>"
        f"<tbody><tr {ROW}><th scope=row>row</th>{''.join(rows)}</tr>"
        f"<tr {ROW}><th scope=row>taken</th>{''.join(cells)}</tr></tbody></table></div>"
    )


def _alt(cuts: Cuts, longest: int) -> str:
    n_q, n_k, width = cuts.n_q, cuts.n_k, cuts.width
    if cuts.how == "general":
        if longest < needed(cuts):
            return f"A table of vectors that is too short: {SHORT.format(**facts(cuts, longest))}"
        return (
            f"The general skew of {n_q} queries and {n_k} keys, past {cuts.past}, in steps: {width} of "
            f"{2 * longest - 1} vectors taken, a column behind the products, the line of numbers cut every "
            f"{width} after {cuts.skip} skipped numbers, the first {n_k} of each row kept. Every cell holds its own "
            "query and offset: no junk."
        )
    kind = "Transformer-XL’s relative shift" if cuts.how == "shift" else "Huang’s causal skew"
    return (
        f"{kind} of {n_q} queries and {n_k} keys in four steps: a row per query, a column of zeros in front, the same "
        f"line of numbers cut every {n_k} instead of every {n_k + 1}, the first {n_q} left out. Up to the query every "
        f"cell holds its own query and offset; the {cuts.junk} cells after it are junk."
    )
