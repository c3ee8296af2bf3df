"""Where do gradients stop?"""

from course_lib.checking import Prediction

SEGMENT_1, SEGMENT_2 = "input of segment 1", "input of segment 2"
REMEMBERED, LEARNED, CACHED = "W_k, from remembered keys alone", "v", "input of segment 1, with a cache"


def _gradients():
    """The loss of segment 2, sent back through a real layer."""
    import torch

    from course_lib.nn.cache import KeyValueCache, SegmentMemory
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.transformer_xl import TransformerXL

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


gradients = Prediction(
    "gradients",
    title="Where do gradients stop?",
    minutes=4,
    difficulty=2,
    words="""One layer of Transformer-XL reads segment 1, then segment 2 with segment 1 in its memory. The loss is
computed from the outputs of segment 2 alone and sent back. For each of these say `True` if it gets a gradient other
than 0, and `False` if not:

- the input of segment 1, and the input of segment 2;
- W_k, if a mask lets segment 2 look only at the remembered tokens and not at itself;
- the learned vector v;
- the input of segment 1, if a `KeyValueCache` that nobody detached replaces the memory.

Commit first. Then you can change the section “In torch, and where gradients stop” of the lesson to see the answers.""",
    expected=_gradients,
    slips={
        SEGMENT_1: {
            True: "The memory is detached when it is stored, so no gradient goes back from it into segment 1.",
        },
        SEGMENT_2: {
            False: (
                "The loss comes from the outputs of segment 2, which was read just now. Nothing cuts the path to its "
                "input."
            )
        },
        REMEMBERED: {
            False: (
                "The remembered inputs are detached, but their keys are computed again while segment 2 is read. Which "
                "weights compute them?"
            )
        },
        LEARNED: {
            False: (
                "v is part of every score of segment 2. v · r differs from key to key, so it does not cancel in the "
                "softmax. See term (d)."
            )
        },
        CACHED: {
            False: (
                "A cache keeps keys that were computed from segment 1. Unless someone detaches them, gradients flow "
                "through them."
            )
        },
    },
    hints=[
        "A gradient flows wherever an unbroken chain of computations leads back from the loss. Where is the chain cut?",
        "`SegmentMemory` detaches hidden states. Everything computed from them afterwards belongs to segment 2.",
    ],
)
