"""What the checks of this topic hand to a learner's function."""

from typing import Any

import numpy as np
import torch

from course_lib.reference.attention import causal_mask, softmax

VOCABULARY = 6


def copier(tokens, positions, trained=8):
    """The loss of each token, (n,), of a model that says which token came before, trained on the positions 0 … 7.

    A query at a trained position finds the token one position before. At any other it spreads its weight nearly evenly.
    """
    tokens, positions = np.asarray(tokens), np.asarray(positions)
    if tokens.ndim != 1 or positions.shape != tokens.shape:
        raise ValueError(f"model: tokens {tokens.shape} and positions {positions.shape} must both be (n,), a row each")
    n = len(tokens)
    finds = (positions < trained)[:, None] & (positions[:, None] - positions == 1)
    weights = softmax(np.where(causal_mask(n), np.where(finds, 8.0, (positions - positions[:, None]) / 50), -np.inf))
    before = np.maximum(np.arange(n) - 1, 0)
    said = (weights @ np.eye(VOCABULARY)[tokens])[np.arange(n), tokens[before]]  # the share of the right token
    return -np.log(0.95 * said + 0.05 / VOCABULARY)


def copier_of_six(tokens, positions):
    """`copier` trained on the positions 0 … 5."""
    return copier(tokens, positions, trained=6)


class Decay:
    """Stands for the module that a hook belongs to. Its `strengths` are a tensor with a number for each head."""

    def __init__(self, *numbers: float) -> None:
        self.numbers, self.strengths = numbers, torch.tensor(numbers, dtype=torch.double)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the module has `strengths`, no `{name}`")

    def __repr__(self) -> str:
        return f"SquareRootDecay(strengths={list(self.numbers)})"
