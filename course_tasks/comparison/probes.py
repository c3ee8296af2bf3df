"""What a module says when it is asked: where it enters, whether it is relative, what it tells apart.

Three kinds of modules: a `Position` with hooks, a module that changes the input, and Swin's window attention.
"""

import copy
from typing import TypeGuard

import torch
from torch import Tensor, nn

from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.cache import KeyValueCache
from course_lib.nn.grid import to_grid
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.window import WindowAttention

from .schemes import Sizes

PLACES = (
    "input",
    "bias",
    "key_vectors",
    "value_vectors",
    "rotate",
    "key_bias",
    "sink",
)  # in the order of figures.map_of_schemes
SHIFT, FEW = 5, 8  # the probes use short texts
CLOSE = 1e-9  # in float64


def random(*shape: int, seed: int = 1) -> Tensor:
    """Normal random numbers in float64, the same in every run."""
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def is_window(module: nn.Module) -> TypeGuard[WindowAttention]:
    """Swin's layer, which has offsets in two dimensions and so none of the hooks."""
    return isinstance(module, WindowAttention)


def is_grid(bias: Tensor | None) -> bool:
    """Whether a bias has a number for each query and key, not one per offset."""
    return bias is not None and bias.dim() == 3


def layer_of(module: nn.Module, sizes: Sizes, backend: str = "eager") -> RelativeAttention:
    """A layer in float64 with this scheme, or without one for a module that changes the input."""
    position = module if isinstance(module, Position) else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        return RelativeAttention(sizes.d_model, sizes.n_heads, position, backend=backend).double()


def places(module: nn.Module, sizes: Sizes) -> list[str]:
    """Which of PLACES the module uses: the hooks it overrides, where they answer and say something about position."""
    if is_window(module):
        return _places_of_window(module, sizes)
    if not isinstance(module, Position):
        x = random(2, FEW, sizes.d_model)
        added = module(x) - x
        return ["input"] if torch.allclose(added[0], added[1]) and added.any() else []
    found = [hook for hook in PLACES[1:4] if overrides(module, hook) and getattr(module, hook)(FEW, FEW, 0) is not None]
    found += ["rotate"] if overrides(module, "rotate") and turns(module, sizes) else []
    found += ["key_bias"] if module.key_bias(random(1, FEW, sizes.d_model), None) is not None else []
    return found + (["sink"] if module.sink() is not None else [])


def overrides(module: nn.Module, hook: str) -> bool:
    """Whether the module's class has a hook of its own in place of that of `Position`."""
    return getattr(type(module), hook, None) not in (None, getattr(Position, hook))


def turns(module: Position, sizes: Sizes) -> bool:
    """Whether `rotate` gives the same query or key another value at another position. Adding u to each does not."""
    q = random(1, sizes.n_heads, 1, sizes.d_head)
    here, there = module.rotate(q, q, 0), module.rotate(q, q, SHIFT)
    return not all(torch.allclose(a, b) for a, b in zip(here, there, strict=True))


def turns_keys(module: Position, sizes: Sizes) -> bool:
    """Whether `rotate` gives the same key another value at another position."""
    k = random(1, sizes.n_heads, 1, sizes.d_head)
    return not torch.allclose(module.rotate(k, k, 0)[1], module.rotate(k, k, SHIFT)[1])


def _places_of_window(module: WindowAttention, sizes: Sizes) -> list[str]:
    """By trying: without queries its table still changes the answer; without values nothing is left of the answer."""
    blind, empty = copy.deepcopy(module), copy.deepcopy(module)
    image = random(1, module.window, module.window, sizes.d_model)
    blind.query.weight.zero_()
    answer = blind(image)
    blind.table.zero_()
    through_the_score = not torch.allclose(answer, blind(image))
    empty.value.weight.zero_()
    return ["bias"] * through_the_score + ["value_vectors"] * bool(empty(image).any())


def terms(module: nn.Module, layer: RelativeAttention, x: Tensor, past: int = 0) -> list[Tensor]:
    """For the tokens of x (1, past + n, D) after the first `past`: their scores (1, heads, n, n) among each other, and
    for a scheme with value vectors what these are for every pair."""
    if not isinstance(module, Position):
        x = module(x)
    n_k = x.shape[1]
    n = n_k - past
    cache = KeyValueCache()
    if past:
        layer(x[:, :past], cache=cache)
    found = [layer.scores(x[:, past:], cache=cache)[..., past:]]
    if layer.position.key_bias(x, None) is not None:  # known up to what all keys of a query share
        found = [found[0] - found[0][..., :1]]
    values = layer.position.value_vectors(n, n_k, past)
    if values is not None:
        vectors = values.per_offset(n + n_k - 1)
        found.append(to_grid(vectors.mT[..., None, :], n)[..., past:])
    return found


def relative(module: nn.Module, sizes: Sizes) -> bool:
    """Whether the same tokens have the same scores (and value vectors) after `SHIFT` other tokens came before them."""
    if isinstance(module, WindowAttention):  # both patches one row down and one column to the right
        w = module.window
        grid = module.table[module.index].unflatten(1, (w, w)).unflatten(0, (w, w))
        return torch.equal(grid[1:, 1:, 1:, 1:], grid[:-1, :-1, :-1, :-1])
    layer, text = layer_of(module, sizes), random(1, FEW, sizes.d_model)
    if isinstance(module, Position) and is_grid(module.bias(FEW, FEW, 0)):
        return False  # a number for each query and key says that offsets are not enough
    if isinstance(module, OnAxes):  # all tokens further along every axis
        moved = copy.deepcopy(module)
        moved.positions = module.positions + SHIFT
        here, there = terms(module, layer, text), terms(moved, layer_of(moved, sizes), text)
        return all((a - b).abs().max() < CLOSE for a, b in zip(here, there, strict=True))
    before = random(1, SHIFT, sizes.d_model, seed=3)
    here, there = terms(module, layer, text), terms(module, layer, torch.cat([before, text], 1), SHIFT)
    return all((a - b).abs().max() < CLOSE for a, b in zip(here, there, strict=True))


def direction(module: nn.Module, sizes: Sizes) -> str:
    """What the scores of a query say of before and after, when every token is the same: "blind", "rising" (from each
    key to the next), "mirror" (r before = r after), "past only" (one number for all keys after the query) or "both"."""
    if is_window(module):
        s = module.table[module.index].movedim(-1, 0)
    else:
        s = terms(module, layer_of(module, sizes), random(1, 1, sizes.d_model).expand(1, FEW, -1))[0][0]
    if (s - s[..., :1]).abs().max() < CLOSE:
        return "blind"
    if (s.diff(dim=-1) > CLOSE).all():
        return "rising"
    n, i = s.shape[-1], s.shape[-1] // 2
    middle = s[:, i, 2 * i - n + 1 :]  # as many keys before query i as after it
    if (middle - middle.flip(-1)).abs().max() < CLOSE:
        return "mirror"
    after = s[:, torch.ones(s.shape[1:], dtype=torch.bool).triu(1)]
    return "past only" if (after - after[:, :1]).abs().max() < CLOSE else "both"
