"""Decoding with a cache, alive: of the whole grid one row is new, whatever the scheme."""

from collections.abc import Iterable, Sequence

from ..display.colours import signed_colour
from ..display.formatting import check_choice, check_whole, escape, number
from ..display.picture import TABLE, Picture
from ..example import TOKENS
from ..reference.alibi import slopes
from ..reference.bias import decay_row
from ..reference.t5 import bucket
from .heatmap import ROW, cell

LARGEST = 8
DONE = 'style="background-color:#f0f2f4;color:#57606a;text-align:right"'  # a row read at an earlier step
# What is computed at a step, and what the cache keeps of the tokens before it.
SAYS = {
    "log decay": ("nothing: the end of one row of numbers, made once", "keys and values"),
    "ALiBi": ("nothing: the end of one row of numbers per head, made once", "keys and values"),
    "T5 buckets": ("nothing: the end of one row of numbers per head, looked up once", "keys and values"),
    "Shaw": ("the products of the new query with the few vectors of the table", "keys and values, without position"),
    "Music Transformer": (
        "the products of the new query with one vector per offset",
        "keys and values, without position",
    ),
    "Transformer-XL": ("the products of the new query with r, one vector per distance", "keys and values"),
    "RoPE": ("the new query and the new key are turned, nothing else", "keys that are turned already, and values"),
}
SCHEMES = tuple(SAYS)


def decoding_step(
    scheme: str = "T5 buckets",
    step: int | None = None,
    tokens: Sequence[str] = TOKENS,
    *,
    clip: int = 2,
    title: str | None = None,
) -> Picture:
    """The grid of a decoder where `step` tokens came before (the last step by default): the rows read before, the one
    new row with what the scheme puts in for each key, and the rows to come. Alive: choose the scheme, move the step.

    `clip` is Shaw's. Raises ValueError for an unknown scheme, a step beyond the tokens, or not 2 to 8 tokens.
    """
    if isinstance(tokens, str) or not isinstance(tokens, Iterable) or not 2 <= len(list(tokens)) <= LARGEST:
        raise ValueError(f"tokens={tokens!r}: expected a list of 2 to {LARGEST} words")
    words, scheme = [str(token) for token in tokens], check_choice("scheme", scheme, SCHEMES)
    last = len(words) - 1
    step = last if step is None else check_whole("step", step, 0, last)
    clip = check_whole("clip", clip, 0, LARGEST)
    entries = {name: [entry(name, d, clip) for d in range(last + 1)] for name in SCHEMES}
    heading = title or "One new row"
    alt = (
        f"Decoding, past = {step}: query {words[step]} meets {step + 1} key{'s' if step else ''}, {step} of them from "
        f"the cache. {scheme} puts in {', '.join(new_row(scheme, step, clip))}. Rows above are done."
    )
    data = {"tokens": words, "scheme": scheme, "step": step, "entries": entries, "says": SAYS, "title": heading}
    body = _grid(scheme, step, words, clip, heading) + f"<p>{escape(sentence(scheme))}</p>" + _rows(step, words, clip)
    return Picture(
        "decoding", body, alt=alt, title=title, styles=["controls", "decoding"], script="decoding_step.js", data=data
    )


def entry(scheme: str, distance: int, clip: int = 2) -> str:
    """What the scheme puts in between the new query and the key `distance` tokens before it."""
    own = "0" if distance == 0 else number(-distance)
    return {
        "log decay": lambda: number(float(decay_row(-distance))),
        "ALiBi": lambda: number(float(-slopes(2)[0] * distance), 4),
        "T5 buckets": lambda: f"b[{bucket(-distance, bidirectional=False)}]",
        "Shaw": lambda: f"a[{number(-min(distance, clip))}]",
        "Music Transformer": lambda: f"e[{own}]",
        "Transformer-XL": lambda: f"r[{distance}]",
        "RoPE": lambda: f"turn {own}θ" if distance else "turn 0",
    }[scheme]()


def new_row(scheme: str, step: int, clip: int = 2) -> list[str]:
    """The new row at a step, a cell per key."""
    return [entry(scheme, step - j, clip) for j in range(step + 1)]


def sentence(scheme: str) -> str:
    """What is to do at a step, and what the cache holds."""
    new, kept = SAYS[scheme]
    return f"{scheme}. Computed at each step: {new}. In the cache: {kept}."


def _grid(scheme: str, step: int, words: list[str], clip: int, heading: str) -> str:
    lines = []
    for i, word in enumerate(words):
        texts = [entry(scheme, i - j, clip) if j <= i <= step else "" for j in range(len(words))]
        cells = [f"<td>{escape(text)}</td>" for text in texts]
        if i == step:
            colours = [(j - i) / max(len(words) - 1, 1) for j in range(i + 1)]
            cells[: i + 1] = [cell(t, text, signed_colour) for t, text in zip(colours, texts)]
        name = f"{word} (new)" if i == step else word
        row = DONE if i < step else ROW
        lines.append(f'<tr {row}><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col">{escape(word)}</th>' for word in words)
    told = f"<b>{escape(heading)}</b>: {escape(scheme)}, past = {step}"
    return (
        f'<table {TABLE}><caption style="text-align:left">{told}</caption>'
        f'<thead><tr {ROW}><td style="color:#57606a">query ↓ key →</td>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _rows(step: int, words: list[str], clip: int) -> str:
    """The new row of every scheme, below each other."""
    lines = "".join(
        f'<tr {ROW}><th scope="row">{name}</th>'
        + "".join(
            cell(-(step - j) / max(len(words) - 1, 1), text, signed_colour)
            for j, text in enumerate(new_row(name, step, clip))
        )
        + "</tr>"
        for name in SCHEMES
    )
    heads = "".join(f'<th scope="col">{escape(word)}</th>' for word in words[: step + 1])
    told = f"The new row of every scheme, query {escape(words[step])}"
    return (
        f'<table {TABLE}><caption style="text-align:left">{told}</caption>'
        f'<thead><tr {ROW}><td style="color:#57606a">scheme ↓ key →</td>{heads}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )
