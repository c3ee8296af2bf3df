"""Each fact of a scheme in the registry, and so each cell of the comparison, is what the scheme's module does."""

import copy
from dataclasses import replace

import pytest
import torch

import course_study as study
from course_chapters.measured import NAMES, right, rise
from course_chapters.which_one import comparison
from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.schemes import SCHEMES, Direction, Sizes
from course_study.own_scheme.scheme import returned

FEW, CLOSE = 8, 1e-9
SIZES = Sizes(), Sizes(d_model=24, n_heads=2, n=20, clip=3, num_buckets=8, max_distance=16, window=3)
every_scheme = pytest.mark.parametrize(
    "scheme, sizes",
    [pytest.param(s, x, id=f"{s.name}, n={x.n}") for s in SCHEMES.values() for x in SIZES if s.name != "Swin"],
)
TABLE = comparison.table()


def random(*shape):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def answer(module, sizes, x, backend="eager", hidden=0):
    """A layer's answer (n, D) and weights (heads, n, n) where no query sees the first tokens of x (hidden + n, D)."""
    torch.manual_seed(2)
    position = module if isinstance(module, Position) else None
    layer = RelativeAttention(sizes.d_model, sizes.n_heads, position, backend=backend).double()
    x = x[None] if position else module(x[None])
    mask = torch.arange(x.shape[1]) >= hidden
    return layer(x, mask=mask)[0, hidden:], layer.weights(x, mask=mask)[0, :, hidden:, hidden:]


@every_scheme
def test_where_it_enters(scheme, sizes):
    module, x = scheme.module(sizes), random(2, FEW, sizes.d_model).float()
    if "input" in scheme.enters:
        added = module(x) - x
        assert torch.allclose(added[0], added[1], atol=1e-5) and added.any() and len(scheme.enters) == 1
        return
    x = x.unflatten(-1, (sizes.n_heads, -1)).transpose(1, 2)
    found = returned(module, FEW, sizes.d_model)
    query, key = (not torch.allclose(*two) for two in zip(module.prepare(x, x, 0), module.prepare(x, x, 5)))
    hooks = {*found, "rotate"} if query or key else {*found}
    if module.prepare(0 * x, 0 * x, 0)[0].any():  # a vector is added to every query
        hooks.add("key_bias")
    assert set(scheme.enters) == hooks
    per_pair = "bias" in found and found["bias"].dim() == 3
    assert bool(scheme.where) == (query != key or per_pair)  # the words of the map are for the usual hooks


@every_scheme
def test_whether_the_answer_stays_when_the_whole_text_moves(scheme, sizes):
    module, text = scheme.module(sizes).double(), random(FEW, sizes.d_model)
    further = 600 if scheme.name == "FIRE" else 5  # FIRE's positions count from its threshold of 512 on
    moved, before = copy.deepcopy(module), random(further, sizes.d_model)
    if isinstance(module, OnAxes):  # all tokens further along every axis
        moved.positions, before = module.positions + 5, before[:0]
        moved.next_position = getattr(module, "next_position", 0) + 5
    there, _ = answer(moved, sizes, torch.cat([before, text]), hidden=len(before))
    stays = torch.allclose(answer(module, sizes, text)[0], there, atol=CLOSE)
    assert scheme.relative is (stays if set(scheme.enters) - {"sink"} else None)


