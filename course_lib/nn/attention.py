"""Attention, with every place where relative position may enter it, as the formula reads."""

import math
from dataclasses import replace

import torch
from torch import Tensor

from ..reference.grid import check_sizes
from .grid import from_grid, to_grid
from .position import Vectors
from .terms import Terms, grouped_matmul


def attention(q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> tuple[Tensor, Tensor]:
    """softmax_j(scale · q_i·(k_j + a_{j−i}) + b_{j−i} + f_j), applied to v_j + c_{j−i}.

    q (…, heads, n_q, d), k and v (…, heads, n_k, d), where fewer heads of k and v serve groups of neighbouring heads
    of q; a, b, c, f, sink, scale and mask as in `Terms`. Returns the output (…, heads, n_q, d) and the weights
    (…, heads, n_q, n_k). A query that may look nowhere gets zeros. Raises ValueError when shapes do not fit.
    Sources: Vaswani et al. 2017, eq. 1; a and c: Shaw et al. 2018, eqs. 3 and 4; b: Raffel et al. 2020, section 2.1.
    """
    terms.check(q, k, v)
    n_q, n_k, c = q.shape[-2], k.shape[-2], terms.value_vectors
    s, mask = _scores(q, k, terms), _visible(terms, n_q, n_k, q.device)
    hidden = None if mask is None else ~mask
    if terms.reach is not None and terms.bias is not None:
        far = _by_cell(terms.bias, n_q) == -math.inf
        hidden = far if hidden is None else hidden | far
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)  # mask
    if terms.sink is not None:
        s = torch.cat([s, terms.sink.view(-1, 1, 1).expand(*s.shape[:-1], 1)], -1)  # sink: a key without a value
    weights = s.softmax(-1)[..., :n_k].to(v.dtype)  # softmax
    if hidden is not None:
        weights = weights.masked_fill(hidden, 0.0)  # mask: a query that may look nowhere gets 0, not nan
    output = grouped_matmul(weights, v)  # content of the values
    if c is not None:
        output = output + _by_offset(weights, c, terms)  # position of the values
    return output, weights


def scores(q: Tensor, k: Tensor, terms: Terms) -> Tensor:
    """scale · q_i·(k_j + a_{j−i}) + b_{j−i} + f_j, before mask and sink: (…, heads, n_q, n_k).

    Raises ValueError as `attention` does.
    """
    replace(terms, value_vectors=None).check(q, k, k)
    return _scores(q, k, terms)


def _scores(q: Tensor, k: Tensor, terms: Terms) -> Tensor:
    n_q, n_k, a, b = q.shape[-2], k.shape[-2], terms.key_vectors, terms.bias
    s = grouped_matmul(q, k.mT)  # content
    if a is not None:
        s = s + _through_query(q, a, terms, n_k)  # position through the query
    s = terms.scale_for(q.shape[-1]) * s  # scaling
    if b is not None:
        s = s + _by_cell(b, n_q)  # position shared by all queries
    if terms.key_bias is not None:
        s = s + terms.key_bias[..., None, :]  # what each key has forgotten
    return s


def causal_mask(n_q: int, n_k: int, past: int = 0, device: torch.device | str | None = None) -> Tensor:
    """True where query i may look: key j is not after position past + i. Shape (n_q, n_k).

    Raises ValueError for sizes below 1 or a negative past.
    """
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    return torch.ones(n_q, n_k, dtype=torch.bool, device=device).tril(past)


def _by_cell(bias: Tensor, n_q: int) -> Tensor:
    """A row of biases on the diagonals of its grid, (heads or 1, n_q, n_k); a grid as it is."""
    return bias if bias.dim() > 2 else to_grid(bias[:, None], n_q)


def _through_query(q: Tensor, a: Vectors, terms: Terms, n_k: int) -> Tensor:
    """q_i · a_{j−i} for every query and key, (…, heads, n_q, n_k)."""
    n_q = q.shape[-2]
    if terms.columns is None:
        return to_grid(q @ a.per_offset(n_q + n_k - 1).mT, n_q)
    products, rows = q @ a.table.mT, a.rows(terms.columns)[:, None]
    return products.gather(-1, rows.expand(*products.shape[:-1], n_k))


def _by_offset(weights: Tensor, c: Vectors, terms: Terms) -> Tensor:
    """Σ_j w_ij c_{j−i} for every query, (…, heads, n_q, d)."""
    n_q, n_k = weights.shape[-2:]
    if terms.columns is None:
        return from_grid(weights, shared=False) @ c.per_offset(n_q + n_k - 1)
    rows = c.rows(terms.columns)[:, None].expand_as(weights)
    return weights.new_zeros(*weights.shape[:-1], c.table.shape[-2]).scatter_add(-1, rows, weights) @ c.table


def _visible(terms: Terms, n_q: int, n_k: int, device: torch.device) -> Tensor | None:
    """The mask, and if causal also hidden what comes after each query; None if every query may look everywhere."""
    if not terms.causal:
        return terms.mask
    visible = causal_mask(n_q, n_k, terms.past, device)
    return visible if terms.mask is None else terms.mask & visible
