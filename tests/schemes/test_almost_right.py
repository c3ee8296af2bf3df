"""What is almost right gets the right number, or a ValueError that names an argument: every public function and module.

RIGHT says how each is called right: numbers, and the axes of arrays. From these axes follows which changed arrays still
fit, and all others must be refused. … are axes of texts and heads in front: each text must get the answer that it gets
alone. A capital is an axis that may be 1 or missing. What is new and has no entry fails the first test.
"""

import copy
import importlib
import inspect
import math
import pkgutil
import re

import numpy as np
import pytest
import torch

from course_lib import nn, reference, released
from course_lib.nn.absolute import Learned, Sinusoidal
from course_lib.nn.attention import attention, scores
from course_lib.nn.backends import attend
from course_lib.nn.fast import fast_attention
from course_lib.nn.position import Vectors
from course_lib.nn.terms import Terms
from course_lib.nn.window import WindowAttention
from tests.released.tiny import tiny

from .definitions import DEFINED, STRETCHED_BY_LENGTH

SIZES = {
    "…": 2,
    "n": 3,
    "m": 5,
    "d": 4,
    "e": 6,
    "h": 2,
    "width": 7,
    "odd": 7,
    "free": 8,
    "heads": 4,
    "rows": 9,
    "nine": 9,
}
ALIKE = SIZES | dict.fromkeys("…nmdeh", 3) | {"width": 5}  # where no size tells one axis from another
ALSO_CALLED = {"n_q", "n_k", "d", "length", "height", "rows", "num_buckets", "key_vectors", "value_vectors"}
KINDS = ("whole", "bool", "share")  # of the numbers in an array; a share is between 0 and 1
EVERY = DEFINED | STRETCHED_BY_LENGTH


def of_layer(name):
    width = EVERY[name](2, 4).query.in_features
    of_queries, of_keys = dict(x=f"… n {width}", positions="whole … n"), dict(memory=f"… m {width}", mask="bool N M")
    return (lambda: EVERY[name](2, 4)), of_queries | of_keys | dict(memory_positions="whole … m")


def with_terms(function):
    def call(q, k, v=None, bias=None, mask=None, key_table=None, value_table=None, key_bias=None, sink=None):
        a, c = (None if table is None else Vectors(table, 1) for table in (key_table, value_table))
        return function(q, k, v, Terms(bias, key_bias, sink, a, c, mask=mask))

    return lambda: call


def changed(**changes):
    model, text = tiny()
    with model.changed(**changes):
        return model.losses(text)


