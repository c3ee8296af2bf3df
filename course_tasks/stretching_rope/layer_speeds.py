"""Bug hunt: one factor for all layers."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.absolute import frequencies


def _layer_speeds(windowed, d, s):
    """The speeds of every layer of a model like Gemma 3: (layers, d/2).

    windowed (layers,): True where a layer sees only a window. It has base 10,000 and is never stretched. The other
    layers see everything. They have base 1,000,000, and all their speeds are divided by s.
    """
    near = frequencies(d, 10_000)
    far = frequencies(d, 1_000_000) / s
    return np.where(windowed[:, None], near, far)


def _with_the_bug(windowed, d, s):
    """The speeds of every layer of a model like Gemma 3: (layers, d/2).

    windowed (layers,): True where a layer sees only a window. It has base 10,000 and is never stretched. The other
    layers see everything. They have base 1,000,000, and all their speeds are divided by s.
    """
    near = frequencies(d, 10_000)
    far = frequencies(d, 1_000_000)
    return np.where(windowed[:, None], near, far) / s


def _layer_by_layer(windowed, d, s):
    m = np.arange(d // 2)
    return [10_000.0 ** (-2 * m / d) if near else 1e6 ** (-2 * m / d) / s for near in windowed]


LAYERS = np.array([True] * 5 + [False])

layer_speeds = CodingTask(
    title="Bug hunt: one factor for all layers",
    minutes=8,
    difficulty=1,
    words="""In Gemma 3, five of every six layers see only a window of near keys, and the sixth sees everything. A layer with
a window never meets a far key, so only the other layers are stretched, by interpolation with $s = 8$. Several programs
got this wrong. One did not divide at all, and its short texts looked fine
([mlx-vlm, pull request 1709](https://github.com/Blaizzy/mlx-vlm/pull/1709)). In another the factor "was not
being applied correctly to global vs local layers" ([ollama, pull request 13452](https://github.com/ollama/ollama/pull/13452)).

Which layers does this code stretch? Fix it.""",
    solution=_layer_speeds,
    starter=_with_the_bug,
    expected=_layer_by_layer,
    axes=(Axis("layer"), Axis("pair")),
    cases=[
        Case(LAYERS, 8, 8.0, label="six layers, eight channels"),
        Case(np.array([True, False, True, False]), 4, 4.0, label="every second layer sees everything"),
        Case(np.array([False, False]), 6, 32.0, label="no windows"),
        Case(np.array([True, True, True]), 4, 8.0, label="windows only"),
        Case(np.tile(LAYERS, 2), 16, 1.0, label="s = 1: nothing is stretched"),
    ],
    draw=lambda rng: (
        rng.random(int(rng.integers(2, 9))) < 0.6,
        2 * int(rng.integers(2, 7)),
        float(rng.uniform(2, 16)),
    ),
    properties=[
        Property(
            "pair 0 of the windows",
            lambda y, windowed, *_: np.allclose(np.asarray(y, float)[windowed][:, 0], 1),
            "In at least one case, pair 0 of a layer with a window does not rotate by 1 radian per position. It should, "
            "whatever s is.",
        )
    ],
    pieces="""
frequencies(d, 10_000)
    the row for a window: Its base is 10,000, and it is not divided.
frequencies(d, 1_000_000) / s
    the row for a layer without a window: Its base is 1,000,000, and it is divided by s.
np.where(windowed[:, None], near, far)
    the choice: Layers with a window take `near`, the others take `far`.
windowed[:, None]
    the condition: It has a row for each layer, so that it meets all pairs.
10_000
    the base of the windows: It is 10,000.
1_000_000
    the base of the other layers: It is 1,000,000.
""",
    slips="""
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000)
    Now nothing is divided. The layers that see everything should be divided by s.
frequencies(d, 10_000) → frequencies(d, 10_000) / s
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000)
    You divide the layers with a window. The other layers are the ones that meet far keys.
frequencies(d, 10_000) → frequencies(d, 10_000) / s
    You divide all layers. Those with a window never meet a far key and stay as they are.
np.where(windowed[:, None], near, far) → np.where(windowed[:, None], far, near)
    The two kinds of layers have changed places.
frequencies(d, 10_000) → frequencies(d, 1_000_000)
    All your layers have base 1,000,000. Those with a window have 10,000.
frequencies(d, 1_000_000) / s → frequencies(d, 10_000) / s
    All your layers have base 10,000. Those without a window have 1,000,000.
frequencies(d, 10_000) → frequencies(d, 1_000_000)
frequencies(d, 1_000_000) / s → frequencies(d, 10_000) / s
    The two bases have changed places. Layers with a window have 10,000.
frequencies(d, 10_000) → frequencies(d // 2, 10_000)
frequencies(d, 1_000_000) / s → frequencies(d // 2, 1_000_000) / s
    `frequencies` takes the number of channels, d, and gives half as many speeds.
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000) / s ** (np.arange(d // 2) / (d // 2 - 1))
    You stretch by NTK, which leaves pair 0 as it is. Interpolation divides all speeds by s.
np.where(windowed[:, None], near, far) → np.where((np.arange(len(windowed)) % 6 < 5)[:, None], near, far)
    You stretch every sixth layer, which fits the first case. `windowed` says which layers see only a window.
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000 * s)
    You multiply the base by s, which leaves pair 0 as it is. Interpolation divides all speeds by s.
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000) * s
    You multiply the speeds by s. A longer text needs slower pairs.
frequencies(d, 1_000_000) / s → frequencies(d, 1_000_000 / s)
    You divide the base by s, which makes the pairs faster. Divide the speeds.
np.where(windowed[:, None], near, far) → np.repeat(np.where(windowed[:, None], near, far), 2, axis=1)
or np.where(windowed[:, None], near, far) → np.tile(np.where(windowed[:, None], near, far), 2)
    You return each speed twice, one for each channel. One for each pair is asked for.
np.where(windowed[:, None], near, far) → np.where(windowed[:, None], near, far).T
    You return one row for each pair. Each layer should have a row.
np.where(windowed[:, None], near, far) → np.where(windowed[:, None], near, far) / s
    You divide twice: in `far`, and at the end. The layers with a window should not be divided at all.
return np.where(windowed[:, None], near, far) → return near, far
    You return the two lists of speeds. One row for each layer is asked for.
""",
    alternatives=[_layer_by_layer, lambda w, d, s: np.where(w[:, None], frequencies(d), frequencies(d, 1e6) / s)],
    hints=[
        "What is the speed of pair 0 in each layer? It does not depend on the base.",
        "The division comes after the choice, so it meets every row.",
        "Divide only the speeds for layers without a window.",
    ],
)
