"""What a module says when it is asked: where it enters, whether it is relative, what it tells apart, what it keeps.

Three kinds of modules: a `Position` with hooks, a module that changes the input, and Swin's window attention.
"""

import copy
from typing import TypeGuard

import torch
from torch import Tensor, nn

from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.window import WindowAttention
from course_lib.schemes import Scheme, Sizes
from course_study.own_scheme import returned

PER_OFFSET = ("bias", "key_vectors", "value_vectors")
PLACES = ("input", *PER_OFFSET, "rotate", "key_bias", "sink")  # in the order of figures.map_of_schemes
SHIFT, FEW = 5, 8  # the probes use short texts
CLOSE = 1e-9  # in float64


def random(*shape: int, seed: int = 1) -> Tensor:
    """Normal random numbers in float64, the same in every run."""
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def is_window(module: nn.Module) -> TypeGuard[WindowAttention]:
    """Swin's layer, which has offsets in two dimensions and so none of the hooks."""
    return isinstance(module, WindowAttention)


def is_grid(module: nn.Module) -> bool:
    """Whether its bias has a number for each query and key, not one per offset."""
    bias = module.bias(1, 1, 0) if isinstance(module, Position) else None
    return bias is not None and bias.dim() == 3


def run(module: nn.Module, sizes: Sizes, x: Tensor, backend: str = "eager", hidden: int = 0) -> tuple[Tensor, Tensor]:
    """What a layer with this scheme makes of x (1, hidden + n, D) if no query sees the first `hidden` tokens.

    Returns the outputs (1, n, D) and the weights (1, heads, n, n) of the others.
    """
    position = module if isinstance(module, Position) else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        layer = RelativeAttention(sizes.d_model, sizes.n_heads, position, backend=backend).double()
    x = x if isinstance(module, Position) else module(x)
    mask = torch.arange(x.shape[1]) >= hidden
    return layer(x, mask=mask)[:, hidden:], layer.weights(x, mask=mask)[..., hidden:, hidden:]


def places(module: nn.Module, sizes: Sizes) -> list[str]:
    """Which of PLACES the module uses: the hooks it overrides, where they answer and say something about position."""
    if is_window(module):
        return ["bias"]  # its table, which is added to the scores
    if not isinstance(module, Position):
        x = random(2, FEW, sizes.d_model)
        added = module(x) - x
        return ["input"] if torch.allclose(added[0], added[1]) and added.any() else []
    found = [hook for hook in PER_OFFSET if overrides(module, hook) and getattr(module, hook)(FEW, FEW, 0) is not None]
    found += ["rotate"] if overrides(module, "rotate") and any(turns(module, sizes)) else []
    per_key = adds_to_query(module, sizes) or module.key_bias(random(1, FEW, sizes.d_model), None) is not None
    found += ["key_bias"] if per_key else []
    return found + (["sink"] if module.sink() is not None else [])


def overrides(module: nn.Module, hook: str) -> bool:
    """Whether the module's class has a hook of its own in place of that of `Position`."""
    return getattr(type(module), hook, None) not in (None, getattr(Position, hook))


def adds_to_query(module: Position, sizes: Sizes) -> bool:
    """Whether `rotate` adds a vector to every query: its product with a key is a number per key."""
    zero = torch.zeros(1, sizes.n_heads, 1, sizes.d_head, dtype=torch.float64)
    return bool(module.rotate(zero, zero, 0)[0].any())


def turns(module: Position, sizes: Sizes) -> list[bool]:
    """Whether `rotate` gives the same query, and the same key, another value at another position."""
    x = random(1, sizes.n_heads, 1, sizes.d_head)
    here, there = module.rotate(x, x, 0), module.rotate(x, x, SHIFT)
    return [not torch.allclose(a, b) for a, b in zip(here, there, strict=True)]


def relative(module: nn.Module, sizes: Sizes) -> bool:
    """Whether a layer makes the same of the same tokens after `SHIFT` hidden tokens came before them."""
    if is_window(module):  # both patches one row down and one column to the right
        w = module.window
        grid = module.table[module.index].unflatten(1, (w, w)).unflatten(0, (w, w))
        return torch.equal(grid[1:, 1:, 1:, 1:], grid[:-1, :-1, :-1, :-1])
    if is_grid(module):
        return False  # a number for each query and key says that offsets are not enough
    text = random(1, FEW, sizes.d_model)
    here, _ = run(module, sizes, text)
    if isinstance(module, OnAxes):  # all tokens further along every axis
        moved = copy.deepcopy(module)
        moved.positions = module.positions + SHIFT
        there, _ = run(moved, sizes, text)
    else:
        before = random(1, SHIFT, sizes.d_model, seed=3)
        there, _ = run(module, sizes, torch.cat([before, text], 1), hidden=SHIFT)
    return bool((here - there).abs().max() < CLOSE)


def direction(module: nn.Module, sizes: Sizes) -> str:
    """How the weights of a query differ before and after it, when every token is the same.

    "blind" (not at all), "rising" (from each key to the next), "mirror" (r before = r after), "past only" (all keys
    after it are alike) or "both".
    """
    if is_window(module):
        w = module.table[module.index].movedim(-1, 0).softmax(-1)
    else:
        w = run(module, sizes, random(1, 1, sizes.d_model).expand(1, FEW, -1))[1][0]
    if (w - w[..., :1]).abs().max() < CLOSE:
        return "blind"
    if (w.diff(dim=-1) > CLOSE).all():
        return "rising"
    n, i = w.shape[-1], w.shape[-1] // 2
    middle = w[:, i, 2 * i - n + 1 :]  # as many keys before query i as after it
    if (middle - middle.flip(-1)).abs().max() < CLOSE:
        return "mirror"
    alike = all((row[:, i + 1 :] - row[:, i + 1 : i + 2]).abs().max() < CLOSE for i, row in enumerate(w.unbind(1)[:-1]))
    return "past only" if alike else "both"


def kept(scheme: Scheme, sizes: Sizes) -> dict[str, Tensor]:
    """What the hooks return for a text of n tokens (Swin: for one window), and for a rotation its cosines and sines."""
    with torch.device("meta"):  # sizes without numbers: to compute them takes more memory, for FIRE 33 times as much
        module, n = scheme.module(sizes).to("meta"), sizes.n
        if is_window(module):
            return {"index": module.index, "bias": module.table[module.index].movedim(-1, 0)}
        if not isinstance(module, Position):
            return {"positions": module(torch.zeros(1, n, sizes.d_model))[0]}
        found: dict[str, Tensor] = {}
        for one in module.parts if isinstance(module, Combined) else [module]:
            if isinstance(one, RoPE | OnAxes):
                found |= {name: torch.empty(n, sizes.d_head // 2) for name in ("cos", "sin")}
        return found | returned(module, n, sizes.d_model)
