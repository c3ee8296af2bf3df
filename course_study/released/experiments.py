"""The experiments: what is changed in the released model, which tokens it reads then, and what is measured.

An experiment yields trials on one text. The control of all of them is the text as it is, read by the model as it is.
"""

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Generator, Tensor
from torch.nn.functional import cosine_similarity, cross_entropy

from course_lib.nn.cache import RingCache
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.reference.alibi import slopes
from course_lib.reference.speeds import by_parts, interpolated, ntk, yarn, yarn_factor
from course_lib.released import Released, excerpt, load

TRAINED = 8192  # the length of the texts the model was trained with
SHORT = ("pydoc_a", "pydoc_b", "licence", "course")
BINS = (0, 256, 512, 1024, 2048, 4096, 8192, 16384)
Change = dict[str, Any]  # arguments of `Released.changed`
Measured = tuple[Tensor, dict[str, Any]]  # the losses, and what else goes into the row


def losses(model: Released, tokens: Tensor) -> Measured:
    return model.losses(tokens), {}


@dataclass(frozen=True)
class Text:
    """Tokens to read, and the name of the control."""

    name: str
    tokens: Tensor
    control: str = "as released"
    bins: tuple[int, ...] = ()  # positions between which the mean loss is reported as well

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def half(self) -> int:
        return self.n // 2


@dataclass(frozen=True)
class Trial:
    """One condition: what is changed, and the tokens that are read in place of the text's own."""

    condition: str
    change: Change = field(default_factory=dict)
    tokens: Tensor | None = None
    measure: Callable[[Released, Tensor], Measured] = losses
    scored: int | None = None  # how many of the last losses count; None: those of the text's second half


Trials = Iterator[Trial]

# --- texts --------------------------------------------------------------------------------------------------------


@functools.cache
def encoded(model: Released, name: str) -> Tensor:
    return model.encode(excerpt(name))


def short_texts(model: Released) -> list[Text]:
    return [Text(name, encoded(model, name)[:384]) for name in SHORT]


def with_512(model: Released) -> list[Text]:
    return [*short_texts(model), Text("pydoc_a", encoded(model, "pydoc_a")[:512])]


def repeated_texts(model: Released) -> list[Text]:
    """100 random tokens twice: the second copy can be predicted from the first, and from nothing else."""
    copies = [torch.randint(1000, 40000, (100,), generator=Generator().manual_seed(seed)) for seed in range(3)]
    return [Text(f"random tokens {seed}", once.repeat(2)) for seed, once in enumerate(copies)]


def short_and_repeated(model: Released) -> list[Text]:
    return [*short_texts(model), *repeated_texts(model)]


def long_texts(model: Released) -> list[Text]:
    """The first half of a text, and all of it; bins are powers of two."""
    tokens = encoded(model, "alice")
    return [Text("alice", tokens[:n], bins=tuple(b for b in BINS if b <= n)) for n in (TRAINED, 2 * TRAINED)]


def passkeys(model: Released) -> list[Text]:
    """Four keys of five digits, each asked for without having been told."""
    keys = [str(random.Random(seed).randint(10000, 99999)) for seed in range(4)]
    return [Text(key, prompt(model, key, 3, 7, told="")[0], "no key") for key in keys]


def two_keys(model: Released) -> list[Text]:
    return passkeys(model)[:2]


# --- changes ------------------------------------------------------------------------------------------------------


def stopped(model: Released, pairs: range) -> Change:
    """These pairs do not turn; pair 0 is the fastest."""
    return {"speeds": model.speeds.index_fill(0, torch.tensor(pairs), 0)}


def slowest(model: Released, number: int) -> Change:
    last = len(model.speeds)
    return stopped(model, range(last - number, last)) if number else {}


def gap(n: int, size: int, *places: int) -> Change:
    """Positions 0, 1, 2, … that jump by `size` more at each of these tokens."""
    jumps = torch.zeros(n, dtype=torch.long).index_add(0, torch.tensor(places), torch.full((len(places),), size))
    return {"positions": torch.arange(n) + jumps.cumsum(0)} if size else {}


