"""Tokens with positions of their own: every scheme by its definition, pair by pair, and what people use them for."""

import math
from itertools import product

import pytest
import torch

from course_lib.definition import numbers
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.cache import KeyValueCache, RingCache, SegmentMemory
from course_lib.nn.rope import rotate
from course_lib.reference.oracle import dot

from .definitions import DEFINED, EVERY, STRETCHED_BY_LENGTH, draw_text, every_scheme, make

F64 = torch.float64


def ordered(n):
    """Who sees whom in a causal row."""
    return torch.ones(n, n, dtype=torch.bool).tril()


# --- the definition, pair by pair ---------------------------------------------------------------------------------


@torch.no_grad()
def by_definition(name, layer, x, source, i, j, seen):
    """What `layer` must answer for queries at i (batch, n_q) and keys at j (batch, n_k), by the loops of one pair each.

    The definitions count positions from `past` and from 0. So each pair is a text of its own: one query with `past`,
    and a row of keys that are zero but for the one at its position.
    """
    definition, answers = EVERY[name].definition, []
    for b in range(len(x)):
        ends = int(i[b].max()), int(j[b].max())  # what reads the length of the text reads these
        q, k, v = (
            linear(text).unflatten(-1, (layer.n_heads, -1)).movedim(1, 0)
            for linear, text in ((layer.query, x[b]), (layer.key, source[b]), (layer.value, source[b]))
        )
        heads = []
        for head in range(layer.n_heads):
            number = definition.numbers(layer.position, head, numbers(source[b]))
            c = definition.values(layer.position, head) or (lambda r: [0.0] * 99)
            sink = math.exp(definition.sink(layer.position, head))
            rows = []
            for t, p in enumerate(i[b].tolist()):
                weights = []
                for s, at in enumerate(j[b].tolist()):
                    keys = torch.zeros(ends[1] + 1, k.shape[-1], dtype=F64)
                    keys[at] = k[head, s]
                    queries = torch.zeros(ends[0] - p + 1, q.shape[-1], dtype=F64)
                    queries[0] = q[head, t]
                    score = definition.scores(layer.position, head, numbers(queries), numbers(keys), p)[0][at]
                    if number is not None:  # FoX sums what lies between in the row, the others look at positions
                        score += number(t + len(source[b]) - len(x[b]), s) if name == "FoX" else number(p, at)
                    weights.append(math.exp(score) if seen[b][t][s] else 0.0)
                values = [[a + e for a, e in zip(numbers(v[head, s]), c(at - p))] for s, at in enumerate(j[b].tolist())]
                total = sum(weights) + sink or 1.0
                rows.append([dot(weights, column) / total for column in zip(*values)])
            heads.append(torch.tensor(rows, dtype=F64))
        answers.append(layer.out(torch.cat(heads, -1)))
    return torch.stack(answers)


@every_scheme
@pytest.mark.parametrize("backend", ["eager", "sdpa"])
@torch.no_grad()
def test_padded_texts_equal_the_definition(name, backend):
    """Two lengths in one batch, and where the length of the text does not count, a packed row beside the padded one."""
    layer = make(name, causal=True, backend=backend)
    x, at = draw_text(layer, 6), torch.tensor([[0, 0, 0, 1, 2, 3], [0, 1, 2, 3, 4, 5]])
    seen = torch.ones(2, 6, 6, dtype=torch.bool)
    seen[0, :, :2] = False
    if name in DEFINED:
        at[1] = torch.tensor([0, 1, 2, 3, 0, 1])
        seen[1] = torch.block_diag(torch.ones(4, 4), torch.ones(2, 2)) > 0
    got = layer(x, mask=seen[:, None], positions=at)
    expected = by_definition(name, layer, x, x, at, at, seen & ordered(6))
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


