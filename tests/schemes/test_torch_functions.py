"""What the table in *Fast attention* says of torch's functions, where a CPU can run them."""

import warnings

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

N = 5
SEEN = torch.ones(N, N, dtype=torch.bool).tril()
SEEN[:, 0] = False  # token 0 is padding on the left, so query 0 sees nothing
X = torch.randn(1, N, 4, generator=torch.Generator().manual_seed(0))


def by_multihead(need_weights):
    layer = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(4))
        return layer(X, X, X, attn_mask=~SEEN, need_weights=need_weights)[0]  # True hides


def by_flex():
    blocks = create_block_mask(lambda b, h, i, j: (j <= i) & (j > 0), None, None, N, N, device="cpu")
    with warnings.catch_warnings(action="ignore"):
        return flex_attention(X[None], X[None], X[None], block_mask=blocks)[0]


WAYS = {
    "SDPA": (lambda: scaled_dot_product_attention(X, X, X, attn_mask=SEEN), 0.0),
    "MultiheadAttention with weights": (lambda: by_multihead(True), float("nan")),
    "MultiheadAttention without weights": (lambda: by_multihead(False), 0.0),
    "FlexAttention": (by_flex, 0.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_query_that_sees_nothing(way):
    attend, expected = WAYS[way]
    output = attend()[0]
    torch.testing.assert_close(output[0], torch.full((4,), expected), equal_nan=True)
    scores = (X[0] @ X[0].T / 2).masked_fill(~SEEN, -torch.inf)
    torch.testing.assert_close(output[1:], scores[1:].softmax(-1) @ X[0])  # the others divide by √d
