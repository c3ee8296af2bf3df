"""What the bench does not attempt, and what it refuses, in words that name the mistake."""

import math
import re

import pytest
import torch
from torch import nn

from course_lib import workbench
from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position

from ..schemes.definitions import SCHEMES
from .common import SAY_NOTHING


@pytest.mark.parametrize("name", SAY_NOTHING)
def test_a_scheme_that_says_nothing_is_not_attempted(name):
    make = SCHEMES[name].make
    for found in (
        workbench.agrees(make, SCHEMES[name].definition),
        workbench.benchmark(make),
        workbench.train(make),
    ):
        assert not found.attempted and repr(found).startswith("○ not attempted: ")
        assert "`key_vectors`" in repr(found)  # a hook may be misspelt


def returning(**hooks):
    """A make whose scheme has hooks that return this."""
    methods = {name: (lambda self, *sizes, value=value: value) for name, value in hooks.items()}
    return lambda n, d: type("Odd", (Position,), methods)()


def asking(**hooks):
    """A make whose scheme has these hooks."""
    return lambda n, d: type("Odd", (Position,), hooks)()


def right(n_heads, d_head):
    return DecayBias()


ZERO = workbench.with_bias(lambda module, head, r: 0.0)
ODD = {
    "no function": (lambda: workbench.benchmark(None), "make=None: expected a function of (n_heads, d_head)"),
    "a scheme": (lambda: workbench.train(DecayBias()), "make=a DecayBias: expected a function"),
    "one argument": (lambda: workbench.agrees(lambda n: DecayBias(), ZERO), "make: too many positional arguments"),
    "makes None": (lambda: workbench.agrees(lambda n, d: None, ZERO), "make(2, 4) returned None: expected"),
    "makes a class": (lambda: workbench.agrees(lambda n, d: DecayBias, ZERO), "returned the class DecayBias"),
    "makes a Linear": (lambda: workbench.benchmark(lambda n, d: nn.Linear(2, 2)), "make(8, 64) returned a Linear"),
    "makes a tensor": (lambda: workbench.agrees(lambda n, d: torch.ones(2), ZERO), "returned a tensor (2,)"),
    "a list": (lambda: workbench.agrees(returning(bias=[0.0]), ZERO), "bias(2, 2, 0) returned a list: expected"),
    "bare vectors": (lambda: workbench.train(returning(key_vectors=torch.ones(1, 3, 4))), "expected Vectors("),
    "only q": (lambda: workbench.agrees(returning(rotate=torch.ones(1)), ZERO), "expected q and k, each (1, 2, 2, 4)"),
    "a bias from scores": (
        lambda: workbench.benchmark(asking(bias=lambda self, n_q, n_k, past, scores: scores)),
        "bias takes (n_q, n_k, past, scores): expected a function of (n_q, n_k, past). No hook sees the scores",
    ),
    "a rotation from the input": (
        lambda: workbench.train(asking(rotate=lambda self, q, k, past, first_key, x: (q, k))),
        "rotate takes (q, k, past, first_key, x): expected a function of (q, k, past, first_key). No hook",
    ),
    "a number per key from queries": (
        lambda: workbench.agrees(asking(key_bias=lambda self, x, before, q: None), ZERO),
        "key_bias takes (x, before, q): expected a function of (x, before). No hook sees the scores",
    ),
    "a sink from the text": (
        lambda: workbench.agrees(asking(sink=lambda self, x: None), ZERO),
        "sink takes (x): expected a function of (). No hook sees",
    ),
    "a bias without the past": (
        lambda: workbench.train(asking(bias=lambda self, n_q, n_k: None)),
        "bias takes (n_q, n_k): expected a function of (n_q, n_k, past)",
    ),
    "a bias for each text": (
        lambda: workbench.agrees(returning(bias=torch.zeros(2, 1, 2, 2)), ZERO),
        "returned a tensor (2, 1, 2, 2): expected (heads or 1, 3) or (heads or 1, 2, 2), the same for every text",
    ),
    "a function": (lambda: workbench.agrees(right, math.sqrt), "definition=a builtin_function_or_method: expected"),
    "no definition": (lambda: workbench.agrees(right, None), "definition=None: expected with_bias"),
    "a number": (lambda: workbench.with_bias(3), "number=3: expected a function of (module, head, r)"),
    "two arguments": (
        lambda: workbench.with_bias(lambda module, head: 0.0),
        "number takes (module, head): expected a function of (module, head, r)",
    ),
    "a number as scores": (lambda: workbench.Definition(3), "scores=3: expected a function"),
    "no number": (
        lambda: workbench.agrees(right, workbench.with_bias(lambda *a: None)),
        "the definition's number for head 0, offset 0: None; expected one number",
    ),
    "a short vector": (
        lambda: workbench.agrees(right, workbench.with_vectors(lambda *a: [0.0])),
        "the definition's vector for head 0, offset 0: [0.0]; expected 4 numbers",
    ),
    "a short value": (
        lambda: workbench.agrees(right, workbench.with_vectors(value=lambda *a: [0.0] * 9)), "expected 4 numbers"
    ),
    "channels": (
        lambda: workbench.agrees(right, workbench.with_rotation(lambda *a: [(0, 4, 1.0)])),
        "the definition's pairs of head 0: [(0, 4, 1.0)]; expected triples of two different channels from 0 to 3",
    ),
    "no rows": (lambda: workbench.agrees(right, workbench.Definition(lambda *a: [[0.0]])), "6 rows of 6 numbers"),
    "no backend": (lambda: workbench.agrees(right, ZERO, []), "backends=[]: expected a list of one or more"),
    "a name for backends": (lambda: workbench.agrees(right, ZERO, "eager"), "backends='eager': expected a list"),
    "no backend that can": (
        lambda: workbench.agrees(SCHEMES["Shaw"].make, SCHEMES["Shaw"].definition, ["flex"]), "none of them can"
    ),
    "n": (lambda: workbench.benchmark(right, n=1.5), "n=1.5: expected a whole number"),
    "rounds": (lambda: workbench.benchmark(right, rounds="7"), "rounds='7': expected a whole number"),
    "seed": (lambda: workbench.train(right, seed=1.5), "seed=1.5: expected a whole number"),
    "a name for neighbours": (lambda: workbench.train(right, against="alibi"), "against='alibi': expected a list"),
    "a function as neighbour": (lambda: workbench.train(right, against=[right]), "expected a list of names"),
}  # fmt: skip


def test_the_limit_is_said_only_to_a_hook_that_asks_for_more():
    with pytest.raises(ValueError) as refused:
        workbench.train(asking(bias=lambda self, n_q, n_k: None))
    assert "CoPE" not in str(refused.value)
    workbench.benchmark(asking(bias=lambda self, n_q, n_k, past=0, more=1: None))  # what has a default is not asked for


@pytest.mark.parametrize("name", ODD)
def test_what_is_none_is_told_so(name):
    call, words = ODD[name]
    with pytest.raises(ValueError, match=re.escape(words)):
        call()
