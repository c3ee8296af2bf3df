"""What changes when a whole text stands further on?"""

import numpy as np

from ...example import K, Q, V
from ...reference.alibi import alibi_bias, slopes
from ...reference.attention import attention, causal_mask, softmax
from ...reference.rope import rotate
from ..engine import Answer, Mistake

_ALIBI, _KEYS = "weights, ALiBi", "weights, m · j without a mask"
_ROPE, _KEY = "weights, RoPE", "a turned key in the cache"
_VALUES, _MIXED = "output, values turned as well", "weights, interleaved weights in half-split code"
_BF16 = "weights, RoPE with positions in bfloat16"
_MASK = causal_mask(5)


def _bfloat16(x):
    """Rounded to 8 significant bits."""
    mantissa, exponent = np.frexp(np.asarray(x, float))
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


def _turned(x, positions):
    return np.array([rotate(row[None], past=int(p))[0] for row, p in zip(x, positions)])


def _seen(past):
    """Each of the seven things for five tokens that begin at `past`."""
    p = past + np.arange(5)
    q, k = _turned(Q, p), _turned(K, p)
    coarse = _bfloat16(p)
    bias = alibi_bias(5, past + 5, n_heads=8, past=past)[0][:, past:]
    return {
        _ALIBI: attention(Q, K, V, bias=bias, mask=_MASK)[1],
        _KEYS: softmax(slopes(8)[0] * np.broadcast_to(p, (5, 5))),
        _ROPE: attention(q, k, V, mask=_MASK)[1],
        _KEY: k,
        _VALUES: attention(q, k, _turned(V, p), mask=_MASK)[0],
        _MIXED: attention(_turned(Q[:, [0, 2, 1, 3]], p), _turned(K[:, [0, 2, 1, 3]], p), V, mask=_MASK)[1],
        _BF16: attention(_turned(Q, coarse), _turned(K, coarse), V, mask=_MASK)[1],
    }


def _moved():
    at_0, further_on = _seen(0), _seen(1000)
    return {name: "same" if np.allclose(at_0[name], further_on[name], atol=1e-6) else "changes" for name in at_0}


_SAYS = {
    _ALIBI: "ALiBi: i and j grow by the same, and i − j stays.",
    _KEYS: "m · j without a mask: every score of a row grows by m · 1000, and the softmax takes that away. (That nothing changes when a text moves does not yet mean that distances are seen.)",
    _ROPE: "RoPE: query and key turn by the same additional angle. Between them nothing changes.",
    _KEY: "A key by itself: it is turned by its position, so a key 1,000 places on points elsewhere. Only products with queries stay.",
    _VALUES: "Turned values: a value meets no other vector that would turn with it. Its average turns when the text moves.",
    _MIXED: "Mixed pairs: the wrong channels turn together, but each pair still turns by p · θ. It is relative, and wrong all the same.",
    _BF16: "bfloat16: from 256 on it has no odd numbers, and near 1000 one number in four. Neighbours share a position there, and not near 0.",
}

moved = Answer(
    "moved",
    title="Prediction: the text moves by 1,000 places",
    minutes=8,
    difficulty=2,
    words="""Five tokens stand at positions 0 to 4, and then the same five at 1000 to 1004; they attend only to each other (causally,
where nothing else is said). For each of seven things commit to `"same"` or `"changes"`, before you run anything. In two
of them something else is wrong, and this test does not show it: which?""",
    expected=_moved,
    mistakes=[
        Mistake({name: "changes" if right == "same" else "same"}, _SAYS[name]) for name, right in _moved().items()
    ],
    hints=[
        "For each: does the position enter alone, or only as a difference of two?",
        "What is added to all scores of a row, the softmax takes away.",
        "bfloat16 has 8 significant bits. Which numbers between 1000 and 1004 does it have?",
    ],
)
