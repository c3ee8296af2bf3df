"""Prediction: three reports, three faults · 8 minutes · ★★ · first

Three models have one layer with RoPE, and each has one of these faults. The check-up compares each model's logits for
other tokens, positions and masks. Its reports are below, without their explanations. (*know* means: no fault, but worth
knowing.) Which model has which fault?

- `"positions in float16"`: they are rounded to float16 before use;
- `"positions in bfloat16"`: the same with bfloat16;
- `"positions ignored"`: whatever positions are given, it counts from 0;
- `"an absolute part"`: sines of the positions are added to the input, too;
- `"padding is seen"`: the mask is ignored, but later keys stay hidden;
- `"one mask for all"`: the mask of the last text of a batch is used for all texts;
- `"other pairs"`: the rotation pairs neighbours, but the weights are meant for halves.

REPORTS
"""

import torch
from torch import Tensor, nn

from course_lib.checkup import checkup
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE

FILE = {"model_type": "llama", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 32}
FILE |= {"rope_theta": 10_000, "max_position_embeddings": 512}
ROUNDED = {"positions in float16": torch.half, "positions in bfloat16": torch.bfloat16}


def report(fault):
    """The check-up of a small model with this fault: {name: check} of what was asked."""
    torch.manual_seed(0)
    embed, rope = nn.Embedding(50, 32), RoPE(16, interleaved=fault == "other pairs")
    layer = RelativeAttention(32, n_heads=2, position=rope, causal=True)

    def logits(ids: Tensor, positions: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        if positions is None or fault == "positions ignored":
            positions = torch.arange(ids.shape[1])
        if mask is not None:
            mask = None if fault == "padding is seen" else mask[-1:] if fault == "one mask for all" else mask
        positions = positions.to(ROUNDED.get(fault, torch.long)).long()
        x = embed(ids)
        x = x + positions[..., None].sin() * (fault == "an absolute part")
        x = x + layer(x, positions=positions, mask=None if mask is None else mask[:, None])
        return x @ embed.weight.T

    return {check.name: check for check in checkup(logits, config=FILE).checks if check.verdict != "skipped"}


def words_of(_field=None):
    return [*ROUNDED, "positions ignored", "an absolute part", "padding is seen", "one mask for all", "other pairs"]


FOUND = {fault: report(fault) for fault in words_of()}


def named(fault, verdict):
    """The checks with this verdict, in a row."""
    names = [f"“{name}”" for name, check in FOUND[fault].items() if check.verdict == verdict]
    return ", ".join(names)


def shown(fault):
    """A report in Markdown."""
    return "\n".join(f"- {verdict}: {named(fault, verdict) or 'none'}" for verdict in ("fault", "know", "fine"))


def overlooked(at, fault):
    """What a wrong answer overlooks: what the report would be."""
    faults = named(fault, "fault")
    would = f"would show these faults: {faults}" if faults else "would show no fault, because it is relative, too"
    return f"A report on a model with the fault “{fault}” {would}. Look at the faults of report {at} again."


ANSWER = {"A": "one mask for all", "B": "positions in float16", "C": "other pairs"}
REPORTS = "\n\n".join(f"**Report {at}**\n\n{shown(fault)}" for at, fault in ANSWER.items())
__doc__ = str(__doc__).replace("REPORTS", REPORTS)
WRONG = {at: {fault: overlooked(at, fault) for fault in words_of() if fault != ANSWER[at]} for at in ANSWER}
ON_PASS = (
    "Model C is broken, and no check fails. A wrong pairing is relative, too, so only a comparison with the original "
    "finds it: `compare(mine, theirs)` of `course_lib.checkup`."
)
HINTS = [
    "Begin with the faults. Which kind of call fails, and which similar call does not?",
    "Every whole number up to 2,048 is exact in float16, and up to 256 in bfloat16.",
    "Which fault leaves scores that depend on the offset alone, in every call?",
]