row = dict(n_q=3, n_k=5, past=2)
qk, qkv = dict(q="… n d", k="… m d"), dict(q="… h n d", k="… H m d", v="… H m e")
terms = dict(bias="H width", mask="bool N M", key_table="H free d", value_table="H free e", sink="h")
of_scores = dict(q=qkv["q"], k=qkv["k"], bias="H width", key_table="H free d", key_bias="… h m")
slow = dict(speeds="share d", s=2.0)
gates, window, text = dict(gates="share … n"), dict(window=2), dict(text="whole free")
# fmt: off
RIGHT = {
    "reference.absolute": dict(frequencies=dict(d=4, base=9.0), sinusoidal=dict(positions="…", d=4, base=9.0),
        learned=dict(n=3, table="free d", past=2)),
    "reference.alibi": dict(slopes=dict(n_heads=6), alibi_bias=row | dict(n_heads=2), key_form=dict(n_k=5, n_heads=2)),
    "reference.attention": dict(scores=qk, softmax=dict(x="… n"), causal_mask=row,
        attention=qk | dict(v="… m e", bias="… N M", mask="bool … N M")),
    "reference.axial_rope": dict(rotate=dict(x="… n 8", positions="n free", axis="whole 4", speeds="4"),
        axial=dict(d=8, axes=2, base=9.0), mrope=dict(d=8, sections=[2, 1, 1], base=9.0),
        grid_positions=dict(height=2, width=3), text_positions=dict(parts=[2, (2, 3)]),
        next_position=dict(positions="whole n h")),
    "reference.bias": dict(decay_row=dict(offset="…", strength=0.3, forward_strength=0.2),
        decay_bias=row | dict(strength=0.3, forward_strength=0.2)),
    "reference.fire": dict(log_distance=dict(x="share …", c=0.5), shares=row | dict(c=0.5, threshold=4.0),
        fire_bias=dict(found="share n m", w_in="e", b_in="e", w_out="h e", b_out="h")),
    "reference.fox": dict(forgotten=gates, fox_bias=gates | dict(past=1), key_form=gates),
    "reference.grid": dict(row_offsets=row, offsets=row, to_grid=dict(rows="… N free", n_q=3),
        from_grid=dict(grid="… n m")),
    "reference.music_transformer": dict(skew_causal=dict(rows="… n m"), skew_source=dict(n_q=3, n_k=5),
        skew=dict(rows="… n free", n_q=3), slice_table=dict(table="… odd d", n_q=2, n_k=3, past=1),
        music_transformer_scores=dict(q="… n d", table="… odd d", n_k=4, past=0)),
    "reference.query_scale": dict(log_scale=dict(positions="share …", length=8), scaled=dict(q="… n d", factors="n")),
    "reference.rope": dict(rotate=dict(x="… n 4", past=2, base=9.0, factor=1.2), pairs=dict(d=4),
        to_half_split=dict(d=4), to_interleaved=dict(d=4)),
    "reference.shaw": dict(clip_index=dict(offset="whole …", clip=2),
        key_term=dict(q="… n d", key_table="… odd d", n_k=5, past=2),
        value_term=dict(weights="… n m", value_table="… odd d", past=2),
        shaw_attention=qk | dict(v="… m e", key_table="… odd d", value_table="… odd e", mask="bool … N M", past=2)),
    "reference.sink": dict(softmax_with_sink=dict(s="… n", sink="…"), kept_share=dict(s="… n", sink="…"),
        sink_positions=dict(text=9, first=2, w=3)),
    "reference.sliding_window": dict(window_row=row | dict(w=2), window_mask=row | dict(w=2),
        reach=dict(layers=2, w=3)),
    "reference.speeds": dict(turns=dict(speeds="d", length=64.0), interpolated=slow, ntk=slow,
        by_parts=slow | dict(length=64.0, low=1.0, high=8.0), llama3=slow | dict(length=64.0, low=1.0, high=8.0),
        yarn=dict(d=8, s=2.0, length=64.0, base=9.0, fast=32.0, slow=1.0),
        by_factors=dict(speeds="d", factors="share d"), dynamic_ntk=dict(speeds="d", n=80, length=64.0, strength=1.0),
        longrope=dict(speeds="d", n=80, length=64.0, short="share d", long="share d"),
        yarn_factor=dict(s=2.0, mscale=1.0), longrope_factor=dict(s=2.0, length=64.0),
        ramp=dict(x="…", start=0.2, end=0.5)),
    "reference.t5": dict(bucket=dict(offset="whole …", num_buckets=8, max_distance=16),
        bucket_starts=dict(num_buckets=8, max_distance=16), t5_bias=row | dict(table="free h", max_distance=16)),
    "reference.transformer_xl": dict(position_keys=row | dict(weight="… free d"), term_a=qk,
        term_b=dict(q="… n d", r="… free d"), term_c=dict(u="… d", k="… m d"),
        term_d=dict(v="… d", r="… free d", n_q=3), xl_scores=dict(q="… 3 d", k="… 5 d", r="… 7 d", u="… d", v="… d"),
        relative_shift=dict(rows="… n m"),
        update_memory=dict(memory="… m d", x="… n d", length=6)),
    "reference.window": dict(offsets_2d=window, window_index=window, window_bias=window | dict(table="9 h"),
        partition=window | dict(image="… free free d"), reverse=dict(windows="… 6 4 d", height=4, width=6),
        shift_mask=window | dict(height=4, width=6, shift=1)),
    "nn.absolute": dict(frequencies=dict(d=4, base=9.0), sinusoidal=dict(positions="…", d=4, base=9.0),
        Sinusoidal=(lambda: Sinusoidal(4), dict(x="… n 4", positions="whole … n")),
        Learned=(lambda: Learned(9, 4), dict(x="… n 4", positions="whole … n"))),
    "nn.attention": dict(attention=(with_terms(attention), qkv | terms), causal_mask=row,
        scores=(with_terms(lambda q, k, v, terms: scores(q, k, terms)), of_scores)),
    "nn.fast": dict(fast_attention=(with_terms(fast_attention), qkv | terms)),
    "nn.backends": dict(attend=(with_terms(lambda *qkv: attend("sdpa", *qkv)),
        qkv | dict(bias="… H n m", key_bias="… h m"))),
    "nn.grid": dict(row_offsets=row, to_grid=dict(rows="… N free", n_q=3), from_grid=dict(grid="… n m")),
    "nn.rope": dict(rotate=dict(x="… n 4", positions="whole … n", base=9.0, factor=1.2)),
    "nn.strided_view": dict(view=dict(rows="… N free", n_k=6), adjoint=dict(grid="… n m")),
    "nn.t5": dict(bucket=dict(offset="whole …", num_buckets=8, max_distance=16)),
    "nn.window": dict(WindowAttention=(lambda: WindowAttention(4, 2, 2, shift=1), dict(image="… free free 4"))),
    "nn.layer": {f"RelativeAttention, {name}": of_layer(name) for name in EVERY},
    "released.decoder": dict(Decoder=(lambda: tiny()[0].decoder, dict(tokens="whole … n"))),
    "released.model": {f"Released.{name}": (lambda name=name: getattr(tiny()[0], name), text | options)
        for name, options in dict(tokens={}, losses={}, generate=dict(n=2), attention=dict(layer=1, head=1),
            queries_and_keys=dict(layer=1), profiles=dict(first_query=1), mean_outputs={}).items()} | {
        "Released.changed": (lambda: changed, dict(
            positions="rows", speeds="2", mask="bool NINE NINE", bias="HEADS rows rows"))},
}
# fmt: on

