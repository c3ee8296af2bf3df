"""Questions about T5 and its buckets."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_lib.reference.t5 import bucket


@claim(
    "In T5's logarithmic buckets, twice the distance is one bucket further.",
    "In the encoder each doubling from distance 8 up to 64 moves {encoder[0]} buckets on. In the decoder, from 16, it "
    "moves {decoder[0]}, because sixteen buckets are left for three doublings.",
    "run: T5's default sizes, every doubling up to 64; Raffel et al. 2020, section 2.1",
)
def doubling_is_one_bucket():
    encoder = np.diff(bucket([-8, -16, -32, -64]))
    decoder = np.diff(bucket([-16, -32, -64], bidirectional=False))
    return judged(*(encoder == 1), *(decoder == 1)), dict(encoder=encoder, decoder=decoder)


@claim(
    "In a text of 512 tokens, the bucket of the farthest distances gets the fewest pairs, because far pairs are rare.",
    "Bucket 7, of one distance, gets {pairs[7]} pairs, and bucket 15 gets {pairs[15]:,}. A far distance occurs less "
    "often than a near one, but the last bucket holds {many} of them.",
    "run: T5's encoder, all pairs of 512 positions; bucket 7 is distance 7, bucket 15 is 91 and more",
)
def far_bucket_gets_least():
    position = np.arange(512)
    pairs = np.bincount(bucket(position - position[:, None]).ravel())
    many = int((bucket(-position) == 15).sum())
    return judged(pairs[15] == pairs[:16].min()), dict(pairs=pairs, many=many)


@question(
    "T5 does not divide by √d_k. Why do its first scores not explode?",
    {
        "W_q starts smaller, by √d_k": "Yes: the same size in another place. So weights and scaling must come from "
        "the same model.",
        "The softmax takes a common factor away": "It takes a common summand away. A factor decides how sharp the "
        "weights are.",
        "The learned bias keeps them small": "It is added, the same for all contents, and shrinks no product.",
    },
)
def unscaled():
    rng = np.random.default_rng(0)
    x, (w_q, w_k) = rng.normal(size=(200, 512)), rng.normal(size=(2, 512, 64)) / 512**0.5
    usual, smaller = x @ w_q @ (x @ w_k).T, x @ (w_q / 64**0.5) @ (x @ w_k).T
    return "W_q starts smaller" if np.allclose(smaller, usual / 64**0.5) and smaller.std() < 1.1 else "The learned bias"


@question(
    "Between encoder and decoder of a T5 somebody permutes the encoder's output vectors. What does the decoder's "
    "cross-attention return?",
    {
        "Other numbers: each vector is in another bucket now": "There are no buckets here. T5 gives an offset between "
        "two texts no number.",
        "Its rows in another order": "Rows belong to the decoder's tokens, and these stayed.",
        "What it returned before": "Yes: no bias, no mask, so no order. Which word was where is inside the vectors.",
    },
)
def cross():
    import torch

    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.t5 import T5CrossAttention

    layer, (x, memory) = RelativeAttention(8, 2, T5CrossAttention()), torch.linspace(-1, 1, 96).view(2, 1, 6, 8).sin()
    same = torch.allclose(layer(x, memory), layer(x, memory[:, [4, 0, 5, 2, 1, 3]]), atol=1e-6)
    return "What it returned before" if same else "Other numbers"
