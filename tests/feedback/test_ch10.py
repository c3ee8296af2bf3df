"""Chapter 10: what a learner reads after a slip."""

import re

import numpy as np
import pytest

from course_lib.reference import oracle
from course_lib.tasks import tasks_of
from course_lib.tasks.ch10.common import mean_rise, study_rows
from course_lib.tasks.ch10.forecast import PAIRS as FORECASTS
from course_lib.tasks.ch10.forecast import _field, more

from .slips import cell, each, told

CH10 = tasks_of("ch10")

ENTROPY = """
    w = softmax(bias)
    found = []
    for row in np.atleast_2d(w):
        h = 0
        for x in row:
            if x > {above}:
                h {plus}= {term}
        found.append(h)
    h = np.reshape(found, w.shape[:-1])
    return {end}
"""
WHOLE = {"above": "0", "plus": "-", "term": "x * np.log(x)", "end": "h, np.exp(h)"}


def entropy(**changed):
    flat = ENTROPY.replace("np.atleast_2d(w)", "w.reshape(-1, w.shape[-1])")
    return flat.format(**{**WHOLE, **changed})


ENTROPIES = "    w = softmax(bias)\n    h = -(w * np.log(np.maximum(w, 1e-300))).sum(axis=-1)\n"
BUCKETS = (
    "    d = np.arange(length)\n"
    "    rows = bucket(-d, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)\n"
)

PAIRS = """
    counts = np.zeros(num_buckets)
    for i in range(length):
        j = np.arange({keys})
        np.add.at(counts, bucket({offset}, {how}), 1)
    return counts
"""
EVERY = {
    "keys": "i + 1",
    "offset": "j - i",
    "how": "bidirectional=False, num_buckets=num_buckets, max_distance=max_distance",
}


def pairs(**changed):
    return PAIRS.format(**{**EVERY, **changed})


WINDOWS = """
    curve = []
    for n in lengths:
        tokens = {tokens}
        losses = {losses}
        curve.append({mean})
    return curve
"""
READ = {"tokens": "text[-n:]", "losses": "model(tokens, np.arange(n))", "mean": "losses[-train:].mean()"}


def windows(**changed):
    return WINDOWS.format(**{**READ, **changed})


CURVE = """
    curve = []
    for n in lengths:
        total = 0
        for place in places:
            total += {losses}.mean()
        curve.append({mean})
    return curve
"""
FAIR = {"losses": "model(text[place - n : place])[-last:]", "mean": "total / len(places)"}


def curve(**changed):
    return CURVE.format(**{**FAIR, **changed})


HOOK = """
    import torch
    heads = len(self.strengths)
    rows = []
    for h in range(heads):
        row = []
        for r in {offsets}:
            row.append({b})
        rows.append(row)
    return torch.tensor({result})
"""
ROW = {
    "offsets": "range(-(past + n_q - 1), n_k - past)",
    "b": "-float(self.strengths[h]) * abs(r) ** 0.5",
    "result": "rows",
}


def hook(**changed):
    return HOOK.format(**{**ROW, **changed})


