"""The smallest experiment: an attention layer learns a task that needs position, beside a control that cannot."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from course_kit.display.widget import show
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position

from .run import reproducible

NOT_ASKED = -100  # as an answer: nothing is asked at this place
TESTED = 10_000  # the seed of the texts that are tested, past those of training
D_MODEL = 32

Draw = Callable[[Generator], tuple[Tensor, Tensor]]


class Small(nn.Module):
    """Tokens (batch, n) to logits (batch, n, vocabulary): an embedding, attention layers, a linear read-out.

    Each of `positions` says how offsets enter one attention layer, which a feed-forward layer may follow. Raises
    ValueError as `RelativeAttention` does.
    """

    def __init__(
        self,
        positions: Sequence[Position | None],
        vocabulary: int,
        *,
        n_heads: int = 1,
        causal: bool = False,
        feed_forward: bool = False,
    ) -> None:
        super().__init__()
        self.embedding: nn.Module = nn.Embedding(vocabulary, D_MODEL)
        self.read = nn.Linear(D_MODEL, vocabulary)
        layers = [RelativeAttention(D_MODEL, n_heads, position, causal=causal) for position in positions]
        self.attention: Sequence[RelativeAttention] = nn.ModuleList(layers)  # type: ignore[assignment]
        wide = 4 * D_MODEL
        parts = [nn.Sequential(nn.Linear(D_MODEL, wide), nn.ReLU(), nn.Linear(wide, D_MODEL)) for _ in positions]
        self.feed_forward = nn.ModuleList(parts if feed_forward else [])

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for number, attention in enumerate(self.attention):
            x = x + attention(x)
            if self.feed_forward:
                x = x + self.feed_forward[number](x)
        return self.read(x)


def fit(
    models: Mapping[str, Callable[[], nn.Module]],
    draw: Draw,
    *,
    steps: int = 150,
    learning_rate: float = 0.01,
    seeds: int = 3,
) -> dict[str, list[float]]:
    """Train each model with each seed, and return its accuracies on new texts: {"Shaw": [1.0, 1.0, 1.0], …}.

    models: for each name a function that makes the model, which turns tokens into logits as `Small` does.
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
                logits, answers = tested(model, draw)
                right = (logits.argmax(-1) == answers)[answers != NOT_ASKED]
                found[name].append(right.double().mean().item())
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


@torch.no_grad()
def tested(model: nn.Module, draw: Draw) -> tuple[Tensor, Tensor]:
    """The logits and the answers of eight batches of texts that no model has been trained on."""
    generator = Generator().manual_seed(TESTED)
    batches = [draw(generator) for _ in range(8)]
    return torch.cat([model(tokens) for tokens, _ in batches]), torch.cat([answers for _, answers in batches])