CALLS = {f"{file}.{name}": call for file, calls in RIGHT.items() for name, call in calls.items()}
# What is inside of others or only holds them, and files that compute no numbers. `oracle` is the definition itself.
INSIDE = """OnAxes Position Combined Cache KeyValueCache RingCache SegmentMemory Places Vectors Terms Changes Turned
    Cells ToGrid FromGrid Config SwiGLU LlamaBlock Inside counted places_of angles chosen turned turned_pairs
    flatten_batch for_each_head grouped_matmul filled"""
NO_NUMBERS = "oracle kept threads recorded loading files gguf texts tokenizer"


def test_everything_public_has_an_entry():
    schemes = {type(module).__name__ for make in EVERY.values() for module in make(2, 4).position.modules()}
    called = {name.split(",")[0] for name in CALLS} | {"released.model.Released"}
    for package in (reference, nn, released):
        for file in pkgutil.iter_modules(package.__path__):
            if file.name in NO_NUMBERS.split():
                continue
            module = importlib.import_module(f"{package.__name__}.{file.name}")
            for name, found in vars(module).items():
                if callable(found) and getattr(found, "__module__", "") == module.__name__ and name[0] != "_":
                    known = name.startswith("check_") or name in schemes or name in INSIDE.split()
                    full = f"{module.__name__.removeprefix('course_lib.')}.{name}"
                    assert known or full in called, f"{full}: say in RIGHT how it is called"