@every_scheme
@pytest.mark.parametrize("backend", ["eager", "sdpa"])
@torch.no_grad()
def test_gaps_and_two_texts_equal_the_definition(name, backend):
    if name == "FoX":
        pytest.skip("its sums have no gaps; that it refuses them is tested below")
    layer, at = make(name, causal=True, backend=backend), torch.tensor([1, 2, 4, 5, 9, 11])
    x, source = draw_text(layer, 6), draw_text(layer, 7, seed=2)
    both = at.expand(2, 6)
    expected = by_definition(name, layer, x, x, both, both, ordered(6).expand(2, 6, 6))
    torch.testing.assert_close(layer(x, positions=at), expected, rtol=0, atol=1e-10)
    layer.causal = False
    i, j = torch.tensor([3, 5, 8]), torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 2, 4, 6, 8, 10, 12]])
    got = layer(x[:, :3], source, positions=i, memory_positions=j)
    expected = by_definition(name, layer, x[:, :3], source, i.expand(2, 3), j, torch.ones(2, 3, 7))
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


# --- what people use positions for: each use gives the largest error ----------------------------------------------


def error(got, expected):
    return (got - expected).abs().max().item()


def left_padding(layer):
    """Two prompts of unequal length in a batch, then token by token; the cache counts on by itself."""
    x, cache, lengths = draw_text(layer, 9), KeyValueCache(), (4, 6)
    at = torch.stack([(torch.arange(6) - (6 - n)).clamp(min=0) for n in lengths])
    real = torch.stack([torch.arange(9) >= 6 - n for n in lengths])[:, None, None]
    got = [layer(x[:, :6], mask=real[..., :6], positions=at, cache=cache)]
    got += [layer(x[:, t : t + 1], mask=real[..., : t + 1], cache=cache) for t in range(6, 9)]
    worst = 0.0
    for b, n in enumerate(lengths):
        alone, own = x[b : b + 1, 6 - n :], KeyValueCache()
        expected = [layer(part, cache=own) for part in alone.split([n, 1, 1, 1], 1)]
        found = torch.cat([got[0][b : b + 1, 6 - n :], *(step[b : b + 1] for step in got[1:])], 1)
        worst = max(worst, error(found, torch.cat(expected, 1)))
    return worst


PARENTS = (None, 0, 0, 1, 1, 2, 5)


def tree_of_drafts(layer):
    """Five tokens are read and seven drafts checked in one call; the longest branch is kept, and the text goes on."""
    x, cache = draw_text(layer, 13), KeyValueCache()
    layer(x[:, :5], cache=cache)
    depth, path = [], torch.zeros(7, 7, dtype=torch.bool)
    for node, parent in enumerate(PARENTS):
        depth.append(0 if parent is None else depth[parent] + 1)
        path[node] = path[node] if parent is None else path[parent]
        path[node, node] = True
    mask = torch.cat([torch.ones(7, 5, dtype=torch.bool), path], 1)
    got = layer(x[:, 5:12], mask=mask, positions=5 + torch.tensor(depth), cache=cache)
    branches = [[*range(5), *(5 + path[node].nonzero()[:, 0]).tolist()] for node in range(7)]
    worst = max(error(got[:, node], layer(x[:, branch])[:, -1]) for node, branch in enumerate(branches))
    cache.take(torch.tensor(branches[6]))
    after = layer(x[:, 12:], cache=cache)
    return max(worst, error(after, layer(x[:, [*branches[6], 12]])[:, -1:]))


def chunks(layer):
    """Packed documents in pieces, from each kind of cache. Where the length counts, a padded text."""
    x, cuts = draw_text(layer, 12), (3, 1, 4, 1, 3)
    at = torch.cat([torch.arange(n) for n in (5, 4, 3)])
    if layer.position.caches_unrotated:
        at = (torch.arange(12) - 2).clamp(min=0)
    i, j, worst = torch.arange(12)[:, None], torch.arange(12), 0.0
    near = (j < 2) | (j > i - 4)
    for cache, mask in ((KeyValueCache(), None), (RingCache(4, keep=2), near), (SegmentMemory(12), None)):
        for end, part in zip(torch.tensor(cuts).cumsum(0).tolist(), x.split(cuts, 1)):
            n = part.shape[1]
            got = layer(part, cache=cache, positions=at[end - n : end])
            seen = None if mask is None else mask[:end, :end]
            if mask is not None and layer.position.caches_unrotated:  # the ring has lost what was longer
                seen = near[:end, :end]
            expected = layer(x[:, :end], mask=seen, positions=at[:end])[:, -n:]
            worst = max(worst, error(got, expected))
    return worst


