"""The questions of the table, a function for each: what a scheme answers, and how that was found."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.position import Position
from course_lib.schemes import Scheme, Sizes
from course_tasks import measured

from . import probes

WORDS = {
    "input": "input",
    "bias": "score, same for every query",
    "key_vectors": "score, through the query",
    "value_vectors": "value",
    "rotate": "rotation of query and key",
    "key_bias": "score, a number per key from what was read",
    "sink": "softmax, as one more key",
}
POWERS = {0: "the same for every n", 1: "grows with n", 2: "grows with n²"}
DIRECTIONS = {  # what the table says, and what was seen
    "blind": ("order only by a mask", "a query looks at all keys alike"),
    "mirror": ("before = after, order only by a mask", "a query looks at r before and r after it alike"),
    "past only": ("needs a mask: later keys are all alike", "a query looks at all keys after it alike"),
    "rising": ("needs a mask: it would raise later keys", "a query looks at each key more than at the one before it"),
    "both": ("tells before from after", "a query looks at r before and r after it differently"),
}


class Cell(NamedTuple):
    """text is what the table shows, value what was found, note how for this scheme."""

    text: str
    value: Any
    note: str


class Column(NamedTuple):
    """One question: `how` it is answered, and the function that asks it."""

    how: str
    ask: Callable[[Scheme, Sizes], Cell]


def where(scheme: Scheme, sizes: Sizes) -> Cell:
    module = scheme.module(sizes).double()
    found, kind = probes.places(module, sizes), f"`{type(module).__name__}`"
    note = f"{kind} overrides {', '.join(f'`{hook}`' for hook in found) or 'nothing'}."
    if not isinstance(module, Position):
        does = "it adds its table to the scores" if probes.is_window(module) else "it adds the same to every input"
        note = f"{kind} has no hooks: {does}."
    words = dict(WORDS)
    if probes.is_grid(module):
        words["bias"] = "score, a number per query and key"
    if "rotate" in found and not all(probes.turns(module, sizes)):
        words["rotate"] = "scale of the query"
    return Cell("; ".join(words[place] for place in found) or "nowhere", tuple(found), note)


def relative(scheme: Scheme, sizes: Sizes) -> Cell:
    module = scheme.module(sizes).double()
    found, blind = probes.relative(module, sizes), set(probes.places(module, sizes)) <= {"sink"}
    moved = f"{probes.SHIFT} {'further on each axis' if isinstance(module, OnAxes) else 'tokens further'}"
    moved = "One row and one column further" if probes.is_window(module) else moved
    note = f"{moved}: the output {'stays' if found else 'changes'}."
    if probes.is_grid(module):
        note = "Its bias is a number for each query and key: offsets are not enough."
    return Cell("sees no position" if blind else "yes" if found else "no", None if blind else found, note)


def learns(scheme: Scheme, sizes: Sizes) -> Cell:
    projections = ("query", "key", "value", "out")  # of Swin's layer, and of every attention
    learned = {k: p for k, p in scheme.module(sizes).named_parameters() if k.split(".")[0] not in projections}
    count, often = sum(p.numel() for p in learned.values()), "once for all" if scheme.shared else "in every"
    text = f"{count:,} = {scheme.parameters}, {often} layer{'s' * scheme.shared}" if count else "nothing"
    names = ", ".join(f"`{name}` {tuple(p.shape)}" for name, p in learned.items()) or "none"
    return Cell(text, count, f"Parameters: {names}.")


def keeps(scheme: Scheme, sizes: Sizes) -> Cell:
    def size(of: Sizes) -> int:
        return sum(tensor.nbytes for tensor in probes.kept(scheme, of).values())

    found, total = probes.kept(scheme, sizes), size(sizes)
    few, more = (size(replace(sizes, n=64 * times**2, window=4 * times)) for times in (1, 2))
    power = round(math.log(more / few, 4)) if few else 0  # of n, which is four times as large
    parts = "; ".join(f"`{k}` {tuple(t.shape)}, {t.nbytes:,} bytes" for k, t in found.items()) or "nothing"
    of = " for n patches in a window" if probes.is_window(scheme.module(sizes)) else ""
    return Cell(f"{total:,} bytes, {POWERS[power]}{of}" if total else "nothing", (total, power), f"Kept: {parts}.")


def direction(scheme: Scheme, sizes: Sizes) -> Cell:
    found = probes.direction(scheme.module(sizes).double(), sizes)
    text, seen = DIRECTIONS[found]
    note = f"Seen: {seen}."
    if scheme.other is not None:
        words, also = DIRECTIONS[probes.direction(scheme.other_module(sizes).double(), sizes)]
        text = f"{text} ({scheme.other[0]}: {words.split(':')[0]})"
        note += f" With `{scheme.other[0]}`: {also}."
    return Cell(text, found, note)


def fused(scheme: Scheme, sizes: Sizes) -> Cell:
    module, x = scheme.module(sizes).double(), probes.random(1, probes.FEW, sizes.d_model)
    if probes.is_window(module):
        return Cell("a layer of its own", (), "It takes no `backend`.")
    problems = {}
    for backend in ("sdpa", "flex"):
        try:
            off = (probes.run(module, sizes, x, backend)[0] - probes.run(module, sizes, x)[0]).abs().max()
            problems[backend] = "another answer" if off > probes.CLOSE else ""
        except ValueError as refused:
            problems[backend] = str(refused)
    works = tuple(backend for backend, problem in problems.items() if not problem)
    note = " ".join(f"`{backend}`: “{problem}”." for backend, problem in problems.items() if problem)
    return Cell(", ".join(works), works, note or "The same answers.")


def longer(scheme: Scheme, sizes: Sizes) -> Cell:
    refused, module = "", scheme.module(sizes).double()
    try:
        if not probes.is_window(module):
            probes.run(module, sizes, probes.random(1, 2 * sizes.n, sizes.d_model))
    except ValueError as error:
        refused = str(error)
    words = [measured.verdict(run) for run in scheme.runs]
    parts, notes = [] if scheme.runs else ["not in the study"], []
    for run, word in zip(scheme.runs, words):
        said, (before, after) = f"{word} {signed(measured.rise(run), 2)}", measured.losses(run).mean(axis=0)[[0, -1]]
        if run in measured.schemes(measured.NAMES):
            said += f", finds {measured.right(run, measured.NAMES)[-1]:.0%}"
        parts.append(f"{run} {said}" if len(scheme.runs) > 1 else said)
        seeds = ", ".join(signed(rise, 3) for rise in measured.rises(run))
        notes.append(f"`{run}`: {before:.3f} → {after:.3f}; by seeds {seeds}.")
    if refused:
        parts.append("its table ends")
        notes.append(f"Asked for {2 * sizes.n} tokens: “{refused}”.")
        notes += ["In the study the table is as long as the longest test."] * bool(scheme.runs)
    return Cell("; ".join(parts), (tuple(words), bool(refused)), " ".join(notes) or "No run is committed.")


def signed(x: float, digits: int) -> str:
    return f"{x:+.{digits}f}".replace("-", "−")


SETTINGS = measured.settings()
LEGEND = (
    "Runs of the study: log-1 has the strength 1, t5-64 a `max_distance` of 64, window-64 shows 64 keys, rope-base-31 has "
    "the base 31. +none: no positions in the second layer. One seed: trained once, the others three times."
)
COLUMNS: dict[str, Column] = {
    "where it enters": Column(
        "The hooks of `Position` (methods such as `bias`) that the module overrides; `rotate` counts if its result "
        "depends on the position.",
        where,
    ),
    "relative?": Column(
        "The same tokens at later positions: does a layer make the same of them? Of a sink this is not asked, because its "
        "score is the same for every query.",
        relative,
    ),
    "learns": Column("The module's parameters, counted; a test evaluates the formula.", learns),
    "keeps for n tokens": Column(
        "The bytes of what the hooks return for n tokens in float32, tables included (Swin: one window; RoPE: its "
        "cosines and sines), and how they grow when n does.",
        keeps,
    ),
    "direction": Column("The same token everywhere: how does a query look at keys before it and after it?", direction),
    "fused": Column(
        "A layer is run by each fused backend, on a CPU without gradients, and compared with the formula.", fused
    ),
    "longer texts": Column(
        f"Small models of the course's study, trained on {SETTINGS['length']} tokens and tested on "
        f"{SETTINGS['tests'][-1]:,}. First how much the loss in text rises, in nats, the mean over three seeds. Level: no "
        "seed is above 0.05, and so is a window of 64. Breaks: all are above 0.25. Rises: all are above 0.05. Then how "
        f"many of the names are found that were told {SETTINGS['length']} or more tokens back. The module is also asked "
        "for twice its n tokens: its table ends where it refuses.",
        longer,
    ),
}