def right(name, sizes):
    """The function, its entry, and a right call: the arrays and the numbers."""
    torch.manual_seed(0)
    file, _, of_file = name.rpartition(".")
    call = CALLS[name]
    if isinstance(call, tuple):
        function, call = call[0](), call[1]
    else:
        function = getattr(importlib.import_module(f"course_lib.{file}"), of_file)
    function = function.double() if isinstance(function, torch.nn.Module) else function
    arrays = {name: drawn(text, sizes) for name, text in call.items() if isinstance(text, str)}
    return function, call, arrays, {name: value for name, value in call.items() if name not in arrays}


def axes_of(text):
    return [axis for axis in text.split() if axis not in KINDS]


def drawn(text, sizes):
    shape = [int(axis) if axis.isdigit() else sizes[axis.lower()] for axis in axes_of(text)]
    if text.startswith("whole"):  # so that they are positions in one text
        return np.arange(math.prod(shape)).reshape(shape) % shape[-1] % (2 if text == "whole 4" else 99)
    draw = np.random.default_rng(len(text))
    numbers = draw.uniform(0.1, 0.9, shape)
    return numbers < 0.7 if text.startswith("bool") else numbers


def split(text, x):
    """The axes in front of x and its own ones, of which a missing capital is 1; None if there are too few or many."""
    axes = [axis for axis in axes_of(text) if axis != "…"]
    missing = axes[: max(len(axes) - x.ndim, 0)]
    shape = (1,) * len(missing) + x.shape
    front, own = shape[: len(shape) - len(axes)], shape[len(shape) - len(axes) :]
    return (front, own) if all(map(str.isupper, missing)) and ("…" in text or not front) else None


def fitting(call, arrays):
    """The axes in front of all arrays together, or None if they do not fit."""
    parts, sizes = {name: split(call[name], x) for name, x in arrays.items()}, {}
    if None in parts.values():
        return None
    for capitals in (False, True):
        for name, (_, own) in parts.items():
            for axis, n in zip([axis for axis in axes_of(call[name]) if axis != "…"], own):
                wanted = {"odd": n | 1, "free": n, "rows": n}.get(axis, int(axis) if axis.isdigit() else None)
                if wanted is None and axis.isupper() == capitals and not (capitals and n == 1):
                    wanted = sizes.setdefault(axis.lower(), n)
                if wanted not in (None, n):
                    return None
    try:
        return np.broadcast_shapes(*(front for front, _ in parts.values()))
    except ValueError:
        return None


def almost(x):
    """The array with another shape."""
    changed = [x[None], x[..., None]] + ([x.swapaxes(-1, -2), x[(0,) * (x.ndim - 1)]] if x.ndim > 1 else [])
    for axis, n in enumerate(x.shape):
        changed += [x.take(at, axis) for at in (0, [], [0], range(n - 1), [*range(n), 0])]
    return map(np.asarray, changed)


def answer(function, arrays, numbers, dtype=None):
    """What the function returns, as arrays; a function of `nn` and `released` gets tensors."""
    if isinstance(function, torch.nn.Module) or not function.__module__.startswith("course_lib.reference"):
        arrays = {name: torch.from_numpy(np.asarray(x)) for name, x in arrays.items()}
        floats = [name for name, x in arrays.items() if dtype and x.is_floating_point()]
        arrays |= {name: arrays[name].to(dtype) for name in floats}
    with torch.no_grad(), np.errstate(all="ignore"):
        found = function(**arrays, **numbers)
    found = found if isinstance(found, tuple) else (found,)
    return [x.double().numpy() if isinstance(x, torch.Tensor) else np.asarray(x) for x in found]


def agree(found, expected, tolerance=1e-9):
    for x, y in zip(found, expected, strict=True):
        if y.dtype.kind in "fiub":
            np.testing.assert_allclose(x.astype(float), y.astype(float), tolerance, tolerance)