SLIPS = {
    "entropy_and_span": {
        "loops": (entropy(), None),
        "vectorised": (
            "    w = softmax(bias)\n    h = -np.nansum(w * np.log(w), axis=-1)\n    return h, np.exp(h)",
            None,
        ),
        "0 times ln 0": (
            "    w = softmax(bias)\n    h = -(w * np.log(w)).sum(axis=-1)\n    return h, np.exp(h)",
            "0 · ln 0 is nan",
        ),
        "a small number in the logarithm": (
            "    w = softmax(bias)\n    h = -(w * np.log(w + 1e-10)).sum(axis=-1)\n    return h, np.exp(h)",
            None,
        ),
        "no minus": (entropy(plus="+"), "The minus is missing"),
        "base 2": (entropy(term="x * np.log2(x)"), "base 2"),
        "count above one percent": (
            ENTROPIES + "    return h, (w > 0.01).sum(-1)",
            "This counts the keys above 1 %",
        ),
        "only above one percent": (entropy(above="0.01"), "Weights below 1 % are left out"),
        "no weight": (entropy(term="np.log(x)"), "counts with its weight"),
        "turned round": (entropy(end="np.exp(h), h"), "changed places"),
        "entropy alone": (ENTROPIES + "    return h", "Two results are asked for"),
        "no exp": (entropy(end="h, h"), "The span is e to the power"),
        "mean": (
            ENTROPIES.replace("sum", "mean") + "    return h, np.exp(h)",
            "take the sum",
        ),
        "all rows": (
            ENTROPIES.replace("axis=-1", "") + "    return h, np.exp(h)",
            "All rows are summed up",
        ),
        "over the queries": (
            ENTROPIES.replace("axis=-1", "axis=0") + "    return h, np.exp(h)",
            "over the first axis",
        ),
        "no softmax": (
            "    w = np.exp(bias)\n    h = -(w * np.log(np.where(w > 0, w, 1))).sum(axis=-1)\n    return h, np.exp(h)",
            "do not sum to 1",
        ),
        "one sum for all rows": (
            "    e = np.exp(bias - bias.max())\n    w = e / e.sum()\n"
            "    h = -(w * np.log(np.maximum(w, 1e-300))).sum(-1)\n    return h, np.exp(h)",
            "a softmax of its own",
        ),
        "bits": (entropy(term="x * np.log2(x)", end="h, 2**h"), "the entropy is in bits"),
        "the logarithm of the scores": (
            "    w = bias\n    h = -(w * np.log(w)).sum(-1)\n    return h, np.exp(h)",
            "You take the logarithm of the scores, and that of a negative one is nan",
        ),
        "the logarithm of the scores, nan skipped": (
            "    w = bias\n    h = -np.nansum(w * np.log(w), axis=-1)\n    return h, np.exp(h)",
            "and skip the nan",
        ),
        "a softmax of one's own": (
            "    e = np.exp(bias)\n    w = e / e.sum(-1, keepdims=True)\n"
            "    h = -(w * np.log(np.where(w > 0, w, 1))).sum(-1)\n    return h, np.exp(h)",
            "too large for a float, and of −900 it is 0",
        ),
        "its nan skipped": (
            "    e = np.exp(bias)\n    w = e / e.sum(-1, keepdims=True)\n"
            "    h = -np.nansum(w * np.log(w), axis=-1)\n    return h, np.exp(h)",
            "∞/∞ and 0/0 are nan, and you skip them",
        ),
        "0 in place of −∞": (
            ENTROPIES.replace("softmax(bias)", "softmax(np.nan_to_num(bias, neginf=0))") + "    return h, np.exp(h)",
            "You put 0 in place of −∞, and hidden keys have a weight again",
        ),
        "0 in place of −∞, and no guard": (
            "    bias[np.isinf(bias)] = 0\n    w = softmax(bias)\n"
            "    h = -(w * np.log(w)).sum(-1)\n    return h, np.exp(h)",
            "a hidden key has a weight again",
        ),
        "scores divided by their sum": (
            "    w = bias / bias.sum(-1, keepdims=True)\n    h = -(w * np.log(w)).sum(-1)\n    return h, np.exp(h)",
            "Weights are e^x divided by",
        ),
        "−20 in place of −∞": (
            ENTROPIES.replace("softmax(bias)", "softmax(np.maximum(bias, -20))") + "    return h, np.exp(h)",
            "Your scores end at −20",
        ),
        "−20 where it is −∞": (
            ENTROPIES.replace("softmax(bias)", "softmax(np.where(bias == -np.inf, -20, bias))")
            + "    return h, np.exp(h)",
            "You put −20 in place of −∞",
        ),
        "the smallest float in place of −∞": (
            ENTROPIES.replace("softmax(bias)", "softmax(np.nan_to_num(bias))") + "    return h, np.exp(h)",
            None,
        ),
        "float32": (
            ENTROPIES.replace("softmax(bias)", "softmax(bias.astype(np.float32))") + "    return h, np.exp(h)",
            "You compute in float32",
        ),
        "participation": (
            "    w = softmax(bias)\n    s = 1 / (w**2).sum(-1)\n    return np.log(s), s",
            "another measure of span",
        ),
    },
    "pairs_per_bucket": {
        "loops": (pairs(), None),
        "pair by pair": (
            """
    counts = [0] * num_buckets
    for query in range(length):
        for key in range(query + 1):
            row = bucket(key - query, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
            counts[row] += 1
    return counts
""",
            None,
        ),
        "return in the loop": (
            pairs().replace("    return counts", "        return counts"),
            "the first query is counted",
        ),
        "the last query alone": (
            BUCKETS + "    return np.bincount(rows, minlength=num_buckets)",
            "count each distance once",
        ),
        "all n² pairs": (pairs(keys="length"), "which the causal mask hides"),
        "without itself": (pairs(keys="i"), "Distance 0 is missing"),
        "query minus key": (pairs(offset="i - j"), "All pairs are in bucket 0"),
        "an encoder's": (pairs(how="num_buckets=num_buckets, max_distance=max_distance"), "an encoder's buckets"),
        "sizes left out": (pairs(how="bidirectional=False, max_distance=max_distance"), "Indices run from 0"),
        "max_distance left out": (
            pairs(how="bidirectional=False, num_buckets=num_buckets"),
            "Right for `max_distance` 128 only",
        ),
        "assigned": (
            pairs().replace("np.add.at(counts, ", "counts[").replace("), 1)", ")] = 1"),
            "which rows are reached",
        ),
        "reached": (pairs().replace("return counts", "return counts > 0"), "which rows are reached"),
        "names of the rows": (pairs().replace("return counts", "return np.flatnonzero(counts)"), "numbers of the rows"),
        "added once for each row": (
            BUCKETS + "    counts = np.zeros(num_buckets)\n    counts[rows] += length - d\n    return counts",
            "for arrays there are `np.bincount` and `np.add.at`",
        ),
        "overwritten in a loop": (
            """
    out = np.zeros(num_buckets)
    for d in range(length):
        b = bucket(-d, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
        out[b] = length - d
    return out
""",
            "`=` overwrites what an earlier distance put there",
        ),
        "a table into bincount": (
            "    d = np.arange(length)\n"
            "    r = d - d[:, None]\n"
            "    rows = bucket(r, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)\n"
            "    return np.bincount(rows, minlength=num_buckets)",
            "`.ravel()` makes one of a table",
        ),
        "the last bucket ends": (
            """
    counts = [0] * num_buckets
    for d in range(min(length, max_distance)):
        row = bucket(-d, bidirectional=False, num_buckets=num_buckets, max_distance=max_distance)
        counts[row] += length - d
    return counts
""",
            "It has no end: it serves every distance",
        ),
        "below 0": (
            BUCKETS.replace("arange(length)", "arange(2 * length)")
            + "    return np.bincount(rows, weights=length - d, minlength=num_buckets)",
            "A count cannot be negative",
        ),
        "rows missing at the end": (
            BUCKETS + "    return np.bincount(rows, weights=length - d)",
            "Rows that nobody reaches are missing",
        ),
        "clipped": (
            "    d = np.arange(length)\n"
            "    return np.bincount(np.minimum(d, num_buckets - 1), weights=length - d, minlength=num_buckets)",
            "This is clipping",
        ),
        "one too few": (
            BUCKETS + "    return np.bincount(rows, weights=length - 1 - d, minlength=num_buckets)",
            "One too few at every distance",
        ),
    },
    "blind_from": {
        "column by column": (
            """
    found = []
    for column in known.T:
        other = np.flatnonzero(column != column[-1])
        found.append(other[-1] + 1 if len(other) else 0)
    return np.array(found)
""",
            "This is a distance for each column",
        ),
        "neighbours from the front": (
            """
    for d in range(len(known) - 1):
        if (known[d] == known[d + 1]).all():
            return d
    return len(known) - 1
""",
            "looks like the next",
        ),
        "everything behind": (
            """
    for d in range(len(known)):
        if (known[d:] == known[-1]).all():
            return d
""",
            None,
        ),
        "the first that equals the last": (
            """
    for d in range(len(known)):
        if (known[d] == known[-1]).all():
            return d
""",
            "a clock comes round",
        ),
        "unique": ("    return len(np.unique(known, axis=0)) - 1", "the number of the last kind"),
        "how many": ("    return len(np.unique(known, axis=0))", "counts the different rows"),
        "argmax": ("    return int(np.argmax(known[:, 0]))", "where the largest number stands"),
        "the last that differs": (
            """
    last = 0
    for d in range(len(known)):
        if (known[d] != known[-1]).any():
            last = d
    return last
""",
            "One too small",
        ),
        "one after it": (
            """
    blind = 0
    for d in range(len(known)):
        if (known[d] != known[-1]).any():
            blind = d + 1
    return blind
""",
            None,
        ),
        "no all": (
            """
    d = len(known) - 1
    while d > 0 and known[d - 1] == known[-1]:
        d = d - 1
    return d
""",
            "truth value",
        ),
        "any": (
            """
    d = len(known) - 1
    while d > 0 and (known[d - 1] == known[-1]).any():
        d = d - 1
    return d
""",
            "when *all* their numbers are equal",
        ),
        "isclose": (
            """
    d = len(known) - 1
    while d > 0 and np.allclose(known[d - 1], known[-1], rtol=0.05, atol=0.05):
        d = d - 1
    return d
""",
            "Nearly equal is not equal",
        ),
        "one head": (
            """
    d = len(known) - 1
    while d > 0 and known[d - 1, 0] == known[-1, 0]:
        d = d - 1
    return d
""",
            "the first column alone",
        ),
        "any, from the front": (
            """
    for d in range(len(known)):
        if (known[d:] == known[d]).any():
            return d
""",
            "With `.any()`, one equal number is enough",
        ),
        "np.allclose": (
            """
    d = len(known) - 1
    while d > 0 and np.allclose(known[d - 1], known[-1], atol=1e-3):
        d = d - 1
    return d
""",
            "differ by less than 0.001",
        ),
        "sums": (
            """
    for d in range(len(known)):
        if (known[d:].sum(1) == known[-1].sum()).all():
            return d
""",
            "You compare the sum (or the mean) of each row",
        ),
        "means": (
            """
    for d in range(len(known)):
        if (known[d:].mean(1) == known[-1].mean()).all():
            return d
""",
            "You compare the sum (or the mean) of each row",
        ),
        "largest": (
            """
    for d in range(len(known)):
        if (known[d:].max(1) == known[-1].max()).all():
            return d
""",
            "You compare the largest number of each row",
        ),
        "sorted": (
            """
    for d in range(len(known)):
        if (np.sort(known[d:], axis=1) == np.sort(known[-1])).all():
            return d
""",
            "(0, 1) is not (1, 0)",
        ),
        "no row differs": (
            "    steps = np.flatnonzero((known[1:] != known[:-1]).any(1))\n    return steps[-1] + 1",
            "Where none does, your list is empty: there the answer is 0",
        ),
        "diff along the wrong axis": (
            "    steps = np.flatnonzero(np.diff(known).any(1))\n    return steps[-1] + 1",
            "From row to row it is `axis=0`",
        ),
        "diff along the wrong axis, guarded": (
            "    steps = np.flatnonzero(np.diff(known).any(1))\n    return steps[-1] + 1 if steps.size else 0",
            "`np.diff` without `axis=0`",
        ),
        "diff": (
            "    steps = np.flatnonzero(np.diff(known, axis=0).any(1))\n    return steps[-1] + 1 if steps.size else 0",
            None,
        ),
        "no row differs, max": (
            "    return np.where((known != known[-1]).any(axis=1))[0].max() + 1",
            "there is nothing to take the largest of",
        ),
        "no row differs, while": (
            """
    d = len(known) - 1
    while (known[d] == known[-1]).all():
        d -= 1
    return d + 1
""",
            "your loop runs over the front",
        ),
        "where each kind is first met": (
            "    return np.unique(known, axis=0, return_index=True)[1].max()",
            "A row may come again later",
        ),
        "argmax without all": ("    return np.argmax(known == known[-1])", "Without `.all(axis=1)`"),
        "nothing where no row differs": (
            """
    for d in range(len(known) - 1, 0, -1):
        if (known[d - 1] != known[-1]).any():
            return d
""",
            "in this one no `return` was reached",
        ),
        "how many are equal": ("    return int((known == known[-1]).all(axis=1).sum())", "equal to the last one"),
    },
    "loss_by_length": {
        "the last ones alone": (
            windows(tokens="text[-train:]", losses="model(tokens, np.arange(n - train, n))"),
            "are read alone, at late positions",
        ),
        "right": (windows(), None),
        "positions go on": (
            windows(
                losses="np.concatenate([model(tokens[s : s + train], np.arange(s, s + len(tokens[s : s + train])))"
                " for s in range(0, n, train)])"
            ),
            "each window is still read alone",
        ),
        "positions come round": (windows(losses="model(tokens, np.arange(n) % train)"), "begin again every"),
        "positions go on, and the mean over all": (
            windows(
                losses="np.concatenate([model(tokens[s : s + train], np.arange(s, s + len(tokens[s : s + train])))"
                " for s in range(0, n, train)])",
                mean="losses.mean()",
            ),
            "each window is still read alone, and all n tokens count now",
        ),
        "the other losses": (windows(mean="losses[:-train].mean()"), "all tokens but the last `train`"),
        "positions stop": (
            windows(losses="model(tokens, np.arange(n).clip(max=train - 1))"),
            "stop at the last trained",
        ),
        "positions of the text": (
            windows(losses="model(tokens, np.arange(len(text) - n, len(text)))"),
            "positions in the whole text",
        ),
        "mean over all": (windows(mean="losses.mean()"), "The mean runs over all n tokens"),
        "the first tokens": (windows(tokens="text[:n]"), "the first n tokens"),
        "the first losses": (windows(mean="losses[:train].mean()"), "the first `train` tokens"),
        "the whole text": (
            windows(tokens="text", losses="model(tokens, np.arange(len(text)))"),
            "reads the whole text",
        ),
        "windows to the end": (
            """
    curve = []
    for n in lengths:
        losses = []
        for start in range(0, n, train):
            window = text[-n:][start : start + n]
            losses.append(model(window, np.arange(len(window))))
        curve.append(np.concatenate(losses)[-train:].mean())
    return curve
""",
            "Only one call is needed",
        ),
        "wider windows": (
            """
    curve = []
    for n in lengths:
        window = text[-n:][-2 * train :]
        curve.append(model(window, np.arange(len(window)))[-train:].mean())
    return curve
""",
            "twice its training length",
        ),
        "sliding": (
            """
    curve = []
    for n in lengths:
        tokens = text[-n:]
        losses = []
        for t in range(n - train, n):
            window = tokens[max(0, t + 1 - train) : t + 1]
            losses.append(model(window, np.arange(len(window)))[-1])
        curve.append(np.mean(losses))
    return curve
""",
            "a window that slides",
        ),
        "swapped": (windows(losses="model(np.arange(n), tokens)"), "the tokens come first"),
        "the last loss left out": (windows(mean="losses[-train:-1].mean()"), "The last loss is left out"),
        "the last token left out": (windows(tokens="text[-n:-1]"), "The slice stops before the last token"),
        "the last token left out of both": (
            windows(tokens="text[-n:-1]", losses="model(tokens, np.arange(len(tokens)))"),
            "The last token is not read",
        ),
        "positions that end at train": (
            windows(losses="model(tokens, np.arange(n) - n + train)"),
            "those before them at negative ones",
        ),
        "one number in the loop": (
            windows().replace("curve.append(losses[-train:].mean())", "return losses[-train:].mean()"),
            "a `return` in the loop ends the function",
        ),
        "the given windows, and return in the loop": (
            """
    curve = []
    for n in lengths:
        losses = []
        for start in range(0, n, train):
            window = text[-n:][start : start + train]
            losses.append(model(window, np.arange(len(window))))
        curve.append(np.concatenate(losses)[-train:].mean())
        return curve
""",
            "the `return` is inside the loop. And each window is still read alone",
        ),
        "no positions": (windows(losses="model(tokens, n)"), "a position of its own"),
        "sum": (windows(mean="losses[-train:].sum()"), "the sum of the losses"),
        "perplexity": (windows(mean="np.exp(losses[-train:].mean())"), "the perplexity"),
        "return in the loop": (
            windows().replace("    return curve", "        return curve"),
            "inside the loop",
        ),
    },
    "fair_curve": {
        "right": (curve(), None),
        "only the mean": (curve(losses="model(text[place : place + n])[-last:]"), "others at each length"),
        "only the places": (curve(losses="model(text[place - n : place])"), "all of their tokens count"),
        "the first tokens of each": (
            curve(losses="model(text[place : place + n])[:last]"),
            "must *end* at the same place",
        ),
        "where the longest ends": (
            curve(losses="model(text[place + max(lengths) - n : place + max(lengths)])[-last:]"),
            "not where they should",
        ),
        "no context": (curve(losses="model(text[place - last : place])"), "no window is longer"),
        "one too late": (curve(losses="model(text[place - n + 1 : place + 1])[-last:]"), "one token too late"),
        "one loss too early": (
            curve(losses="model(text[place - n : place])[-last - 1 : -1]"),
            "`[-last:]` goes on to the end",
        ),
        "all windows at once": (
            "    return [model(np.stack([text[p - n : p] for p in places]))[:, -last:].mean() for n in lengths]",
            "must be (n,): it reads one window at a time",
        ),
        "the others": (
            curve(losses="model(text[place - n : place])[:-last]"),
            "all tokens but the ones that are asked",
        ),
        "the given windows, their last tokens, and return in the loop": (
            curve(losses="model(text[place : place + n])[-last:]").replace("    return curve", "        return curve"),
            "Is the `return` inside the loop?",
        ),
        "no places": (curve(losses="model(text[-n:])[-last:]"), "`place` is not used"),
        "always the longest": (
            curve(losses="model(text[place - max(lengths) : place])[-last:]"),
            "the longest: n is not used",
        ),
        "n and the last": (
            curve(losses="model(text[place - n - last : place])[-last:]"),
            "The windows have n + `last` tokens",
        ),
        "one number in the loop": (
            curve().replace("curve.append(total / len(places))", "return total / len(places)"),
            "a `return` in the loop ends the function",
        ),
        "sum over places": (curve(mean="total"), "Divide by the number of places"),
        "the first ones": (curve(losses="model(text[place - n : place])[:last]"), "the first tokens of each window"),
        "both sides": (curve(losses="model(text[place - n : place + n])[-last:]"), "2n tokens"),
        "sum": (
            "    return [sum(model(text[p - n : p])[-last:].sum() for p in places) for n in lengths]",
            "the sum of the losses",
        ),
        "for each place": (
            "    return [[model(text[p - n : p])[-last:].mean() for p in places] for n in lengths]",
            "a mean for each place",
        ),
    },
    "square_root_decay": {
        "clamped": (
            "    return -self.strengths[:, None] * row_offsets(n_q, n_k, past).clamp(min=0).sqrt()",
            "Keys before the query get 0",
        ),
        "loops": (hook(), None),
        "an array": (hook(result="rows).numpy("), "an ndarray; a hook returns a torch tensor"),
        "a list": (hook(result="rows).tolist("), "a list; a hook returns a torch tensor: `torch.tensor"),
        "a list of tensors": (
            "    r = row_offsets(n_q, n_k, past).abs().sqrt()\n    return [-s * r for s in self.strengths]",
            "`torch.stack(…)` makes one",
        ),
        "stacked": (
            "    import torch\n    r = row_offsets(n_q, n_k, past).abs().sqrt()\n"
            "    return torch.stack([-s * r for s in self.strengths])",
            None,
        ),
        "in place": (
            "    return -self.strengths.unsqueeze_(1) * row_offsets(n_q, n_k, past).abs().sqrt()",
            "your function writes into `self.strengths`",
        ),
        "past twice": (
            "    return -self.strengths[:, None] * (row_offsets(n_q, n_k, past) + past).abs().sqrt()",
            "add nothing to what comes back",
        ),
        "no n_k": (
            "    return -self.strengths[:, None] * row_offsets(n_q, past=past).abs().sqrt()",
            "`row_offsets` takes n_k = past + n_q",
        ),
        "minus for abs": (
            "    return -self.strengths[:, None] * (-row_offsets(n_q, n_k, past)).sqrt()",
            "−r is negative there",
        ),
        "whole numbers": (
            "    return -self.strengths[:, None] * row_offsets(n_q, n_k, past).abs().sqrt().long()",
            "`.long()` cuts the roots off",
        ),
        "no self": (
            "    return -strengths[:, None] * row_offsets(n_q, n_k, past).abs().sqrt()",
            "The strengths belong to the module",
        ),
        "the sign": (hook(b="float(self.strengths[h]) * abs(r) ** 0.5"), "The sign is wrong"),
        "no root": (hook(b="-float(self.strengths[h]) * abs(r)"), "ALiBi's straight line"),
        "a logarithm": (hook(b="-float(self.strengths[h]) * math.log(1 + abs(r))"), "This is the log decay"),
        "under the root": (hook(b="-((float(self.strengths[h]) * abs(r)) ** 0.5)"), "come under the root"),
        "1 + distance": (hook(b="-float(self.strengths[h]) * (1 + abs(r)) ** 0.5"), "no 1 under this root"),
        "no past": (hook(offsets="range(-(n_q - 1), n_k)"), "Right without a cache"),
        "backwards": (hook(offsets="range(n_k - past - 1, -(past + n_q), -1)"), "run backwards"),
        "heads last": (hook(result="rows).T.contiguous("), "The heads come first"),
        "no axis": (
            "    return -self.strengths * row_offsets(n_q, n_k, past).abs().sqrt()",
            "give the strengths a second axis",
        ),
        "no abs": (
            "    return -self.strengths[:, None] * row_offsets(n_q, n_k, past).sqrt()",
            "The distance is |r|",
        ),
        "one number for all": (
            "    return -self.strengths[0] * row_offsets(n_q, n_k, past).abs().sqrt()",
            "All heads get the first strength",
        ),
        "the matrix": (
            """
    import torch
    i, j = past + torch.arange(n_q)[:, None], torch.arange(n_k)
    return -self.strengths[:, None, None] * (j - i).abs().sqrt()
""",
            "A hook gives one number per *offset*",
        ),
        "the mask as well": (
            """
    r = row_offsets(n_q, n_k, past)
    return (-self.strengths[:, None] * r.abs().sqrt()).masked_fill(r > 0, -math.inf)
""",
            "the mask's business",
        ),
        "0 after the query": (
            "    r = row_offsets(n_q, n_k, past)\n    return -self.strengths[:, None] * (-r).clamp(min=0).sqrt()",
            "more than any key before it",
        ),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH10[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words and words in text, text


ANSWERS = [
    ("rises_more", {"learned or sinusoidal": "learned"}, "Easy to believe"),
    ("rises_more", {"none or rope": "none"}, "nothing new comes"),
    ("rises_more", {"t5-128 or t5-32": "t5-32"}, "still as they were drawn"),
    ("rises_more", {"alibi or rope": "ALiBi"}, "grows on and on"),
    ("rises_more", {_field(*pair): pair[1] for pair in FORECASTS}, "All seven are the other way round"),
    ("two_spans", {"half on one, span": 42}, "is this √1800, rounded?"),
    ("two_spans", {"half on one, span": 450.5}, "a mean of two counts"),
    ("two_spans", {"half on one, span": 3.996}, "1 / Σw², another measure"),
    ("two_spans", {"halving, span": 3}, "1 / Σw², another measure"),
    ("two_spans", {"halving, span": 1}, "one key with all of the weight"),
    ("two_spans", {"128 alike, above 1 %": 128}, "is 1/128 more than 1/100?"),
    ("two_spans", {"128 alike, span": 64}, "twice as many keys"),
    ("two_spans", {"half on one, span": 4.094}, "this is the entropy"),
    ("two_spans", {"half on one, span": 901}, "not alike"),
    ("two_spans", {"halving, above 1 %": 7}, "1/128 is less"),
    ("two_spans", {"halving, span": 1.386}, "this is the entropy"),
    ("two_spans", {"64 alike, span": 4.2}, "is the entropy, rounded"),
    ("two_spans", {"128 alike, span": 7}, "the entropy in bits"),
    ("two_spans", {"half on one, above 1 %": 900}, "Which key is above?"),
    ("two_spans", {"half on one, span": 900}, "hold one half of the weight"),
    ("two_spans", {"half on one, span": 30}, "30 is e^(½ ln 900)"),
    ("two_spans", {"half on one, span": 42.43}, "in place of 1/1800 under your logarithm"),
    ("two_spans", {"halving, above 1 %": 6.64}, "Keys are whole"),
    ("two_spans", {"halving, above 1 %": float("inf")}, "soon each has less than 1 %"),
    ("two_spans", {"halving, span": 1.414}, "the first key alone"),
    ("two_spans", {"halving, span": 7.389}, "the ln 2 is missing"),
    ("grows_with_n", {"log, 1": "bounded"}, "grows like ln n"),
    ("grows_with_n", {"ALiBi, 1/256": "grows"}, "some 700 keys"),
    ("grows_with_n", {"T5, far row −5": "bounded"}, "share one row"),
]


@pytest.mark.parametrize(("name", "wrong", "words"), ANSWERS)
def test_a_slip_with_the_pencil_is_named(name, wrong, words):
    result = CH10[name].check({**CH10[name].expected(), **wrong})
    assert not result.passed and words in result.cause, result


NO_CAUSE = [
    ("64 alike, span", 63.5),
    ("64 alike, span", 63),
    ("64 alike, span", 63.9),
    ("128 alike, span", 126),
    ("halving, span", 3.9),
    ("halving, span", 8),
    ("halving, span", 1.45),
    ("half on one, span", 4),
    ("128 alike, above 1 %", 1),
]


@pytest.mark.parametrize(("field", "wrong"), NO_CAUSE)
def test_a_number_that_is_wrong_by_chance_is_called_wrong_and_no_more(field, wrong):
    result = CH10["two_spans"].check({**CH10["two_spans"].expected(), field: wrong})
    assert not result.passed and not result.cause and field in repr(result)


def test_a_name_of_another_pair_is_told_the_two_names():
    result = CH10["rises_more"].check({**CH10["rises_more"].expected(), "none or rope": "alibi"})
    assert 'none or rope: "alibi" is none of the words: "none", "rope"' in repr(result)


def test_a_key_that_is_spelt_in_another_way_is_named():
    given = {**CH10["grows_with_n"].expected(), "T5, far row -5": "grows"}
    said = repr(CH10["grows_with_n"].check(given))
    assert 'with "no bias", "log, 0.3"' in said and 'it has no "T5, far row -5"' in said


def test_what_is_shown_after_the_forecast_and_after_the_hook_is_what_was_measured():
    forecast = CH10["rises_more"]
    assert "alibi −0.02, rope 0.89; t5-128 0.98, t5-32 0.18" in forecast.check(forecast.expected()).notes[0]
    for scheme in ("log-1", "alibi"):
        (row,) = (r for r in study_rows() if (r["task"], r["scheme"], r["seed"]) == ("characters", scheme, 0))
        assert f"{row['loss'][0]:.3f} and {row['loss'][-1]:.3f} with" in CH10["square_root_decay"].then


def test_an_entry_is_called_by_its_offset_or_its_length():
    hook_told = told(CH10["square_root_decay"], SLIPS["square_root_decay"]["the sign"][0])
    assert "head 0, offset −4: yours 2" in hook_told
    for name, slip in (("loss_by_length", "mean over all"), ("fair_curve", "sum")):
        assert re.search(r"length (8|16): yours", told(CH10[name], SLIPS[name][slip][0]))


# ---------------------------------------------------------------- what the words of the tasks say


def test_the_untouched_evaluation_is_flat_and_the_mended_one_rises():
    task = CH10["loss_by_length"]
    for case in task.cases:
        flat, curve = task.given(*case.args), task.right(*case.args)
        assert np.ptp(flat) < 0.01
        assert len(curve) == 1 or curve[-1] > 10 * curve[0]


def test_a_mean_over_other_questions_hides_a_part_of_the_rise():
    task = CH10["fair_curve"]
    given, right = (function(*task.cases[0].args) for function in (task.given, task.right))
    assert right[1] - right[0] > 1.5 * (given[1] - given[0])


def test_the_rows_of_the_study_that_are_never_trained():
    unread = [[b for b, pairs in enumerate(CH10["pairs_per_bucket"].right(64, 32, m)) if not pairs] for m in (128, 32)]
    assert unread == [[27, 28, 29, 30, 31], [20]]
    longer = [[b for b, pairs in enumerate(CH10["pairs_per_bucket"].right(512, 32, m)) if not pairs] for m in (128, 32)]
    assert longer == [[], [20]]  # in the second, no distance falls into bucket 20: no text reaches it


def test_the_hook_works_in_a_layer():
    torch = pytest.importorskip("torch")
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.position import Position

    class SquareRootDecay(Position):
        def __init__(self, strengths):
            super().__init__()
            self.register_buffer("strengths", torch.tensor(strengths))

        bias = cell(CH10["square_root_decay"].solution_source().split('"""')[-1], CH10["square_root_decay"])

    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, SquareRootDecay([1.0, 0.25]), causal=True)
    x = torch.randn(1, 6, 8)
    q, k, v = (
        linear(x)[0].unflatten(-1, (2, 4)).transpose(0, 1).tolist() for linear in (layer.query, layer.key, layer.value)
    )
    heads = [
        oracle.attention_with_bias(q[h], k[h], v[h], lambda r, s=strength: -s * abs(r) ** 0.5, scale=0.5, causal=True)[
            0
        ]
        for h, strength in enumerate((1.0, 0.25))
    ]
    expected = layer.out(torch.tensor(heads).transpose(0, 1).flatten(1))
    assert torch.allclose(layer(x)[0], expected, atol=1e-5)


# ---------------------------------------------------------------- the rows of the study


ROWS = [
    {"task": task, "scheme": scheme, "seed": seed, "lengths": [64, 512], "loss": loss}
    for task, scheme, seed, loss in [
        ("characters", "alibi", 0, [1.5, 1.6]),
        ("characters", "alibi", 1, [1.5, 1.4]),
        ("characters", "rope", 0, [1.25, 1.5]),
        ("characters", "rope", 1, [1.25, 2.0]),
        ("flip-flop", "alibi", 0, [0.0, 9.0]),
    ]
]


def test_a_rise_is_the_mean_over_the_seeds_of_one_task():
    assert mean_rise(ROWS, "characters", "alibi") == pytest.approx(0.0)
    assert mean_rise(ROWS, "characters", "rope") == pytest.approx(0.5)
    assert more(ROWS, "characters", "alibi", "rope") == "rope"
    with pytest.raises(ValueError, match=re.escape("scheme='xl': no such row")):
        mean_rise(ROWS, "characters", "xl")


def test_no_forecast_hangs_on_the_choice_of_the_seeds():
    """Which scheme of a pair rises more is the same for every single seed, so that the answer is no chance."""
    rows = study_rows()
    for seed in sorted({row.get("seed") for row in rows}, key=str):
        chosen = [row for row in rows if row.get("seed") == seed]
        for pair, right in CH10["rises_more"].expected().items():
            assert more(chosen, "characters", *pair.split(" or ")) == right, (seed, pair)
