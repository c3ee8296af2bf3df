"""The experiments: what is changed in the released model, and which tokens it reads then.

An experiment yields trials on one text. The first is the control of the others: the text as it is, read by the model as
it is, unless the experiment says otherwise.
"""

import functools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Generator, Tensor

from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE, turned_pairs
from course_lib.reference.alibi import slopes
from course_lib.reference.speeds import by_parts, interpolated, ntk, turns, yarn_factor
from course_lib.released import Released, excerpt

from .measures import Measured, SinkHeads, digits, looked_at, losses, renumbered, reordered, sink, with_first_value

TRAINED = 8192  # the length of its configuration; its pretraining read 2,048 tokens, a later stage is not described
SHORT = ("pydoc_a", "pydoc_b", "licence", "course")
GAPS = (2048, 4096, 6000, 7800, 9000, 12000, 16384, 32768, 65536)  # up to 7,800, no distance reaches TRAINED
BINS = (0, 256, 512, 1024, 2048, 4096, 8192, 16384)
Change = dict[str, Any]  # arguments of `Released.changed`


@dataclass(frozen=True, eq=False)
class Text:
    """Tokens to read."""

    name: str
    tokens: Tensor
    bins: tuple[int, ...] = ()  # positions between which the mean loss is reported as well

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def half(self) -> int:
        return self.n // 2


@dataclass(frozen=True, eq=False)
class Trial:
    """One condition: what is changed, and the tokens that are read in place of the text's own."""

    condition: str = "as released"
    change: Change = field(default_factory=dict)
    tokens: Tensor | None = None
    measure: Callable[[Released, Tensor], Measured] = losses
    scored: int | None = None  # how many of the last losses count; None: those of the text's second half


Trials = Iterator[Trial]

# --- texts --------------------------------------------------------------------------------------------------------


def short_texts(model: Released) -> list[Text]:
    return [Text(name, model.encode(excerpt(name))[:384]) for name in SHORT]


def five_texts(model: Released) -> list[Text]:
    return [Text(name, model.encode(excerpt(name))[:256]) for name in ("alice", *SHORT)]


def long_texts(model: Released) -> list[Text]:
    """The first half of a text, and all of it; bins are powers of two."""
    tokens = model.encode(excerpt("alice"))
    return [Text("alice", tokens[:n], bins=tuple(b for b in BINS if b <= n)) for n in (TRAINED, 2 * TRAINED)]


def passkeys(model: Released) -> list[Text]:
    """Four keys of five digits, each asked for without having been told."""
    keys = [str(random.Random(seed).randint(10000, 99999)) for seed in range(4)]
    return [Text(key, prompt(model, key, told="")[0]) for key in keys]


# --- changes ------------------------------------------------------------------------------------------------------


def slowest(model: Released, number: int) -> Change:
    """So many pairs, the slowest, do not turn."""
    return {"speeds": model.speeds * (torch.arange(32) < 32 - number)}


def gap(n: int, size: int, place: int) -> Change:
    """Positions 0, 1, 2, … that jump by `size` at one token."""
    return {"positions": torch.arange(n) + size * (torch.arange(n) >= place)} if size else {}


def hidden(text: Text, keep: int = 0) -> Change:
    """The second half does not see the first, but for its first `keep` tokens."""
    i, j = torch.arange(text.n)[:, None], torch.arange(text.n)
    return {"mask": (i < text.half) | (j >= text.half) | (j < keep)}


class Felt(Position):
    """RoPE with a gap of `size` before the token `place` that only some pairs feel: felt (pairs,), True for those."""

    def __init__(self, rope: RoPE, speeds: Tensor, felt: Tensor, size: int, place: int) -> None:
        super().__init__()
        self.rope, self.speeds, self.felt, self.size, self.place = rope, speeds, felt, size, place

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        return self._turned(q, past), self._turned(k, past if first_key is None else first_key)

    def _turned(self, x: Tensor, first: int) -> Tensor:
        position = torch.arange(first, first + x.shape[-2])[:, None]
        angle = (position + self.size * (position >= self.place) * self.felt).double() * self.speeds
        return turned_pairs(x, angle.cos().to(x), angle.sin().to(x), self.rope.interleaved)


