"""What a module keeps, and what becomes of longer texts and other backends: by trying."""

import torch
from torch import Tensor, nn

from course_lib.nn.attention import attention
from course_lib.nn.axial_rope import OnAxes
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.terms import Terms
from course_lib.nn.window import WindowAttention
from course_lib.own_scheme import returned

from .probes import CLOSE, FEW, PLACES, is_window, layer_of, random
from .schemes import Scheme, Sizes


def kept(scheme: Scheme, sizes: Sizes) -> dict[str, Tensor]:
    """What the hooks return for a text of n tokens (Swin: for one window), and for a rotation its cosines and sines."""
    found: dict[str, Tensor] = {}
    with torch.device("meta"):  # sizes without numbers: to compute them takes more memory, for FIRE 33 times as much
        module, n = scheme.module(sizes).to("meta"), sizes.n
        if is_window(module):
            return {"index": module.index, "bias": module.table[module.index].movedim(-1, 0)}
        if not isinstance(module, Position):
            return {"positions": module(torch.zeros(1, n, sizes.d_model))[0]}
        for one in module.parts if isinstance(module, Combined) else [module]:
            if isinstance(one, RoPE | OnAxes):
                found |= {"cos": torch.empty(n, turned_pairs(one)), "sin": torch.empty(n, turned_pairs(one))}
        return found | returned(module, n, sizes.d_model)


def turned_pairs(module: RoPE | OnAxes) -> int:
    """How many pairs of channels it turns."""
    if isinstance(module, RoPE):
        speeds = module.speeds(1) if callable(module.speeds) else module.speeds
        return module.d_head // 2 if speeds is None else len(list(speeds))
    return len(module.speeds)


def growth(scheme: Scheme, sizes: Sizes) -> int:
    """The power of n with which what is kept grows: 0, 1 or 2. From three texts, each of four times the tokens."""
    total = []
    for times in (1, 2, 4):
        larger = Sizes(**{**vars(sizes), "n": 16 * times**2, "window": 2 * times})
        total.append(sum(t.nbytes for t in kept(scheme, larger).values()))
    first, second = total[1] - total[0], total[2] - total[1]
    return 0 if first == second == 0 else {4: 1, 16: 2}[round(second / first)]


def longer(module: nn.Module, sizes: Sizes) -> str | None:
    """What the module says to twice as many tokens (Swin: an image of 2 × 2 windows): None when it takes them."""
    n = 2 * sizes.n
    try:
        if is_window(module):
            module(random(1, 2 * module.window, 2 * module.window, sizes.d_model).float())
        elif isinstance(module, Position):
            for hook in PLACES[1:4]:
                getattr(module, hook)(n, n, 0)
            q = torch.zeros(1, sizes.n_heads, n, sizes.d_head)
            module.rotate(q, q, 0)
        else:
            module(torch.zeros(1, n, sizes.d_model))
    except ValueError as refused:
        return str(refused)
    return None


def stays_inside(module: WindowAttention, sizes: Sizes) -> bool:
    """Whether the first window of an image answers the same when the window beside it changes."""
    w = module.window
    image = random(1, w, 2 * w, sizes.d_model).float()
    other = image.clone()
    other[:, :, w:] += 1
    return torch.equal(module(image)[:, :, :w], module(other)[:, :, :w])


def backends(module: nn.Module, sizes: Sizes) -> dict[str, str | None] | None:
    """For every backend None when it gives the answer of the formula, else why not; None for a layer of its own."""
    if is_window(module):
        return None
    x = random(1, FEW, sizes.d_model)
    x = x if isinstance(module, Position) else module(x)
    found: dict[str, str | None] = {}
    for backend in ("eager", "sdpa", "flex"):
        layer = layer_of(module, sizes, backend)
        try:
            wrong = (layer(x) - by_formula(layer, x)).abs().max() > CLOSE
        except ValueError as refused:
            found[backend] = str(refused)
        else:
            found[backend] = "another answer" if wrong else None
    return found


def by_formula(layer: RelativeAttention, x: Tensor) -> Tensor:
    """The answer of a layer by `nn.attention`, the formula as it reads."""
    n, position = x.shape[1], layer.position
    q, k, v = (layer.heads(part(x)) for part in (layer.query, layer.key, layer.value))
    q, k = position.rotate(q, k, 0, 0)
    output, _ = attention(q, k, v, Terms.of(position, n, n, 0, key_bias=position.key_bias(x, None)))
    return layer.out(output.transpose(-2, -3).flatten(-2))
