"""The smallest experiment: one attention layer learns a task that needs position, beside a control that cannot."""

from collections.abc import Callable, Mapping

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from course_kit.display.widget import show
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position

from .run import reproducible

NOT_ASKED = -100  # as an answer: nothing is asked at this place
TESTED = 10_000  # the seed of the texts that are tested, past those of training

Draw = Callable[[Generator], tuple[Tensor, Tensor]]


class OneLayer(nn.Module):
    """Tokens (batch, n) to logits (batch, n, answers): an embedding, one attention layer (one head), a linear read-out.

    position: says how offsets enter the layer. answers: as many as tokens by default. Raises ValueError as
    `RelativeAttention` does.
    """

    def __init__(
        self,
        position: Position | None,
        vocabulary: int,
        answers: int | None = None,
        *,
        d_model: int = 32,
        causal: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.attention = RelativeAttention(d_model, 1, position, causal=causal)
        self.read = nn.Linear(d_model, answers or vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        return self.read(x + self.attention(x))


def fit(
    models: Mapping[str, Callable[[], nn.Module]],
    draw: Draw,
    *,
    steps: int = 150,
    learning_rate: float = 0.01,
    seeds: int = 3,
) -> dict[str, list[float]]:
    """Train each model with each seed, and return its accuracies on new texts: {"Shaw": [1.0, 1.0, 1.0], …}.

    models: for each name a function that makes the model, which turns tokens into logits as `OneLayer` does.
    draw(generator) gives one batch: tokens (batch, n) and answers (batch, n), with −100 where nothing is asked. All
    models see the same texts, and Adam takes the same steps with the same learning rate.
    """
    from ipywidgets import IntProgress

    counts = {"model": len(models), "seed": seeds, "step": steps}
    said = ", ".join(f"{count} {what}{'s' * (count > 1)}" for what, count in counts.items())
    bar = IntProgress(max=len(models) * seeds)
    show(f"{said} each", f"<p>{said} each.</p>", bar)
    found: dict[str, list[float]] = {name: [] for name in models}
    for name, make in models.items():
        for seed in range(seeds):
            with reproducible(seed):
                model = make()
                train(model, draw, steps, learning_rate, seed)
                found[name].append(accuracy(model, draw))
            bar.value += 1
    return found


def train(model: nn.Module, draw: Draw, steps: int, learning_rate: float, seed: int) -> None:
    """The loop: draw a batch, compare the model's logits with the answers, and let Adam take a step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    generator = Generator().manual_seed(seed)
    for _ in range(steps):
        tokens, answers = draw(generator)
        loss = cross_entropy(model(tokens).flatten(0, 1), answers.flatten(), ignore_index=NOT_ASKED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def accuracy(model: nn.Module, draw: Draw) -> float:
    """The share of right answers in texts that no model has been trained on."""
    logits, answers = tested(model, draw)
    return (logits.argmax(-1) == answers)[answers != NOT_ASKED].double().mean().item()


@torch.no_grad()
def tested(model: nn.Module, draw: Draw) -> tuple[Tensor, Tensor]:
    """The logits and the answers of eight batches of such texts."""
    generator = Generator().manual_seed(TESTED)
    batches = [draw(generator) for _ in range(8)]
    return torch.cat([model(tokens) for tokens, _ in batches]), torch.cat([answers for _, answers in batches])