def alone(places: Tensor, n: int) -> Tensor:
    """A mask (n, n) in which the tokens at these places see only themselves."""
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return ~torch.isin(i, places) | (i == j)


def repairs(model: Released, s: float) -> dict[str, Change]:
    """Repairs of RoPE for texts s times as long, by name. A factor on queries and keys is its square on scores."""
    return {
        f"PI {s}": {"speeds": interpolated(model.speeds, s)},
        f"NTK {s}": {"speeds": ntk(model.speeds, s)},
        f"YaRN {s}": {"speeds": by_parts(model.speeds, s, TRAINED), "score_factor": yarn_factor(s) ** 2},
    }


def repairs_by_4(model: Released) -> dict[str, Change]:
    """Those for texts four times as long, and stopped pairs."""
    return {**repairs(model, 4), "slowest 16 stopped": slowest(model, 16)}


def trials(changes: dict[str, Change]) -> Trials:
    return (Trial(condition, change) for condition, change in changes.items())


# --- short texts --------------------------------------------------------------------------------------------------


def moved(model: Released, text: Text) -> Trials:
    yield Trial()
    place = torch.arange(text.n)
    yield Trial("all positions + 50000", {"positions": place + 50000})
    yield Trial("all positions × 4", {"positions": 4 * place})


def pairings(model: Released, text: Text) -> Trials:
    yield Trial()
    half_split = {"position": RoPE(model.d_head, base=model.decoder.rope.base)}
    yield from trials({"half-split pairs": half_split, "no RoPE": {"position": Position()}})
    yield Trial("half-split pairs, rows reordered", half_split, measure=reordered)


def stopped_pairs(model: Released, text: Text) -> Trials:
    yield Trial()
    yield Trial("fastest 1 stopped", {"speeds": model.speeds * (torch.arange(32) > 0)})
    for size in (0, 16384):
        for k in (12, 13, 14, 15, 16, 17, 18, 20):
            yield Trial(f"slowest {k} stopped, gap {size}", slowest(model, k) | gap(text.n, size, text.half))


def gaps(model: Released, text: Text) -> Trials:
    """One below the trained length, and one of twice this length, which repairs should stand."""
    yield Trial()
    yield from trials({f"gap {size}": gap(text.n, size, text.half) for size in (4096, 16384)})
    yield Trial("first half but 4 hidden, gap 16384", hidden(text, 4) | gap(text.n, 16384, text.half))
    yield Trial("first half hidden", hidden(text))
    for name, change in repairs_by_4(model).items():
        yield from (Trial(f"{name}, gap {size}", change | gap(text.n, size, text.half)) for size in (0, 16384))


def gap_curve(model: Released, text: Text) -> Trials:
    """Gaps below, at and above the configured length: as released, felt by some pairs, with sinks, and repaired."""
    measure, half, place = SinkHeads(text.half), text.half, torch.arange(text.n)
    closed = torch.tensor(turns(model.speeds, TRAINED) >= 1)
    second_sink: Change = {"mask": alone(torch.tensor([half]), text.n)}
    without_sink: Change = {"mask": (place[:, None] < half) | (place > 0)}
    yield Trial(measure=measure)
    for size in (0, *GAPS):
        moved = gap(text.n, size, half)
        if size:
            yield Trial(f"gap {size}", moved, measure=measure)
        if size in (4096, 7800, 16384, 65536):
            for name, felt in {"closed": closed, "open": ~closed}.items():
                position = Felt(model.decoder.rope, model.speeds, felt, size, half)
                yield Trial(f"{name} pairs, gap {size}", {"position": position}, measure=measure)
        if size in (0, 7800, 16384, 65536):
            for name, change in repairs_by_4(model).items():
                yield Trial(f"{name}, gap {size}", change | moved, measure=measure)
        if size in (0, 16384):
            yield Trial(f"first half but 1 hidden, gap {size}", hidden(text, 1) | moved, measure=measure)
            yield Trial(f"second sink, gap {size}", second_sink | moved, measure=measure)
            yield Trial(f"token 0 hidden from the second half, gap {size}", without_sink | moved, measure=measure)