@every_scheme
def test_what_it_learns_and_keeps(scheme, sizes):
    module = scheme.module(sizes)
    assert scheme.parameters.of(sizes) == sum(p.numel() for p in module.parameters())
    if "input" in scheme.enters:
        kept = module(torch.zeros(1, sizes.n, sizes.d_model)).nbytes
    else:
        kept = sum(tensor.nbytes for tensor in returned(module, sizes.n, sizes.d_model).values())
    if "rotate" in scheme.enters and scheme.name != "log scale":
        kept += 2 * torch.empty(sizes.n, sizes.d_head // 2).nbytes  # cosines and sines
    assert scheme.keeps.of(sizes) == kept


def direction(weights):
    """The direction that these weights (heads, n, n) have, when every token is the same."""
    if (weights - weights[..., :1]).abs().max() < CLOSE:
        return Direction.BLIND
    if (weights.diff(dim=-1) > CLOSE).all():
        return Direction.RISING
    n, i = weights.shape[-1], weights.shape[-1] // 2
    middle = weights[:, i, 2 * i - n + 1 :]  # as many keys before query i as after it
    if (middle - middle.flip(-1)).abs().max() < CLOSE:
        return Direction.MIRROR
    after = (row[:, i + 1 :] for i, row in enumerate(weights.unbind(1)[:-1]))
    alike = all((keys - keys[:, :1]).abs().max() < CLOSE for keys in after)
    return Direction.PAST_ONLY if alike else Direction.BOTH


@every_scheme
def test_what_it_tells_of_keys_before_and_after_a_query(scheme, sizes):
    for causal, said in ((None, scheme.direction), *([scheme.other[1:]] if scheme.other else [])):
        module = scheme.module(replace(sizes, causal=causal)).double()
        assert direction(answer(module, sizes, random(1, sizes.d_model).expand(FEW, -1))[1]) == said


@every_scheme
def test_both_backends_run_it_and_whether_its_table_ends(scheme, sizes):
    module, x = scheme.module(sizes).double(), random(2 * sizes.n, sizes.d_model)
    eager, _ = answer(module, sizes, x[:FEW])
    assert torch.allclose(answer(module, sizes, x[:FEW], "sdpa")[0], eager, atol=CLOSE)
    if scheme.ends:
        with pytest.raises(ValueError, match=f"length {len(x)}: "):
            answer(module, sizes, x)
    else:
        answer(module, sizes, x)


def test_swin_has_a_number_for_each_pair_of_offsets():
    """It has no hooks and takes no backend, because its offsets are in two dimensions."""
    scheme = SCHEMES["Swin"]
    for sizes in SIZES:
        module, w = scheme.module(sizes), sizes.window
        bias = module.table[module.index]
        grid = bias.reshape(w, w, w, w, -1)  # row and column of the query, and of the key
        assert set(scheme.enters) == {"bias"} and scheme.relative and not scheme.ends
        assert torch.equal(grid[1:, 1:, 1:, 1:], grid[:-1, :-1, :-1, :-1])
        assert scheme.parameters.of(sizes) == module.table.numel()
        assert scheme.keeps.of(sizes) == module.index.nbytes + bias.nbytes
        assert direction(bias.movedim(-1, 0).softmax(-1)) == scheme.direction


def test_what_layers_share():
    """The models of the study have as many parameters more than the model without positions as the registry says."""
    settings = study.Settings()

    def size(run):
        return sum(p.numel() for p in study.Model(study.find(run), 10, settings).parameters())

    for scheme in SCHEMES.values():
        for run, use in scheme.runs.items():
            times = 1 if scheme.shared else settings.n_layers / use.every
            learns = scheme.parameters.of(Sizes(n=settings.longest, **use.sizes))
            assert size(run) - size("none") == times * learns


def test_cells_by_hand_and_the_picture_shows_them_all():
    assert TABLE["Shaw"]["learns"] == "4,224 = 2·H·(2·k + 1)·d, in every layer"
    assert TABLE["Shaw"]["where it enters"] == "added to the score, through the query; added to the value"
    kept = {scheme: row["keeps for n tokens"] for scheme, row in TABLE.items()}
    assert (kept["ALiBi"], kept["log scale"]) == ("2,032 bytes = 4·H·(2·n − 1)", "nothing")
    assert TABLE["T5 buckets"]["direction"] == "tells before from after (bidirectional = False: needs a mask)"
    words = f"level {rise('alibi'):+.2f}, finds {right('alibi', NAMES)[-1]:.0%}"
    assert TABLE["ALiBi"]["longer texts"] == words.replace("-", "−")
    assert TABLE["RoPE"]["longer texts"].count(" breaks +") == 4
    picture = comparison.picture(n=20)
    whole = picture._repr_html_()
    assert whole.count("<td ") == len(SCHEMES) * len(comparison.FOUND) and "6,400 bytes" in whole
    assert all(f"{scheme}: " in picture.alt for scheme in SCHEMES)
