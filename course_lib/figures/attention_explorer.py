"""Standard against biased attention for one query token: both rows, what each key gains or loses, and the rule why."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..display.colours import painter
from ..display.formatting import MINUS, check_choice, check_labels, check_number, check_whole, escape, number
from ..display.picture import SUPPRESS, TABLE, Picture
from ..example import LAMBDA, TOKENS
from ..reference.attention import scores, softmax
from ..reference.bias import DECAYS, decay_bias
from .bias_heatmap import LARGEST_N, decay_tables, formula
from .heatmap import ROW, cell

SAME = 1e-12  # two weights closer than this are called the same
HEADS = ("key j", "offset j − i", "weight without bias", "weight with bias", "e<sup>B</sup>", "change")


def attention_explorer(
    q: Any,
    k: Any,
    tokens: Sequence[str] = TOKENS,
    query: int = 0,
    scale: float = LAMBDA,
    decay: str = "log",
    *,
    title: str | None = None,
) -> Picture:
    """One query's attention without and with a bias −scale · decay(|j − i|), alive: choose the query, move λ (0–3).

    q, k (n, d) with n from 2 to 16 give the scaled scores. The picture shows who gains: exactly the keys whose e^B
    lies above the row's mean Σ_k w_k e^B_k, w the weights without bias.
    Raises ValueError for q and k that do not fit, a query that is not a row, or a scale or decay outside these.
    """
    q, k = _rows("q", q), _rows("k", k)
    if q.shape != k.shape or not 2 <= len(q) <= LARGEST_N:
        raise ValueError(f"q {q.shape}, k {k.shape}: expected the same shape (n, d) with n from 2 to {LARGEST_N}")
    words = check_labels("tokens", tokens, len(q))
    query = check_whole("query", query, 0, len(q) - 1)
    scale = check_number("scale", scale, 0, 3)
    decay = check_choice("decay", decay, DECAYS)
    raw = scores(q, k)
    heading = title or "What the bias takes and gives"
    data = {
        "scores": [[float(f"{s:.9g}") for s in row] for row in raw],
        "tokens": words,
        "query": query,
        "scale": scale,
        "title": heading,
        "decay": decay_tables(len(q))[decay],
    }
    alt = (
        f"Attention of the query {words[query]!r} over {len(words)} keys, without and with a {decay} bias of strength "
        f"{scale:g}: keys whose e^B lies above the row's weighted mean gain, the others lose."
    )
    return Picture(
        "attention-explorer",
        _static(raw[query], words, query, scale, decay, heading),
        alt=alt,
        title=title,
        styles=["controls", "explorer"],
        script="attention_explorer.js",
        data=data,
    )


def _rows(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{name}, shape {array.shape}: expected one row of finite numbers per token, (n, d)")
    return array.astype(float)


def _static(row: np.ndarray, words: list[str], query: int, scale: float, decay: str, heading: str) -> str:
    """The two rows as a table in words and numbers, for readers whose viewer runs no script."""
    bias = decay_bias(len(words), scale=scale, decay=decay)[query]
    before, after, factor = softmax(row), softmax(row + bias), np.exp(bias)
    mean = float(before @ factor)
    paint = painter([*before, *after])
    lines = []
    for j, word in enumerate(words):
        pair = "".join(cell(w, number(w), paint) for w in (float(before[j]), float(after[j])))
        lines.append(
            f'<tr {ROW}><th scope="row">{escape(word)}</th>'
            f"<td>{_signed(j - query)}</td>{pair}"
            f"<td>{number(float(factor[j]))} {_side(float(factor[j]), mean)}</td>"
            f"<td>{_change(float(after[j] - before[j]))}</td></tr>"
        )
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    group = f'role="group" tabindex="0" {SUPPRESS} aria-label="{escape(heading)}" style="overflow-x:auto"'
    return (
        f'<div {group}><table {TABLE}><caption style="text-align:left"><b>{escape(heading)}</b><br>'
        f"query “{escape(words[query])}” (i = {query}), "
        f"B = {MINUS}{scale:g} · {formula(decay, '|j − i|')}</caption>"
        f"<thead><tr {ROW}>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        "<p>A key gains exactly when its e<sup>B</sup> lies above the row's mean, "
        f"Σ w·e<sup>B</sup> = {number(mean)}.</p>"
    )


def _signed(offset: int) -> str:
    return ("+" if offset > 0 else "") + number(offset)


def _side(factor: float, mean: float) -> str:
    return "= mean" if abs(factor - mean) <= SAME else "above" if factor > mean else "below"


def _change(change: float) -> str:
    return "same" if abs(change) <= SAME else f"+{change:.4f} gains" if change > 0 else f"{number(change)} loses"