def going_back(layer):
    """What was read after the first tokens leaves no trace, in any cache; a ring of four takes back one token."""
    x, worst = draw_text(layer, 12), 0.0
    roomy, small = (lambda: RingCache(10), 3), (lambda: RingCache(4, keep=2), 1)
    for new, rejected in ((KeyValueCache, 3), roomy, small, (lambda: SegmentMemory(10), 3)):
        cache, fresh = new(), new()
        for part in x[:, :7].split([4, 3], 1):
            layer(part, cache=cache)
            layer(part, cache=fresh)
        layer(draw_text(layer, rejected, seed=5), cache=cache)
        cache.take(slice(7))
        for part in x[:, 7:].split([2, 1, 2], 1):
            worst = max(worst, error(layer(part, cache=cache), layer(part, cache=fresh)))
    return worst


USES = (left_padding, tree_of_drafts, chunks, going_back)
REFUSES = {"FoX": "positions: FoX adds up a number per token"}  # of a tree
REFUSES |= dict.fromkeys(STRETCHED_BY_LENGTH, "positions: fall or repeat")


@every_scheme
@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@torch.no_grad()
def test_a_use_is_exact_or_refused(name, use):
    layer = make(name, causal=True)
    if name in REFUSES and use is tree_of_drafts:
        with pytest.raises(ValueError, match=f"^{REFUSES[name]}"):
            use(layer)
    else:
        assert use(layer) < 1e-10


# --- caches -------------------------------------------------------------------------------------------------------

CACHES = {
    "keys and values": KeyValueCache,
    "ring": lambda: RingCache(4, keep=2),
    "renumbered ring": lambda: RingCache(4, keep=2, renumbered=True),
    "memory": lambda: SegmentMemory(4),
}


def held(cache):
    """All that a cache holds, as it is now."""
    return {name: x.clone() if isinstance(x, torch.Tensor) else x for name, x in vars(cache).items()}


@every_scheme
@pytest.mark.parametrize("kind", CACHES)
@torch.no_grad()
def test_a_refused_call_leaves_the_cache_as_it_was(name, kind):
    """Whatever refuses it: the shape of a mask, positions, the scheme, or the cache itself."""
    layer, cache = make(name, causal=True), CACHES[kind]()
    x = draw_text(layer, 8)
    for part in x[:, :7].split([5, 1, 1], 1):
        layer(part, cache=cache)
    before = held(cache)
    refused = [
        {"mask": torch.ones(3, 9, dtype=torch.bool)},
        {"mask": torch.ones(2, 1, 8, dtype=torch.bool)},
        {"positions": torch.tensor([1.0])},
        {"memory": x},
    ]
    calls = [(x[:, 7:], arguments) for arguments in refused]
    calls += [(x[:, :0], {}), (x[:1, 7:], {}), (x[:, 7:, 1:], {})]
    for part, arguments in calls:
        with pytest.raises(ValueError):
            layer(part, cache=cache, **arguments)
        assert cache.past == min(7, {"renumbered ring": 5, "memory": 4}.get(kind, 7))
        for field, value in held(cache).items():
            assert value is before[field] or torch.equal(torch.as_tensor(value), torch.as_tensor(before[field])), field


@pytest.mark.parametrize(("name", "placed"), [("FoX", False), ("RoPE", True)])
@torch.no_grad()
def test_a_ring_goes_back_exactly_or_says_what_it_would_need(name, placed):
    """Every window, first tokens, length and place to go back to: the answer is that of a ring that read no further.

    What other schemes say of going back is tested above, for one ring.
    """
    layer = make(name, causal=True)
    x, refused = draw_text(layer, 12), 0
    for window, keep, read, n in product((1, 2, 4), (0, 2), (3, 9), range(10)):
        if n > read:
            continue
        cache, fresh = RingCache(window, keep=keep), RingCache(window, keep=keep)
        at = [{"positions": torch.arange(t, t + 1)} if placed else {} for t in range(12)]
        for t in range(read):
            layer(x[:, t : t + 1], cache=cache, **at[t])
        for t in range(n):
            layer(x[:, t : t + 1], cache=fresh, **at[t])
        nearest = max(keep, n - max(window - 1, 1))  # a window of one sees nothing else, but follows on the last token
        if nearest < n and nearest + window < read:
            refused += 1
            with pytest.raises(ValueError, match=rf"^tokens=slice\(None, {n}, None\): .* expected a copy from before"):
                cache.take(slice(n))
            continue
        cache.take(slice(n))
        for part, where in ((x[:, n : n + 2], {}), (x[:, -1:], {})):
            torch.testing.assert_close(layer(part, cache=cache, **where), layer(part, cache=fresh, **where))
    assert refused > 5