def hidden(text: Text, keep: int = 0) -> Change:
    """The second half does not see the first, but for its first `keep` tokens."""
    i, j = torch.arange(text.n)[:, None], torch.arange(text.n)
    return {"mask": (i < text.half) | (j >= text.half) | (j < keep)}


def repairs(model: Released, s: float) -> dict[str, Change]:
    """Repairs of RoPE for texts s times as long, by name. A factor on queries and keys is its square on scores."""
    base, factor = model.decoder.rope.base, {"score_factor": yarn_factor(s) ** 2}
    parts, code = by_parts(model.speeds, s, TRAINED), yarn(model.d_head, s, TRAINED, base=base)
    return {
        f"PI {s}": {"speeds": interpolated(model.speeds, s)},
        f"NTK {s}": {"speeds": ntk(model.speeds, s)},
        f"YaRN {s}, no factor": {"speeds": parts},
        f"YaRN {s}": {"speeds": parts, **factor},
        f"factor of YaRN {s} alone": factor,
        f"YaRN's code {s}, no factor": {"speeds": code},
        f"YaRN's code {s}": {"speeds": code, **factor},
    }


def papers(model: Released, s: float) -> dict[str, Change]:
    """Those that papers propose, without the controls that leave out a part of YaRN or use one alone."""
    return {name: repairs(model, s)[name] for name in (f"PI {s}", f"NTK {s}", f"YaRN {s}")}


def trials(changes: dict[str, Change], tokens: Tensor | None = None) -> Trials:
    return (Trial(condition, change, tokens) for condition, change in changes.items())


# --- heads --------------------------------------------------------------------------------------------------------

Heads = list[tuple[int, int]]


@functools.cache
def strongest(model: Released) -> dict[str, Heads]:
    """The ten heads with the most weight on the token before and on token 0, in one text, and of induction."""
    tokens, copies = short_texts(model)[0].tokens, repeated_texts(model)[0].tokens
    read = torch.stack([inside.weights for inside in model.inside(tokens)])
    found = {"previous": read.diagonal(-1, 2, 3).mean(-1), "sink": read[:, :, 8:, 0].mean(-1)}
    found["induction"] = torch.stack([induction(inside.weights) for inside in model.inside(copies)])
    return {name: [divmod(int(i), model.n_heads) for i in w.flatten().topk(10)[1]] for name, w in found.items()}


