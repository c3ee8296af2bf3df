"""Questions about Transformer-XL."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_lib.reference import transformer_xl as xl


@claim(
    "Transformer-XL's relative positions add only O(d) parameters to a layer.",
    "With {few} channels a layer learns {before:,} numbers for position, with {many} it learns {after:,}: twice the "
    "channels, {times:.2f} times the numbers. The vectors u and v are O(d), but the map of the distances has d × d "
    "numbers.",
    "run: the parameters of the course's module counted; Dai et al. 2019, section 3.3",
)
def xl_adds_few_numbers():
    from course_lib.nn.transformer_xl import TransformerXL

    few, many = 256, 512
    before, after = (sum(p.numel() for p in TransformerXL(d, 8).parameters()) for d in (few, many))
    times = after / before
    return judged(times < 3), dict(few=few, many=many, before=before, after=after, times=times)


@question(
    "Transformer-XL scores with (a) q·k, (b) q·r, (c) u·k, (d) v·r. Another word takes the query's place; keys and "
    "distances stay. Which terms change?",
    {
        "(a) alone": "In (b) the query judges the distance: another word, another judgement.",
        "(a) and (b)": "Yes. In (c) and (d) a learned vector takes the place of the query.",
        "(a) and (c)": "(c) says how interesting a key is to every query: u asks, and it stays.",
        "All four": "u and v are the same for all queries. They replaced the query's position.",
    },
)
def four_terms():
    rng = np.random.default_rng(0)
    k, r, u, v = (rng.normal(size=size) for size in ((5, 4), (9, 4), 4, 4))

    def terms(q):
        return {"(a)": xl.term_a(q, k), "(b)": xl.term_b(q, r), "(c)": xl.term_c(u, k), "(d)": xl.term_d(v, r, 5)}

    before, after = (terms(rng.normal(size=(5, 4))) for _ in range(2))
    return " and ".join(name for name in before if not np.allclose(before[name], after[name]))


@question(
    "Segment 1 is in Transformer-XL's memory, and the loss of segment 2 is propagated back. What learns from the "
    "remembered tokens?",
    {
        "Nothing: the memory stops gradients": "It stops them at the remembered states. The keys and values made from "
        "these now belong to segment 2.",
        "The layer's weights, but nothing that made the remembered states": "Yes, W_k and W_v among them: keys and "
        "values of the old tokens are computed again, with the present weights.",
        "All that made them, back to the input of segment 1": "Then every segment ever read would have to be kept for "
        "the way back.",
    },
)
def memory_gradients():
    import torch

    from course_lib.nn.cache import SegmentMemory
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.transformer_xl import TransformerXL

    layer, memory = RelativeAttention(8, 2, TransformerXL(8, 2), causal=True), SegmentMemory(4)
    old, new = (torch.linspace(-1, 1, 32).roll(shift).view(1, 4, 8) for shift in (0, 5))
    layer(old.requires_grad_(), cache=memory)
    layer(new, cache=memory, mask=torch.arange(8) < 4).square().sum().backward()  # it looks at the memory alone
    learns = all(p.grad is not None and p.grad.any() for p in layer.parameters())
    return "Nothing" if not learns else "The layer's weights" if old.grad is None else "All that made them"