@pytest.mark.parametrize("name", [name for name in DEFINED if name != "FoX"])
@torch.no_grad()
def test_tokens_taken_out_of_a_text_keep_their_positions(name):
    """Also if they were counted: the next token follows on the last one that is left."""
    layer = make(name, causal=True)
    x, kept = draw_text(layer, 8), torch.tensor([0, 1, 4, 5])
    for cache in (KeyValueCache(), SegmentMemory(9)):
        layer(x[:, :7], cache=cache)
        cache.take(kept)
        got = layer(x[:, 7:], cache=cache)
        text, at = torch.cat([x[:, kept], x[:, 7:]], 1), torch.tensor([0, 1, 4, 5, 6])
        torch.testing.assert_close(got, layer(text, positions=at)[:, -1:], rtol=0, atol=1e-12)


def test_what_take_cannot_pick():
    layer, cache = make("FoX", causal=True), KeyValueCache()
    layer(draw_text(layer, 5), cache=cache)
    with pytest.raises(ValueError, match=r"each key_bias sums up all that was read before, expected slice\(n\)"):
        cache.take(torch.tensor([0, 2]))
    cache.take(torch.tensor([0, 1, 2]))
    cache.take(slice(-1))
    assert cache.past == 2
    for tokens in (slice(3), torch.tensor([1, 0]), torch.tensor([0, 2]), torch.tensor([0.0]), [0], torch.tensor([[0]])):
        with pytest.raises(ValueError, match="expected a slice or a tensor of ascending numbers of the 2 tokens read"):
            cache.take(tokens)
    layer, memory = make("RoPE", causal=True), SegmentMemory(2)
    layer(draw_text(layer, 9), cache=memory)
    memory.take(slice(None))
    with pytest.raises(ValueError, match=r"token 5 is forgotten, expected a memory of length 4 or more"):
        memory.take(slice(7))
    ring = RingCache(9)
    make("RoPE", causal=True)(draw_text(layer, 5), cache=ring)
    with pytest.raises(ValueError, match=r"a ring can only go back, expected slice\(n\)"):
        ring.take(torch.tensor([0, 2]))


# --- absolute positions, late positions ---------------------------------------------------------------------------


def test_absolute_positions_of_each_token():
    x, at = torch.randn(2, 4, 6, dtype=F64), torch.tensor([[0, 0, 0, 1], [0, 1, 2, 3]])
    for layer in (Learned(9, 6).double(), Sinusoidal(6)):
        rows = layer(torch.zeros(1, 9, 6, dtype=F64))[0]
        torch.testing.assert_close(layer(x, positions=at), x + rows[at])
        torch.testing.assert_close(layer(x, positions=at[1]), x + rows[:4])


@pytest.mark.parametrize("interleaved", [False, True])
def test_angles_are_exact_far_away(interleaved):
    """In float32: an angle in float32 would be off by 0.5 at position 10⁷, and scores of 64 channels by 3."""
    x = torch.randn(1, 1, 3, 64, generator=torch.Generator().manual_seed(0))
    far, exact = (rotate(y, 10**7, interleaved=interleaved) for y in (x, x.double()))
    torch.testing.assert_close(far.double(), exact, rtol=0, atol=1e-6)
    assert torch.equal(rotate(x, positions=10**7 + torch.arange(3), interleaved=interleaved), far)
    far, exact = (Sinusoidal(64)(torch.zeros(1, 3, 64, dtype=dtype), past=10**7) for dtype in (torch.float32, F64))
    torch.testing.assert_close(far.double(), exact, rtol=0, atol=1e-6)