def windows(model: Released, text: Text) -> Trials:
    yield Trial()
    yield from trials({f"window 96, kept {kept}": {"window": 96, "sinks": kept} for kept in ([], [0])})
    other = torch.cat([torch.tensor([12345]), text.tokens[1:]])
    yield Trial("window 96, another token 0 kept", {"window": 96, "sinks": [0]}, other)
    i, j = torch.arange(text.n)[:, None], torch.arange(text.n)
    yield Trial("first 1 hidden from later ones", {"mask": (j >= 1) | (i < 1)})


def new_sinks(model: Released, text: Text) -> Trials:
    """Tokens that see only themselves, or only one more: one at a time in 128 tokens, and every 32nd in a window."""
    yield Trial()
    for place in range(8, 120, 16):
        only = {"mask": alone(torch.tensor([place]), text.n)}
        yield Trial(f"token {place} sees itself only", only, measure=functools.partial(looked_at, place))
    i, j, window = torch.arange(text.n)[:, None], torch.arange(text.n), {"window": 64}
    yield from trials({"window 64": window, "window 64, kept [0]": window | {"sinks": [0]}})
    for name, keys in {"itself only": 1, "itself and one more": 2}.items():
        yield Trial(f"window 64, every 32nd sees {name}", window | {"mask": (i % 32 > 0) | (i - j < keys)})


def sink_by_layer(model: Released, text: Text) -> Trials:
    yield Trial(measure=sink)


def sink_value(model: Released, text: Text) -> Trials:
    yield Trial()
    of_another = [inside.v[:, 0].flatten() for inside in model.inside(torch.tensor([12345]))]
    mean = [inside.v[:, 8:].mean(1).flatten() for inside in model.inside(text.tokens)]
    zero = [torch.zeros_like(value) for value in mean]
    for name, values in {"0": zero, "of another first token": of_another, "mean of the others": mean}.items():
        yield Trial(f"value of token 0: {name}", measure=functools.partial(with_first_value, values))
    kept: Change = {"window": 96, "sinks": [0]}
    yield Trial("window 96, kept [0], its value 0", kept, measure=functools.partial(with_first_value, zero))


def shuffled(model: Released, text: Text) -> Trials:
    """Far words in another order, token by token or in blocks of 16, none, and as many from further on."""
    yield Trial()
    last, generator = text.n - 128, Generator().manual_seed(0)
    further = model.encode(excerpt(text.name))[text.n :]

    def than_shuffled(mixed: Tensor, model: Released, tokens: Tensor) -> Measured:
        found = model.losses(tokens)
        difference = (found - model.losses(mixed))[-128:].double()
        error = float(difference.std()) / 128**0.5
        return found, {"than_shuffled": {"difference": float(difference.mean()), "error": error}}

    for kept in (128, 64, 32, 16):
        start = last - kept
        order = 1 + torch.randperm(start - 1, generator=generator)
        mixed = torch.cat([text.tokens[:1], text.tokens[order], text.tokens[start:]])
        yield Trial(f"before the last {kept} shuffled", tokens=mixed, scored=128)
        blocks = torch.arange(1, start).split(16)
        order = torch.cat([blocks[b] for b in torch.randperm(len(blocks), generator=Generator().manual_seed(0))])
        in_blocks = torch.cat([text.tokens[:1], text.tokens[order], text.tokens[start:]])
        yield Trial(f"before the last {kept} in blocks", tokens=in_blocks, scored=128)
        yield Trial(f"before the last {kept} dropped", tokens=text.tokens[start:], scored=128)
        other = torch.cat([text.tokens[:1], further[: start - 1], text.tokens[start:]])
        beside = functools.partial(than_shuffled, mixed)
        yield Trial(f"before the last {kept} replaced", tokens=other, scored=128, measure=beside)


def biases(added: Callable[[Tensor, int], dict[str, Tensor]], model: Released, text: Text) -> Trials:
    """What `added` gives, by name, for distances (n, n) and so many heads; and each without token 0 or for it alone."""
    yield Trial()
    place = torch.arange(text.n)
    for name, bias in added((place[:, None] - place).clamp(min=0), model.n_heads).items():
        yield Trial(name, {"bias": bias})
        yield Trial(f"{name}, 0 for token 0", {"bias": bias * (place > 0)})
        yield Trial(f"{name}, token 0 alone", {"bias": bias * (place == 0)})


