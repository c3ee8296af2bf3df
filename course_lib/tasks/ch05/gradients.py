"""What learns from a memory, and what does not: a prediction."""

from ..engine import Answer, Mistake

SEGMENT_1, SEGMENT_2 = "input of segment 1", "input of segment 2"
REMEMBERED, LEARNED, CACHED = "W_k, from remembered keys alone", "v", "input of segment 1, with a cache"


def _gradients():
    """The loss of segment 2, sent back through a real layer."""
    import torch

    from ...nn.cache import KeyValueCache, SegmentMemory
    from ...nn.layer import RelativeAttention
    from ...nn.transformer_xl import TransformerXL

    generator = torch.Generator().manual_seed(0)
    layer = RelativeAttention(8, 2, TransformerXL(8, 2), causal=True).double()
    for weight in layer.parameters():
        weight.data = torch.randn(weight.shape, generator=generator, dtype=torch.double)

    def sent_back(cache, mask=None):
        layer.zero_grad()
        both = torch.randn(2, 1, 3, 8, generator=generator, dtype=torch.double)
        old, new = (x.clone().requires_grad_() for x in both)
        layer(old, cache=cache)
        layer(new, cache=cache, mask=mask).square().sum().backward()
        weights = dict(layer.named_parameters())
        asked = old, new, weights["key.weight"], weights["position.v"]
        return [x.grad is not None and bool(x.grad.abs().max() > 0) for x in asked]

    first, second, _, v = sent_back(SegmentMemory(3))
    remembered = sent_back(SegmentMemory(3), torch.arange(6) < 3)[2]
    cached = sent_back(KeyValueCache())[0]
    return {SEGMENT_1: first, SEGMENT_2: second, REMEMBERED: remembered, LEARNED: v, CACHED: cached}


gradients = Answer(
    "gradients",
    title="Where do gradients stop?",
    minutes=4,
    difficulty=2,
    words="""One layer of Transformer-XL reads segment 1, then segment 2 with segment 1 in its memory. The loss is computed
from the outputs of segment 2 alone and sent back. For each of these say `True` if it gets a gradient other than 0, and
`False` if not:

- the input of segment 1, and the input of segment 2;
- W_k, if a mask lets segment 2 look at the remembered tokens only, none of its own;
- the learned vector v;
- the input of segment 1, if a `KeyValueCache` that nobody detached stands in place of the memory.

Commit first. The last part of the lesson can then be changed to see it.""",
    expected=_gradients,
    mistakes=[
        Mistake(
            {SEGMENT_1: True},
            "The memory is detached when it is stored: what was read before is taken as it is, and no gradient goes back into it.",
        ),
        Mistake(
            {SEGMENT_2: False}, "Segment 2 was just read, and its loss is the one sent back: its own path is open."
        ),
        Mistake(
            {REMEMBERED: False},
            "What is detached are the remembered inputs. Their keys are made anew while segment 2 is read: who makes them?",
        ),
        Mistake({LEARNED: False}, "v is in every score of segment 2, whichever key it looks at: term (d)."),
        Mistake(
            {CACHED: False},
            "A cache keeps keys that were computed from segment 1. As long as nobody detaches them, they remember how.",
        ),
    ],
    hints=[
        "A gradient flows wherever an unbroken chain of computations leads from the loss back. Where is the chain cut?",
        "`SegmentMemory` detaches hidden states. What is computed from them afterwards is computed now.",
    ],
)