def induction(weights: Tensor) -> Tensor:
    """Of tokens read twice, the mean weight in the second copy on the token after the first copy: (n_heads,)."""
    return weights.diagonal(1 - weights.shape[-1] // 2, 1, 2)[:, 1:-1].mean(-1)


def near(heads: Heads, model: Released, tokens: Tensor) -> Measured:
    """Also the mean weight of these heads on the token itself, the one before it, … four tokens back."""
    read = [inside.weights for inside in model.inside(tokens)]
    back = [[float(read[layer][head].diagonal(-back).mean()) for back in range(5)] for layer, head in heads]
    return model.losses(tokens), {"heads": heads, "weights": back}


def induced(model: Released, tokens: Tensor) -> Measured:
    """Also the mean weight of the ten induction heads on the token after the first copy."""
    read = torch.stack([induction(inside.weights) for inside in model.inside(tokens)])
    layers, heads = zip(*strongest(model)["induction"])
    return model.losses(tokens), {"weight": float(read[layers, heads].mean())}


def sink(model: Released, tokens: Tensor) -> Measured:
    """Also, by layer, token 0 beside those from 8 on: weight, norms of value and key, cosine with queries, residual."""
    found: dict[str, list[float]] = {}
    above, group = 0, model.n_heads // model.n_kv_heads
    for inside in model.inside(tokens):
        weight, later = inside.weights[:, 8:, 0].mean(-1), inside.q[:, 8:]
        k, v, x = inside.k.repeat_interleave(group, 0), inside.v.norm(dim=-1), inside.x.abs()
        above += int((weight > 0.3).sum())
        numbers = {"weight": weight.mean(), "value 0": v[:, 0].mean(), "value": v[:, 8:].mean()}
        numbers |= {"key 0": k[:, 0].norm(dim=-1).mean(), "key": k[:, 8:].norm(dim=-1).mean()}
        numbers |= {f"cosine {j}": cosine_similarity(later, k[:, j : j + 1], dim=-1).mean() for j in (0, 50)}
        numbers |= {"residual 0": x[0].max(), "residual": x[8:].median()}
        for name, number in numbers.items():
            found.setdefault(name, []).append(float(number))
    return model.losses(tokens), {"heads above 0.3": above, **found}


def with_first_value(values: Sequence[Tensor], model: Released, tokens: Tensor) -> Measured:
    """Later queries get values[layer], (n_kv_heads · d_head,), from token 0. Its own query keeps its own value."""
    handles = []
    for block, value in zip(model.decoder.blocks, values):
        attention, own = block.attention, dict[str, Tensor]()

        def others(_: Any, args: Any, out: Tensor, value: Tensor = value, own: Any = own) -> Tensor:
            own["value"] = out[:, 0].unflatten(-1, (model.n_kv_heads, -1))
            return torch.cat([value.expand_as(out[:, :1]), out[:, 1:]], 1)

        def itself(_: Any, args: Any, own: Any = own) -> Tensor:
            first = own["value"].repeat_interleave(model.n_heads // model.n_kv_heads, 1).flatten(1)
            return torch.cat([first[:, None], args[0][:, 1:]], 1)

        handles.append(attention.value.register_forward_hook(others))
        handles.append(attention.out.register_forward_pre_hook(itself))
    try:
        return model.losses(tokens), {}
    finally:
        for handle in handles:
            handle.remove()


# --- E1 … E16, ALiBi ----------------------------------------------------------------------------------------------


def moved(model: Released, text: Text) -> Trials:
    yield from trials({f"all positions + {m}": {"positions": torch.arange(text.n) + m} for m in (1000, 7000, 50000)})
    yield from trials({f"all positions × {m}": {"positions": m * torch.arange(text.n)} for m in (2, 4)})


def turned_queries(model: Released, text: Text) -> Trials:
    previous, sinks = (strongest(model)[name][:6] for name in ("previous", "sink"))
    for turn in (1, -1):
        change = {"heads": previous, "turn_query": turn}
        yield Trial(f"six previous-token heads, {turn:+d}", change, measure=functools.partial(near, previous))
    yield Trial("six sink heads, +1", {"heads": sinks, "turn_query": 1})


def pairings(model: Released, text: Text) -> Trials:
    yield Trial("half-split pairs", {"position": RoPE(model.d_head, base=model.decoder.rope.base)})
    yield Trial("no RoPE", {"position": Position()})
    yield Trial("half-split pairs, rows reordered", measure=lambda _, read: losses(load(pairing="half-split"), read))


def stopped_pairs(model: Released, text: Text) -> Trials:
    yield from trials({f"fastest {k} stopped": stopped(model, range(k)) for k in (1, 2, 3, 4, 6, 8)})
    few, many = (0, 12, 15, 16, 17, 18, 20), (0, 4, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24)
    for size, numbers in ((0, many[1:]), (16384, many), (65536, few)):
        for k in numbers:
            yield Trial(f"slowest {k} stopped, gap {size}", slowest(model, k) | gap(text.n, size, text.half))
    yield Trial("first half hidden", hidden(text))


def stopped_pairs_of_heads(model: Released, text: Text) -> Trials:
    heads = strongest(model)["previous"][:6]
    for pairs in (range(1), range(2), range(4), range(8), range(8, 20), range(20, 32), range(24, 32)):
        change = {"heads": heads, **stopped(model, pairs)}
        yield Trial(f"pairs {pairs.start} … {pairs[-1]} stopped", change, measure=functools.partial(near, heads))


def gaps(model: Released, text: Text) -> Trials:
    for size in (64, 256, 1024, 4096, 7500, 16384, 65536):
        yield Trial(f"gap {size}", gap(text.n, size, text.half))
    for size in (0, 1024, 7500, 16384):
        yield Trial(f"first half but 4 hidden, gap {size}", hidden(text, 4) | gap(text.n, size, text.half))
    yield Trial("first half hidden", hidden(text))
    yield Trial("second half alone", tokens=text.tokens[text.half :])


def gaps_repaired(model: Released, text: Text) -> Trials:
    """Repairs for texts four times as long, without a gap and with one of twice the trained length."""
    changes = {**papers(model, 4), "YaRN 4, no factor": repairs(model, 4)["YaRN 4, no factor"]}
    for name, change in {**changes, "slowest 16 stopped": slowest(model, 16)}.items():
        yield from (Trial(f"{name}, gap {size}", change | gap(text.n, size, text.half)) for size in (0, 16384))


def windows(model: Released, text: Text) -> Trials:
    other = torch.cat([torch.tensor([12345]), text.tokens[1:]])
    yield Trial("another token 0", tokens=other)
    for window in (96, 128):
        for kept in ([], [0], [0, 1, 2, 3], [20], [20, 21, 22, 23]):
            yield Trial(f"window {window}, kept {kept}", {"window": window, "sinks": kept})
        yield Trial(f"window {window}, another token 0 kept", {"window": window, "sinks": [0]}, other)
    i, j = torch.arange(text.n)[:, None], torch.arange(text.n)
    yield from trials({f"first {k} hidden from later ones": {"mask": (j >= k) | (i < k)} for k in (1, 4)})


def sink_by_layer(model: Released, text: Text) -> Trials:
    drawn = torch.randint(100, 49000, (64,), generator=Generator().manual_seed(0))
    yield Trial("64 tokens", tokens=text.tokens[:64], measure=sink)
    yield Trial("one token 64 times", tokens=text.tokens[5:6].repeat(64), measure=sink)
    yield Trial("64 random tokens", tokens=drawn, measure=sink)


def sink_value(model: Released, text: Text) -> Trials:
    window: Change = {"window": 96, "sinks": [0]}
    yield Trial("window 96, kept [0]", window)  # the control of all has the measure of the first trial
    of_another = [inside.v[:, 0].flatten() for inside in model.inside(torch.tensor([12345]))]
    mean = [inside.v[:, 8:].mean(1).flatten() for inside in model.inside(text.tokens)]
    zero = [torch.zeros_like(value) for value in mean]
    for name, values in {"0": zero, "of another first token": of_another, "mean of the others": mean}.items():
        yield Trial(f"value of token 0: {name}", measure=functools.partial(with_first_value, values))
    yield Trial("window 96, kept [0], its value 0", window, measure=functools.partial(with_first_value, zero))


def stretched(model: Released, text: Text) -> Trials:
    for s in (2, 4, 8):
        yield from trials(repairs(model, s))
    yield from trials({f"scores · {f}": {"score_factor": f} for f in (0.7, 0.85, 0.9, 0.95, 1.05, 1.1, 1.15, 1.3)})


def far_copies(model: Released, text: Text) -> Trials:
    for k in (0, 12, 16):
        for size in (0, 100, 1000, 4000, 7900, 20000)[not k :]:
            change = slowest(model, k) | gap(text.n, size, text.half)
            yield Trial(f"slowest {k} stopped, gap {size}", change, measure=induced)
    yield from trials({"PI 2": {"speeds": model.speeds / 2}, "no RoPE": {"position": Position()}})


def stopped_heads(model: Released, text: Text) -> Trials:
    previous, found = strongest(model)["previous"], strongest(model)["induction"]
    changed = {"ten induction heads": found, "ten previous-token heads": previous}
    generator, number = Generator().manual_seed(1), model.n_layers * model.n_heads
    for draw in range(3):
        heads = [divmod(i, model.n_heads) for i in torch.randperm(number, generator=generator).tolist()]
        changed[f"ten random heads, draw {draw}"] = [head for head in heads if head not in previous + found][:10]
    yield from trials({f"{name} stopped": {"stopped_heads": heads} for name, heads in changed.items()})


def shuffled(model: Released, text: Text) -> Trials:
    last, generator = text.n - 128, Generator().manual_seed(0)
    for kept in (256, 128, 64, 32, 16, 8, 4, 2, 0):
        if (start := last - kept) > 0:
            order = 1 + torch.randperm(start - 1, generator=generator)
            mixed = torch.cat([text.tokens[:1], text.tokens[order], text.tokens[start:]])
            yield Trial(f"before the last {kept} shuffled", tokens=mixed, scored=128)
            yield Trial(f"before the last {kept} dropped", tokens=text.tokens[start:], scored=128)
    yield Trial("before the last 1 dropped", tokens=text.tokens[last - 1 :], scored=128)


def two_documents(model: Released, text: Text) -> Trials:
    own, apart = text.tokens[text.half :], hidden(text)
    both = torch.cat([encoded(model, "pydoc_c")[: text.half], own])
    again = {"positions": torch.arange(text.half).repeat(2)}
    changes = {"": {}, ", positions from 0 again": again, ", masked": apart, ", masked, from 0 again": apart | again}
    yield from trials({f"another document before{name}": change for name, change in changes.items()}, both)
    yield Trial("second half alone", tokens=own)


def log_bias(model: Released, text: Text) -> Trials:
    place = torch.arange(text.n)
    for strength in (0.1, 0.3, 1.0):
        bias = -strength * (place[:, None] - place).clamp(min=0).log1p()
        yield Trial(f"−{strength} ln(1 + r)", {"bias": bias})
        yield Trial(f"−{strength} ln(1 + r), 0 for token 0", {"bias": bias * (place > 0)})


def alibi(model: Released, text: Text) -> Trials:
    place = torch.arange(text.n)
    distance = (place[:, None] - place).clamp(min=0).float()
    mixed = torch.tensor(slopes(model.n_heads), dtype=torch.float32)[:, None, None]
    for name, m in {"ALiBi's slopes": mixed, "slope 1/2 in all heads": torch.tensor(0.5)}.items():
        yield Trial(name, {"bias": -m * distance})
        yield Trial(f"{name}, 0 for token 0", {"bias": -m * distance * (place > 0)})


def without_rope(model: Released, text: Text) -> Trials:
    every = range(model.n_layers)
    where: dict[str, Sequence[int]] = {f"layer {layer}": [layer] for layer in every}
    where |= {"every fourth layer": every[3::4], "even layers": every[::2], "all layers": every}
    yield from trials({f"no RoPE in {name}": {"position": Position(), "layers": some} for name, some in where.items()})


# --- passkeys -----------------------------------------------------------------------------------------------------

PRE = "There is an important number hidden in the text. Remember it. "
TOLD = "The pass key is {0}. Remember it. {0} is the pass key. "
FILLER = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
QUESTION = "What is the pass key? The pass key is"


def digits(model: Released, tokens: Tensor) -> Measured:
    """The losses of the five digits at the end, and whether each is the likeliest token."""
    with torch.no_grad():
        logits = model.decoder.logits(model.decoder(tokens[None])[0, -6:-1])
    right = bool((logits.argmax(-1) == tokens[-5:]).all())
    return cross_entropy(logits, tokens[-5:], reduction="none"), {"right": right}


def prompt(model: Released, key: str, before: int, after: int, told: str = TOLD) -> tuple[Tensor, int]:
    """Fillers, the key, fillers, the question and its answer; and where the second fillers begin."""
    head = model.encode(PRE + FILLER * before + told.format(key))
    return torch.cat([head, model.encode(f"{FILLER * after}{QUESTION} {key}")]), len(head)


def asked(model: Released, key: str, before: int, after: int, size: int = 0, parts: int = 1, **change: Any) -> Trial:
    """A prompt with gaps of `size` altogether, spread evenly over the fillers after the key."""
    tokens, start = prompt(model, key, before, after)
    places = [start + round((len(tokens) - start - 20) * part / parts) for part in range(parts)]  # 20: the question
    condition = f"{before + after} fillers, gap {size}" + (f" in {parts} parts" if parts > 1 else "")
    return Trial(condition, gap(len(tokens), size // parts, *places) | change, tokens, digits, 5)


def in_text(model: Released, key: str, n: int, depth: float) -> Tensor:
    """A prompt of n tokens with the key at this depth of a real text: 0 at its beginning, 1 at its end."""
    pre, told, question = (model.encode(part) for part in (PRE, TOLD.format(key), f"{QUESTION} {key}"))
    around = encoded(model, "alice")[: n - len(pre) - len(told) - len(question)]
    cut = round(depth * len(around))
    return torch.cat([pre, around[:cut], told, around[cut:], question])


def passkey(model: Released, text: Text) -> Trials:
    key = text.name
    yield from (asked(model, key, *fillers) for fillers in ((0, 2), (3, 7), (6, 14), (10, 26)))
    yield from (asked(model, key, 3, 7, size) for size in (500, 1500, 3000, 7000, 7900, 12000, 20000))
    yield from (asked(model, key, 0, 2, size) for size in (3500, 4000, 4500, 5000, 5500, 6000))
    tokens, start = prompt(model, key, 0, 16)
    for reach in (4800, 6500, 7800):  # from the key to the end
        yield from (asked(model, key, 0, 16, reach - len(tokens) + start, parts) for parts in (1, 4, 16))
    for k in (12, 16):
        for size in (0, 3000, 7000, 20000):
            trial = asked(model, key, 0, 2, size, **slowest(model, k))
            yield replace(trial, condition=f"{trial.condition}, slowest {k} stopped")


def passkey_repaired(model: Released, text: Text) -> Trials:
    for name, change in {**repairs(model, 4), "slowest 16 stopped": slowest(model, 16)}.items():
        for size in (0, 20000):
            trial = asked(model, text.name, 3, 7, size, **change)
            yield replace(trial, condition=f"{trial.condition}, {name}")


def depths(model: Released, text: Text) -> Trials:
    for n in (2048, 4096, 8000):
        for depth in (0.1, 0.5, 0.9):
            yield Trial(f"{n} tokens, depth {depth}", {}, in_text(model, text.name, n, depth), digits, 5)


def beyond(model: Released, text: Text) -> Trials:
    tokens = in_text(model, text.name, 12000, 0.1)
    for name, change in {"as released": {}, **papers(model, 2)}.items():
        yield Trial(f"12,000 tokens, {name}", change, tokens, digits, 5)


# --- loss by position ---------------------------------------------------------------------------------------------


def by_position(model: Released, text: Text) -> Trials:
    yield Trial("window 1024, kept [0]", {"window": 1024, "sinks": [0]})
    yield from trials({"slowest 16 stopped": slowest(model, 16), **papers(model, 2)})
    if text.n == TRAINED:
        yield from trials({f"window 1024, kept {kept}": {"window": 1024, "sinks": kept} for kept in ([], [0, 1, 2, 3])})
        yield from trials({"NTK 4": repairs(model, 4)["NTK 4"]})
        yield Trial("window 1024, kept [0], positions in the cache", measure=renumbered)


def renumbered(model: Released, tokens: Tensor) -> Measured:
    """The losses as StreamingLLM reads, token by token, because positions are counted in the cache."""
    caches, found = [RingCache(1024, keep=1, renumbered=True) for _ in model.decoder.blocks], []
    with torch.no_grad():
        for token, following in pairwise(tokens):
            logits = model.decoder.logits(model.decoder(token[None, None], caches=caches)[0])
            found.append(cross_entropy(logits, following[None]))
    return torch.stack(found), {}


EXPERIMENTS: dict[str, tuple[Callable[[Released, Text], Trials], Callable[[Released], list[Text]]]] = {
    "E1": (moved, with_512),
    "E2": (turned_queries, short_and_repeated),
    "E3": (pairings, with_512),
    "E4": (stopped_pairs, with_512),
    "E4 heads": (stopped_pairs_of_heads, short_texts),
    "E5": (gaps, with_512),
    "E5 repaired": (gaps_repaired, short_texts),
    "E6": (windows, short_texts),
    "E7": (sink_by_layer, short_texts),
    "E7 value": (sink_value, short_texts),
    "E8": (stretched, with_512),
    "E9": (passkey, passkeys),
    "E10": (passkey_repaired, passkeys),
    "E11": (far_copies, repeated_texts),
    "E12": (stopped_heads, short_and_repeated),
    "E13": (shuffled, with_512),
    "E14": (two_documents, with_512),
    "E15": (log_bias, with_512),
    "E16": (without_rope, short_texts),
    "ALiBi": (alibi, short_texts),
    "by position": (by_position, long_texts),
    "depths": (depths, two_keys),
    "beyond": (beyond, two_keys),
}
