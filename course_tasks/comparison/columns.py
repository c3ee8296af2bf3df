"""The questions of the table, a function for each: what a scheme answers, how that was found, and what backs it."""

from typing import Any, NamedTuple

import torch

from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.position import Position

from . import beyond_training as study
from . import measures, probes
from .schemes import Scheme, Sizes, tests_of

OWN = "tests/claims/test_comparison.py::test_"
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
    "blind": ("no; order only by a mask", "a query has one score for all keys"),
    "mirror": ("no; before = after, order only by a mask", "a query has one score for r before and r after it"),
    "past only": ("yes; later keys all alike", "one score for all keys after the query"),
    "rising": ("yes; would raise later keys", "for every query, each key scores above the one before it"),
    "both": ("no; tells before from after", "the scores before and after a query differ"),
}


class Cell(NamedTuple):
    """text is what the table shows, value what was found, note how for this scheme, evidence the tests and runs."""

    text: str
    value: Any
    note: str
    evidence: tuple[str, ...]


def where(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    module = scheme.module(sizes).double()
    found, kind = probes.places(module, sizes), f"`{type(module).__name__}`"
    if probes.is_window(module):
        note = f"{kind} has no hooks; tried: without queries its table still counts, without values nothing is left."
    elif "input" in found:
        note = f"{kind} has no hooks: it adds the same to every input."
    else:
        note = f"{kind} overrides {', '.join(f'`{hook}`' for hook in found) or 'nothing'}."
        if probes.overrides(module, "rotate") and "rotate" not in found:
            note += " Its `rotate` adds the same at every position."
    words = dict(WORDS)
    if isinstance(module, Position) and probes.is_grid(module.bias(1, 1, 0)):
        words["bias"] = "score, a number per query and key"
    if isinstance(module, Position) and not probes.turns_keys(module, sizes):
        words["rotate"] = "scale of the query"
    text = "; ".join(words[place] for place in found) or "nowhere"
    return Cell(text, tuple(found), note, (*tests_of(scheme), f"{OWN}places_are_those_of_the_map"))


def relative(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    module = scheme.module(sizes).double()
    found, blind = probes.relative(module, sizes), not probes.places(module, sizes)
    text = "sees no position" if blind else "yes" if found else "no"
    axes = isinstance(module, OnAxes)
    moved = f"{probes.SHIFT} further on each axis" if axes else f"{probes.SHIFT} tokens further"
    moved = "One row and one column further" if probes.is_window(module) else moved
    note = f"{moved}: the scores {'stay' if found else 'change'}."
    if isinstance(module, Position) and probes.is_grid(module.bias(1, 1, 0)):
        note = "Its bias is a number for each query and key: offsets are not enough."
    return Cell(text, None if blind else found, note, (f"{OWN}relative_or_not[{name}]",))


def learned(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    found = _parameters(scheme, sizes)
    names = ", ".join(f"`{key}` {tuple(shape)}" for key, shape in found.items()) or "none"
    nothing = not probes.places(scheme.module(sizes).double(), sizes)
    text = "nothing to learn" if nothing else "learned" if found else "fixed"
    return Cell(text, bool(found), f"Parameters: {names}.", (f"{OWN}the_formula_counts_the_parameters[{name}]",))


def parameters(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    count = sum(shape.numel() for shape in _parameters(scheme, sizes).values())
    often = "once for all layers" if scheme.shared else "in every layer"
    text = f"{count:,} = {scheme.parameters}, {often}" if count else "0"
    evidence = [f"{OWN}the_formula_counts_the_parameters[{name}]", f"{OWN}what_layers_share"]
    return Cell(text, count, f"Counted {count:,}; formula {scheme.parameters}.", tuple(evidence))


def _parameters(scheme: Scheme, sizes: Sizes) -> dict[str, torch.Size]:
    """What learns because of the scheme: Swin's layer also has the projections that every attention has."""
    projections = ("query", "key", "value", "out")
    learned = scheme.module(sizes).named_parameters()
    return {key: p.shape for key, p in learned if p.requires_grad and key.split(".")[0] not in projections}


def keeps(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    found = measures.kept(scheme, sizes)
    total, power = sum(t.nbytes for t in found.values()), measures.growth(scheme, sizes)
    parts = "; ".join(f"`{key}` {tuple(t.shape)}, {t.nbytes:,} bytes" for key, t in found.items()) or "nothing"
    of = " for n patches in a window" if probes.is_window(scheme.module(sizes)) else ""
    text = f"{total:,} bytes, {POWERS[power]}{of}" if total else "nothing"
    evidence = [f"{OWN}what_is_kept_by_hand[{name}]"]
    if {"bias", "key_vectors"} & set(found) and power < 2:
        kind = "bias" if "key_vectors" not in found else "key_vectors" if power else "clipped"
        evidence.append(f"tests/schemes/test_fast.py::test_nothing_grows_with_the_square[{kind}-False]")
    return Cell(text, (total, power), f"Kept: {parts}.", tuple(evidence))


def past_training(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    module = scheme.module(sizes)
    refused = measures.longer(module, sizes)
    parts, verdicts, notes, evidence = [], [], [], [f"{OWN}longer_texts[{name}]"]
    for run in scheme.runs:
        found = study.found(run)
        verdicts.append(found.word)
        said = f"{found.word} {signed(found.mean, 2)}"
        parts.append(f"{run} {said}" if len(scheme.runs) > 1 else said)
        before, after = study.losses(run)
        notes.append(f"`{run}`: {before:.3f} → {after:.3f}, {signed(found.mean, 3)} nats, {scatter(found)}.")
        evidence += [*study.evidence(run), f"{OWN}verdicts"]
    if not scheme.runs:
        parts.append("not in the study")
    if refused is not None:
        parts.append("its table ends")
        notes.append(f"Asked for {2 * sizes.n} tokens: “{refused}”.")
        if scheme.runs:
            notes.append("In the study the table is as long as the longest test.")
    elif probes.is_window(module):
        inside = measures.stays_inside(module, sizes)
        parts.append("a larger image has more windows" if inside else "patches see past their window")
        notes.append("Another window was changed: the first " + ("stays as it is." if inside else "changes."))
    elif not scheme.runs:
        notes.append(f"Asked for {2 * sizes.n} tokens: it takes them.")
    return Cell(
        "; ".join(parts), (tuple(verdicts), refused is not None), " ".join(notes), tuple(dict.fromkeys(evidence))
    )


def signed(x: float, digits: int) -> str:
    return f"{x:+.{digits}f}".replace("-", "−")


def scatter(found: study.Found) -> str:
    """How sure a rise is, in words."""
    if found.interval is None:
        return "one seed, so no interval"
    _, low, high = found.interval
    near = f"; near the border: a limit from {study.LOW} to {study.HIGH:.2f} can change the word" if found.near else ""
    return f"interval {signed(low, 3)} to {signed(high, 3)}{near}"


def causal_only(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    found = probes.direction(scheme.module(sizes).double(), sizes)
    text, seen = DIRECTIONS[found]
    note = f"Seen: {seen}."
    if scheme.other is not None:
        argument, _ = scheme.other
        form = scheme.other_module(sizes).double()
        word, also = DIRECTIONS[probes.direction(form, sizes)]
        text += f" ({argument}: {word.split(';')[0]})"
        note += f" With `{argument}`: {also}."
    return Cell(text, found, note, (f"{OWN}direction[{name}]",))


def backends(name: str, scheme: Scheme, sizes: Sizes) -> Cell:
    found = measures.backends(scheme.module(sizes).double(), sizes)
    if found is None:
        return Cell("a layer of its own", (), "It takes no `backend`.", (f"{OWN}backends[{name}]", *tests_of(scheme)))
    works = tuple(backend for backend, problem in found.items() if problem is None)
    note = " ".join(f"`{backend}`: “{problem}”." for backend, problem in found.items() if problem)
    agree = "tests/schemes/test_backends.py::test_backends_agree[False-dtype0-1e-10-"
    tests = [agree + test.split("[")[1] for test in tests_of(scheme) if "test_equals_the_definition[" in test]
    return Cell(", ".join(works), works, note or "The same answers.", (f"{OWN}backends[{name}]", *tests))