def logarithms(r: Tensor, n_heads: int) -> dict[str, Tensor]:
    return {f"−{strength} ln(1 + r)": -strength * r.log1p() for strength in (0.3, 1.0)}


def lines(r: Tensor, n_heads: int) -> dict[str, Tensor]:
    mixed = torch.tensor(slopes(n_heads), dtype=torch.float32)[:, None, None]
    return {"ALiBi's slopes": -mixed * r, "slope 1/2 in all heads": -r / 2}


# --- passkeys -----------------------------------------------------------------------------------------------------

PRE = "There is an important number hidden in the text. Remember it. "
TOLD = "The pass key is {0}. Remember it. {0} is the pass key. "
FILLER = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
QUESTION = "What is the pass key? The pass key is"


def prompt(model: Released, key: str, told: str = TOLD) -> tuple[Tensor, int]:
    """3 fillers, the key, 7 fillers, the question and its answer; and where the second fillers begin."""
    head = model.encode(PRE + FILLER * 3 + told.format(key))
    return torch.cat([head, model.encode(f"{FILLER * 7}{QUESTION} {key}")]), len(head)


def asked(model: Released, key: str, size: int) -> tuple[Tensor, Change]:
    """A prompt, and its positions with a gap of `size` after the key."""
    tokens, start = prompt(model, key)
    return tokens, gap(len(tokens), size, start)


def in_text(model: Released, key: str, n: int, depth: float) -> Tensor:
    """A prompt of n tokens with the key at this depth of a real text, from 0 to 1."""
    pre, told, question = (model.encode(part) for part in (PRE, TOLD.format(key), f"{QUESTION} {key}"))
    around = model.encode(excerpt("alice"))[: n - len(pre) - len(told) - len(question)]
    cut = round(depth * len(around))
    return torch.cat([pre, around[:cut], told, around[cut:], question])


NO_KEY = Trial("no key", measure=digits)


def passkey(model: Released, text: Text) -> Trials:
    yield NO_KEY
    for name, change in {"": Change(), **repairs_by_4(model)}.items():
        for size in (0, 4096, 6000, 7800, 12000, 16384, 20000):
            tokens, places = asked(model, text.name, size)
            yield Trial(f"10 fillers, gap {size}" + f", {name}" * bool(name), places | change, tokens, digits, 5)


def beyond(model: Released, text: Text) -> Trials:
    yield NO_KEY
    changes = {"as released": Change(), **repairs(model, 2)}
    for depth in (0.1, 0.67):
        tokens = in_text(model, text.name, 12000, depth)
        for name in ("as released", "NTK 2", "YaRN 2"):
            yield Trial(f"12000 tokens, depth {depth}, {name}", changes[name], tokens, digits, 5)


# --- loss by position ---------------------------------------------------------------------------------------------


def by_position(model: Released, text: Text) -> Trials:
    yield Trial()
    yield Trial("window 1024, kept [0]", {"window": 1024, "sinks": [0]})
    yield from trials({"slowest 16 stopped": slowest(model, 16), **repairs(model, 2)})
    if text.n == TRAINED:
        yield Trial("window 1024, kept []", {"window": 1024})
        yield Trial("window 1024, kept [0], positions in the cache", measure=renumbered)


EXPERIMENTS: dict[str, tuple[Callable[[Released, Text], Trials], Callable[[Released], list[Text]]]] = {
    "positions moved": (moved, short_texts),
    "pairings": (pairings, short_texts),
    "stopped pairs": (stopped_pairs, short_texts),
    "gaps": (gaps, short_texts),
    "gap curve": (gap_curve, five_texts),
    "windows": (windows, short_texts),
    "new sinks": (new_sinks, five_texts),
    "sink by layer": (sink_by_layer, short_texts),
    "sink value": (sink_value, short_texts),
    "pass keys": (passkey, passkeys),
    "shuffled words": (shuffled, short_texts),
    "log decays": (functools.partial(biases, logarithms), short_texts),
    "ALiBi": (functools.partial(biases, lines), short_texts),
    "by position": (by_position, long_texts),
    "beyond": (beyond, lambda model: passkeys(model)[:2]),
}