def answer_or_refusal(function, arrays, numbers, *, fits):
    """The answer, without nan, or None for a ValueError that begins with the name of an argument."""
    try:
        found = answer(function, arrays, numbers)
    except ValueError as error:
        called = function.forward if isinstance(function, torch.nn.Module) else function
        names = {*inspect.signature(called).parameters, *arrays} | ALSO_CALLED
        assert re.match(r"\w*", str(error)).group() in names, error
        return None
    assert fits, "not refused"
    assert all(x.dtype.kind != "f" or not (np.isnan(x) | (x == np.inf)).any() for x in found)
    return found


def alone(call, arrays, front, at):
    """The arrays of one text: each as if it had all axes in front, and of these only what is `at` this place."""
    one = {}
    for name, x in arrays.items():
        _, own = split(call[name], x)
        one[name] = np.array(np.broadcast_to(x, (*front, *own))[at]) if "…" in call[name] else x
    return one


def variants(call, arrays, numbers):
    """What is almost right, in words, with the arrays, the numbers and the axes in front; None must be refused."""
    right = fitting(call, arrays)
    for name, x in arrays.items():
        for y in almost(x):
            changed = arrays | {name: y}
            yield f"{name} {y.shape} in place of {x.shape}", changed, numbers, fitting(call, changed)
        yield f"{name} not contiguous", arrays | {name: np.stack([x, x], -1)[..., 0]}, numbers, right
        if call[name].startswith("whole"):
            yield f"{name} not whole", arrays | {name: x + 0.5}, numbers, None
            yield f"{name} negative", arrays | {name: -x - 3}, numbers, right
            yield f"{name} huge", arrays | {name: x * 10**12}, numbers, right
    for name, value in numbers.items():
        wrong = [] if isinstance(value, list) else [-1, 0, *[10**12] * (name == "past")]
        for other in wrong:
            yield f"{name}={other}", arrays, numbers | {name: other}, right
        for other in [2.5, math.nan, True] * isinstance(value, int):
            yield f"{name}={other}", arrays, numbers | {name: other}, None


def both_sizes():
    """Every call with sizes that differ, and with sizes that are alike; these are slow for all schemes."""
    for name in CALLS:
        slow = name.startswith("nn.layer") and not name.endswith(("none", "Shaw", "FIRE"))
        yield pytest.param(name, SIZES, id=name)
        yield pytest.param(name, ALIKE, id=f"{name}, sizes alike", marks=pytest.mark.slow if slow else ())


@pytest.mark.parametrize(("name", "sizes"), [*both_sizes()])
def test_the_answer_or_a_refusal(name, sizes):
    function, call, *as_it_is = right(name, sizes)
    assert answer(function, *as_it_is)
    for said, arrays, numbers, front in variants(call, *as_it_is):
        try:
            found = answer_or_refusal(function, arrays, numbers, fits=front is not None)
            if found and front and 0 not in front:
                last = (slice(-1, None),) * len(front)
                one = answer(function, alone(call, arrays, front, last), numbers)
                agree([np.broadcast_to(x, (*front, *y.shape[len(front) :]))[last] for x, y in zip(found, one)], one)
        except Exception as error:
            raise AssertionError(f"{name}: {said}") from error


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", CALLS)
def test_in_few_bits(name, dtype):
    """The answer to the rounded numbers: exact in NumPy, which has no bfloat16, and up to rounding in torch."""
    function, _, arrays, numbers = right(name, SIZES)
    rounded = {n: torch.from_numpy(x).to(dtype).double().numpy() if x.dtype == float else x for n, x in arrays.items()}
    if name.startswith("reference"):
        few = {n: x.astype(np.float16) if x.dtype == float else x for n, x in rounded.items()}
        as_floats = {n: x.astype(float) if x.dtype == np.float16 else x for n, x in few.items()}
        return agree(answer(function, few, numbers), answer(function, as_floats, numbers))
    if isinstance(function, torch.nn.Module):
        expected = answer(copy.deepcopy(function).to(dtype).double(), rounded, numbers)
        return agree(answer(function.to(dtype), rounded, numbers, dtype), expected, 0.05)
    return agree(answer(function, rounded, numbers, dtype), answer(function, rounded, numbers), 0.05)
