"""The two commands: examine a model, and compare two."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from ..released.model import Released
from .calls import CALLS
from .case import SHORT, Case
from .check import SAME, Check, Refused, Report, change
from .comparison import compared
from .models import Asked, Course, Examined, Function
from .scheme import SCHEME
from .use import NEEDED, USES

USE = "the use of far text"
GROUPS = {"the scheme": SCHEME, "the calls": CALLS, USE: USES}
RANDOM = 96  # tokens, if no text is given: too few to check the use of far text


def checkup(
    model: Any = None,
    text: str | Tensor | None = None,
    tokenizer: Any = None,
    *,
    weights: Callable[..., Any] | None = None,
    vocabulary: int | None = None,
    config: Mapping[str, Any] | None = None,
) -> Report:
    """Every check of one model, which is left as it was.

    model: a causal language model of `transformers`, the course's `Released`, or a function logits(ids,
        positions=None, mask=None) with ids and positions (batch, n) and mask bool (batch, n, n), True where a query may
        look; it returns (batch, n, vocabulary).
    text: a string, which `tokenizer` encodes, or token numbers (n,), 48 or more. With 256 or more, the use of far
        text is checked, too. Without a text, random tokens are read.
    weights, vocabulary, config: for a function, or in place of one. weights(ids, positions) returns (heads, n, n) for
        each layer; config has the keys of a config.json.

    Raises ValueError for what is not a causal model, for a function of ids alone, and for a text that is too short.
    """
    examined = adapted(model, weights, vocabulary, config)
    case = Case(examined, tokens(examined, text, tokenizer))
    if model is not None:
        check_causal(case)
    enough = case.ids.shape[1] >= NEEDED
    questions = [(group, name) for group in GROUPS for name in GROUPS[group] if enough or group != USE]
    found = []
    with tqdm(questions, disable=None, leave=False, desc="check-up") as bar:  # silent where nobody watches
        for group, name in bar:
            bar.set_postfix_str(name)
            section, check = GROUPS[group][name]
            found.append(replace(answer(check, case), name=name, group=group, section=section))
    if all(check.verdict == "skipped" for check in found):
        raise ValueError(f"model: {found[-1].says}; expected positions, a mask, a cache or weights to ask for")
    if not enough:
        found.append(Check("skipped", f"needs a text of {NEEDED} tokens or more", name=USE, group=USE))
    curves = [curve.logs for curve in case.curves_at.get(1, [])]
    return Report(examined.name, found, case.said.words, curves, case.gaps)


def answer(check: Callable[[Case], Check], case: Case) -> Check:
    """What a check finds. A model that refuses the call, or stops in it, is skipped with the reason."""
    try:
        return check(case)
    except Refused as why:
        return Check("skipped", str(why))


def compare(model: Any, other: Any, text: Tensor | None = None) -> Report:
    """Two implementations of the same weights in every kind of call: how much they differ, and in which layer first.

    Models and text as in `checkup`. Raises ValueError for models of different vocabularies.
    """
    a, b = adapted(model), adapted(other)
    if a.vocabulary != b.vocabulary:
        raise ValueError(f"other has a vocabulary of {b.vocabulary}, expected that of model, {a.vocabulary}")
    return compared(a, b, tokens(a, text, None))


def adapted(
    model: Any,
    weights: Callable[..., Any] | None = None,
    vocabulary: int | None = None,
    config: Mapping[str, Any] | None = None,
) -> Examined:
    """The model as the checks call it. Raises ValueError for what cannot be called."""
    if isinstance(model, Examined):
        return model
    if isinstance(model, Released):
        return Course(model)
    if hasattr(model, "config") and hasattr(model, "forward"):
        from .transformers_model import Transformers

        return Transformers(model)
    if model is None and weights is not None and vocabulary is None:
        raise ValueError("vocabulary=None: expected the number of tokens, which weights alone do not tell")
    if (model is None and weights is None) or not callable(model or weights):
        raise ValueError(f"model={model!r}: expected a causal model of transformers, the course's, or a function")
    try:
        return Function(model, weights, vocabulary, config or {})
    except Refused as why:
        raise ValueError(f"model: {why}") from why


def tokens(model: Examined, text: str | Tensor | None, tokenizer: Any) -> Tensor:
    """The token numbers (1, n) to read."""
    if text is None:
        generator = torch.Generator().manual_seed(0)
        return torch.randint(min(3, model.vocabulary - 1), model.vocabulary, (1, RANDOM), generator=generator)
    if isinstance(text, str):
        encode = model.released.encode if isinstance(model, Course) and tokenizer is None else tokenizer
        if encode is None:
            raise ValueError("tokenizer=None: expected the model's tokenizer for a text that is a string")
        encoded = encode(text)
        text = encoded if isinstance(encoded, Tensor) else torch.tensor(encoded["input_ids"])
    if text.dim() != 1 or len(text) < SHORT or text.is_floating_point():
        raise ValueError(f"text of {tuple(text.shape)} tokens: expected (n,), with {SHORT} or more")
    return text[None]


def check_causal(case: Case) -> None:
    """A ValueError if the plain call fails, gives no numbers, or if a token sees those after it."""
    try:
        before, after = case.alone(), case.short.clone()
        after[0, -1] = (after[0, -1] + 1) % case.model.vocabulary
        other = case.model.logits(Asked(after))
    except Refused as why:
        raise ValueError(f"model: cannot read {SHORT} tokens: {why}") from why
    if not before.isfinite().all():
        raise ValueError("model: its logits are not finite, expected numbers")
    if change(other[:, :-1], before[:, :-1]) > SAME:
        raise ValueError("model: earlier logits depend on the last token, expected a causal model, not an encoder")
