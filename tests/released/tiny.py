"""A tiny decoder with random weights, and what it computes, number by number."""

import cmath
import math

import torch

from course_lib.released.decoder import Config, Decoder
from course_lib.released.model import Released

CONFIG = Config(n_layers=3, d_model=16, n_heads=4, n_kv_heads=2, d_feed_forward=20, vocabulary=50, base=100.0)
N, PAIRS = 9, CONFIG.d_head // 2
SPEEDS = [CONFIG.base ** (-m / PAIRS) for m in range(PAIRS)]


class Letters:
    """A tokenizer whose tokens are characters."""

    def encode(self, text):
        raise NotImplementedError

    def decode(self, numbers, skip_special_tokens=True):
        return "".join(chr(65 + number) for number in numbers)

    def token_to_id(self, name):
        return 49


def tiny():
    """The model, in float64, and a text of N tokens."""
    torch.manual_seed(0)
    decoder = Decoder(CONFIG).double().requires_grad_(False)
    for parameter in decoder.parameters():
        parameter.copy_(torch.randn_like(parameter) * (0.5 if parameter.dim() > 1 else 0.1) + (parameter.dim() == 1))
    return Released(decoder, Letters()), torch.randint(CONFIG.vocabulary - 1, (N,))


@torch.no_grad()
def logits(model, numbers):
    """The scores of all tokens of the vocabulary after each token: (n, vocabulary)."""
    return model.decoder.out(model._read(numbers))


def by_definition(
    model,
    numbers,
    *,
    place=lambda t: t,
    speeds=lambda layer, head: SPEEDS,
    turn=lambda layer, head: 0.0,
    factor=lambda layer, head: 1.0,
    bias=lambda layer, head, i, j: 0.0,
    seen=lambda i, j: True,
    stopped=(),
    outputs=lambda layer, head: 0.0,
):
    """The logits, with a loop over layers, heads, queries and keys; a pair of channels is a complex number."""
    decoder, d, group = model.decoder, CONFIG.d_head, CONFIG.n_heads // CONFIG.n_kv_heads
    x = decoder.out.weight[numbers]
    for layer, block in enumerate(decoder.blocks):
        a, y = block.attention, normalised(x, block.norm1)
        found = []
        for h in range(CONFIG.n_heads):
            rows, kv_rows = slice(h * d, (h + 1) * d), slice(h // group * d, (h // group + 1) * d)
            q, k, v = y @ a.query.weight[rows].T, y @ a.key.weight[kv_rows].T, y @ a.value.weight[kv_rows].T
            for i in range(len(x)):
                keys = [j for j in range(i + 1) if seen(i, j)]
                scores = []
                for j in keys:
                    far = place(i) + turn(layer, h) - place(j)
                    parts = [
                        (complex(q_0, q_1) * complex(k_0, k_1).conjugate() * cmath.exp(1j * speed * far)).real
                        for (q_0, q_1), (k_0, k_1), speed in zip(
                            q[i].view(-1, 2).tolist(), k[j].view(-1, 2).tolist(), speeds(layer, h), strict=True
                        )
                    ]
                    scores.append(factor(layer, h) * sum(parts) / math.sqrt(d) + bias(layer, h, i, j))
                powers = [math.exp(score - max(scores)) for score in scores]
                output = sum(power / sum(powers) * v[j] for power, j in zip(powers, keys, strict=True))
                found.append(outputs(layer, h) + 0 * output if (layer, h) in stopped else output)
        x = x + torch.stack(found).view(CONFIG.n_heads, len(x), d).transpose(0, 1).flatten(1) @ a.out.weight.T
        y, feed = normalised(x, block.norm2), block.feed_forward
        gate = y @ feed.gate.weight.T
        x = x + (gate / (1 + (-gate).exp()) * (y @ feed.up.weight.T)) @ feed.down.weight.T
    return normalised(x, decoder.norm) @ decoder.out.weight.T


def normalised(x, norm):
    return x / (x.square().mean(-1, keepdim=True) + CONFIG.eps).sqrt() * norm.weight
