"""Chapter 08: what a learner reads after a slip."""

import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH08 = tasks_of("ch08")

ROWS = """
    n = {patches}
    result = np.zeros((n, n), int)
    for i in range(n):
        for j in range(n):
            ri, ci = {query}
            rj, cj = {key}
            result[i, j] = {index}
    return result
"""
RIGHT_ROWS = {
    "patches": "height * width",
    "query": "divmod(i, width)",
    "key": "divmod(j, width)",
    "index": "(rj - ri + height - 1) * (2 * width - 1) + cj - ci + width - 1",
}


def rows(**changed):
    return ROWS.format(**{**RIGHT_ROWS, **changed})


PORT = """
    rows, columns = np.meshgrid(np.arange(window), np.arange(window){order})
    place = np.stack([{first}.ravel(), {second}.ravel()])
    offset = {offset} + window - 1
    index = {index}
    return {bias}
"""
RIGHT_PORT = {
    "order": ', indexing="ij"',
    "first": "rows",
    "second": "columns",
    "offset": "place[:, None, :] - place[:, :, None]",
    "index": "offset[0] * (2 * window - 1) + offset[1]",
    "bias": "np.moveaxis(table[index], -1, 0)",
}


def port(**changed):
    return PORT.format(**{**RIGHT_PORT, **changed})


SQUARE = """
    W = {W}
    bias = np.zeros((W * W, W * W))
    for r in range(W):
        for c in range(W):
            piece = table[{rows}, {columns}]
            bias[r * W + c] = piece{flat}
    return bias
"""
RIGHT_SQUARE = {
    "W": "(len(table) + 1) // 2",
    "rows": "W - 1 - r : 2 * W - 1 - r",
    "columns": "W - 1 - c : 2 * W - 1 - c",
    "flat": ".ravel()",
}


def square(**changed):
    return SQUARE.format(**{**RIGHT_SQUARE, **changed})


REGION = """
    region = np.zeros((1, 1, height, width))
    bands = {bands}
    label = 0
    for h in bands:
        for w in bands:
            {put} = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return {mask}
"""
RIGHT_REGION = {
    "bands": "slice(0, -window), slice(-window, -shift), slice(-shift, None)",
    "put": "region[:, :, h, w]",
    "mask": "region[:, :, None] == region[:, None, :]",
}


def region(**changed):
    return REGION.format(**{**RIGHT_REGION, **changed})


LAYER = """
    height, width, _ = image.shape
    v = partition({there}, window)
    mask = shift_mask(height, width, window, shift)
    weights = softmax({scores})
    made = reverse(weights @ v, height, width)
    return {back}
"""
RIGHT_LAYER = {
    "there": "np.roll(image, (-shift, -shift), (0, 1))",
    "scores": "np.where(mask, bias, -np.inf)",
    "back": "np.roll(made, (shift, shift), (0, 1))",
}


def layer(**changed):
    return LAYER.format(**{**RIGHT_LAYER, **changed})


SLIPS = {
    "window_rows": {
        "loops": (rows(), None),
        "the other order of the sum": (
            rows(index="cj - ci + width - 1 + (2 * width - 1) * (height - 1 + rj - ri)"),
            None,
        ),
        "counted in a dictionary": (
            """
    number, k = {}, 0
    for down in range(-height + 1, height):
        for right in range(-width + 1, width):
            number[down, right] = k
            k += 1
    places = [(r, c) for r in range(height) for c in range(width)]
    return [[number[b[0] - a[0], b[1] - a[1]] for b in places] for a in places]
""",
            None,
        ),
        "from the square window": (
            """
    p = np.arange(height * width)
    a = p // width * (2 * width - 1) + p % width
    return a - a[:, None] + (height - 1) * (2 * width - 1) + width - 1
""",
            None,
        ),
        "times 2·height − 1": (
            rows(index="(rj - ri + height - 1) * (2 * height - 1) + cj - ci + width - 1"),
            "the factor is 2·width − 1, not 2·height − 1",
        ),
        "times width": (rows(index="(rj - ri + height - 1) * width + cj - ci + width - 1"), "the offsets of the list"),
        "list offsets": ("    p = np.arange(height * width)\n    return p - p[:, None] + height * width - 1", "j − i"),
        "times 2·width": (rows(index="(rj - ri + height - 1) * 2 * width + cj - ci + width - 1"), "one too large"),
        "no factor": (rows(index="rj - ri + height - 1 + cj - ci + width - 1"), "You only add the two"),
        "plus height and width": (
            rows(index="(rj - ri + height) * (2 * width - 1) + cj - ci + width"),
            "add one less",
        ),
        "not shifted": (rows(index="(rj - ri) * (2 * width - 1) + cj - ci"), "not shifted yet"),
        "the column not shifted": (
            rows(index="(rj - ri + height - 1) * (2 * width - 1) + cj - ci"),
            "Δcolumn is not shifted",
        ),
        "query minus key": (
            rows(index="(ri - rj + height - 1) * (2 * width - 1) + ci - cj + width - 1"),
            "read backwards",
        ),
        "one sign": (
            rows(index="(rj - ri + height - 1) * (2 * width - 1) + ci - cj + width - 1"),
            "Δcolumn has the wrong sign",
        ),
        "table by columns": (
            rows(index="(cj - ci + width - 1) * (2 * height - 1) + rj - ri + height - 1"),
            "column by column",
        ),
        "patches by columns": (
            rows(query="divmod(i, height)[::-1]", key="divmod(j, height)[::-1]"),
            "p // width",
        ),
        "divided by the height": (rows(query="divmod(i, height)", key="divmod(j, height)"), "p // width"),
        "row for column": (rows(query="divmod(i, width)[::-1]", key="divmod(j, width)[::-1]"), "changed places"),
        "height and width": (
            rows(index="(rj - ri + width - 1) * (2 * width - 1) + cj - ci + height - 1"),
            "changed places where you shift",
        ),
        "abs": (rows(index="abs(rj - ri) * (2 * width - 1) + abs(cj - ci)"), "Keep the signs"),
        "square only": ("    return window_index(width)", "Right for square windows"),
        "multiplied all through": (
            rows(index="(rj - ri + height - 1) * (2 * width - 1) * (cj - ci + width - 1)"),
            "It is added",
        ),
    },
    "grid_bias": {
        "ij": (port(), None),
        "names exchanged": (port(order="", first="columns", second="rows"), None),
        "the other offset multiplied": (port(order="", index="offset[1] * (2 * window - 1) + offset[0]"), None),
        "with divmod": (
            """
    row, column = np.divmod(np.arange(window**2), window)
    index = (row - row[:, None] + window - 1) * (2 * window - 1) + column - column[:, None] + window - 1
    return table.T[:, index]
""",
            None,
        ),
        "the library": ("    return window_bias(table, window)", None),
        "an option that changes nothing": (port(order=', indexing="xy"'), "still exchanged"),
        "twice exchanged": (port(first="columns", second="rows"), "still exchanged"),
        "query minus key": (port(offset="place[:, :, None] - place[:, None, :]"), "query and key have changed places"),
        "the table turned": (port(bias="np.moveaxis(table[::-1][index], -1, 0)"), "a table read backwards"),
        "bias transposed": (port(order="", bias="np.moveaxis(table[index], -1, 0).mT"), "both offsets round"),
        "times W": (port(index="offset[0] * window + offset[1]"), "The factor was right"),
        "plus W": (port(offset="place[:, None, :] - place[:, :, None] + 1"), "The shift was right"),
        "heads last": (port(bias="table[index]"), "The heads come first"),
        ".T": (port(bias="table[index].T"), "a bias transposed"),
        "one offset twice": (port(index="offset[0] * (2 * window - 1) + offset[0]"), "stands there twice"),
    },
    "sliding_square": {
        "loops": (square(), None),
        "sliding windows": (
            """
    W = len(table) // 2 + 1
    windows = np.lib.stride_tricks.sliding_window_view(table, (W, W))
    return windows[::-1, ::-1].reshape(W * W, W * W)
""",
            None,
        ),
        "entry by entry": (
            """
    W = (table.shape[0] + 1) // 2
    rows = []
    for i in range(W * W):
        row = []
        for j in range(W * W):
            row.append(table[j // W - i // W + W - 1][j % W - i % W + W - 1])
        rows.append(row)
    return rows
""",
            None,
        ),
        "the square moves along": (square(rows="r : r + W", columns="c : c + W"), "the other way"),
        "columns the wrong way": (square(columns="c : c + W"), "The columns move the wrong way"),
        "rows the wrong way": (square(rows="r : r + W"), "The rows move the wrong way"),
        "r and c exchanged": (
            square(rows="W - 1 - c : 2 * W - 1 - c", columns="W - 1 - r : 2 * W - 1 - r"),
            "changed places",
        ),
        "by columns": (square(flat=".T.ravel()"), "column by column"),
        "not moved": (square(rows="W - 1 :", columns="W - 1 :"), "must move with r and c"),
        "only the rows move": (square(columns="W - 1 :"), "c has no part in it"),
        "only the columns move": (square(rows="W - 1 :"), "r has no part in it"),
        "transposed": (square().replace("return bias", "return bias.T"), "your rows belong to the keys"),
        "table transposed": (square().replace("piece = table[", "piece = table.T["), "Rows and columns of the table"),
        "rows of the table": ("    return window_index((len(table) + 1) // 2)", "not the numbers that stand there"),
        "squares left": (
            """
    W = (len(table) + 1) // 2
    bias = []
    for r in range(W):
        for c in range(W):
            bias.append(table[W - 1 - r : 2 * W - 1 - r, W - 1 - c : 2 * W - 1 - c])
    return np.array(bias)
""",
            "still squares",
        ),
        "return in the loop": (
            """
    W = (len(table) + 1) // 2
    bias = []
    for r in range(W):
        for c in range(W):
            bias.append(table[W - 1 - r : 2 * W - 1 - r, W - 1 - c : 2 * W - 1 - c].ravel())
            return np.array(bias)
""",
            "each query needs its own",
        ),
        "extend": (
            """
    W = (len(table) + 1) // 2
    bias = []
    for r in range(W):
        for c in range(W):
            bias.extend(table[W - 1 - r : 2 * W - 1 - r, W - 1 - c : 2 * W - 1 - c].ravel())
    return np.array(bias)
""",
            "One row per query",
        ),
    },
    "masked_weights": {
        "an axis for the heads": (
            "    return softmax(np.where(mask[:, np.newaxis, :, :], scores + bias, -np.inf))",
            None,
        ),
        "−∞ added": (
            "    return softmax(scores + bias + np.where(mask, 0.0, -np.inf)[:, None])",
            None,
        ),
        "window by window": (
            """
    result = np.zeros(scores.shape)
    for w in range(len(scores)):
        result[w] = softmax(np.where(mask[w], scores[w] + bias, -np.inf))
    return result
""",
            None,
        ),
        "written in place": (
            "    biased = scores + bias\n    biased[~np.broadcast_to(mask[:, None], biased.shape)] = -np.inf\n"
            "    return softmax(biased)",
            None,
        ),
        "only the axis": ("    return softmax(scores + bias - 100 * ~mask[:, None])", "Set the score to −∞"),
        "only −∞": ("    return softmax(np.where(mask, scores + bias, -np.inf))", "where the heads are"),
        "an axis in front": ("    return softmax(np.where(mask[None], scores + bias, -np.inf))", "in front"),
        "an axis behind the queries": (
            "    return softmax(np.where(mask[:, :, None], scores + bias, -np.inf))",
            "behind the queries",
        ),
        "turned round": ("    return softmax(np.where(mask[:, None], -np.inf, scores + bias))", "Turned round"),
        "0": ("    return softmax(np.where(mask[:, None], scores + bias, 0))", "e⁰ = 1"),
        "multiplied": ("    return softmax((scores + bias) * mask[:, None])", "e⁰ = 1"),
        "after the softmax": ("    return softmax(scores + bias) * mask[:, None]", "no longer sum to 1"),
        "no mask": ("    return softmax(scores + bias)", "The mask is gone"),
        "no bias": ("    return softmax(np.where(mask[:, None], scores, -np.inf))", "The bias is not added"),
        "bias by window": (
            "    return softmax(np.where(mask[:, None], scores + bias[:, None], -np.inf))",
            "where the windows are now",
        ),
        "one mask for all": ("    return softmax(np.where(mask[0], scores + bias, -np.inf))", "the mask of window 0"),
        "no softmax": ("    return np.where(mask[:, None], scores + bias, -np.inf)", "The softmax is missing"),
        "True added": ("    return softmax(scores + bias + mask[:, None])", "True counts as 1"),
    },
    "seam_mask": {
        "mended": (region(), None),
        "dots": (region(put="region[..., h, w]"), None),
        "first axes named": (region(put="region[0, 0, h, w]"), None),
        "two bands": (region(bands="slice(0, width - shift), slice(width - shift, None)"), "Right for square images"),
        "two bands from the end": (
            "    if not shift:\n        return np.ones((height * width // window**2, window**2, window**2), bool)\n"
            + region(bands="slice(0, -shift), slice(-shift, None)").lstrip("\n"),
            None,
        ),
        "the library": ("    return shift_mask(height, width, window, shift)", None),
        "numbers for truth values": (region(mask="1.0 * (region[:, :, None] == region[:, None, :])"), None),
        "rows only": (region(put="region[:, :, h]"), "along the columns nothing is hidden"),
        "columns only": (region(put="region[:, :, :, w]"), "along the rows nothing is hidden"),
        "as given": (region(put="region[:, h, w]"), "along the columns nothing is hidden"),
        "axes of size 1": (region(put="region[h, w]"), "Nothing is hidden at all"),
        "not equal": (region(mask="region[:, :, None] != region[:, None, :]"), "Turned round"),
        "the seam at the start": (
            region(bands="slice(0, shift), slice(shift, window), slice(window, None)"),
            "from the *end* of the rolled image",
        ),
        "−100": (
            region(mask="np.where(region[:, :, None] == region[:, None, :], 0.0, -100.0)"),
            "True where a patch may look",
        ),
        "one mask": (region(mask="(region[:, :, None] == region[:, None, :]).all(axis=0)"), "One mask for all windows"),
    },
    "shifted_layer": {
        "rolled back": (layer(), None),
        "axis by axis": (layer(back="np.roll(np.roll(made, shift, axis=0), shift, axis=1)"), None),
        "with the rest of the way": (
            layer(back="np.roll(made, (shift - height, shift - width), axis=(0, 1))"),
            None,
        ),
        "as given": (layer(back="made"), "roll it back"),
        "further": (layer(back="np.roll(made, (-shift, -shift), (0, 1))"), "Back is the other one"),
        "rows only": (layer(back="np.roll(made, shift, axis=0)"), "Only the rows have come back"),
        "columns only": (layer(back="np.roll(made, shift, axis=1)"), "Only the columns have come back"),
        "no axes": (layer(back="np.roll(made, (shift, shift))"), "one long list"),
        "one shift, no axes": (layer(back="np.roll(made, shift)"), "one long list"),
        "batch axes": (layer(back="np.roll(made, (shift, shift), (1, 2))"), "rolls columns and channels"),
        "window − shift": (layer(back="np.roll(made, (window - shift, window - shift), (0, 1))"), "not window − shift"),
        "no shift at all": (layer(there="image", back="made"), "Roll there *and* back"),
        "the other way round": (
            layer(there="np.roll(image, (shift, shift), (0, 1))", back="np.roll(made, (-shift, -shift), (0, 1))"),
            "seam is on the wrong side",
        ),
        "no mask": (layer(scores="bias"), "the mask is gone"),
        "bias transposed": (layer(scores="np.where(mask, bias.T, -np.inf)"), "the bias is transposed"),
    },
}


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH08[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words and words in text, text


OFFSET, ROW, BACK = "offset of query 1, key 6", "row of query 1, key 6", "row of query 6, key 1"
SELF, SHARE, ALL = "row of a patch with itself", "pairs that take row 17", "rows of a table for W = 7"
OLD, NEW, MIDDLE = "rows for W = 7", "rows for W = 12", "row of offset (0, 0) for W = 7"
MEANS = "offset [Δrow, Δcolumn] of that row for W = 12"
MORE, FINER = "the image is larger, patches as before", "the same image, patches half as wide"
ANSWERS = [
    ("one_window", {OFFSET: [-2, 1]}, "query minus key"),
    ("one_window", {OFFSET: [-1, 2]}, "row first, then column"),
    ("one_window", {OFFSET: [2, 1]}, "Left is negative"),
    ("one_window", {OFFSET: [0, 5]}, "the offset in the list"),
    ("one_window", {ROW: 13}, "the width of the square of offsets"),
    ("one_window", {ROW: 27}, "add W − 1 = 2"),
    ("one_window", {ROW: 3}, "the pair turned round"),
    ("one_window", {ROW: 9}, "have changed places"),
    ("one_window", {BACK: 21}, "both offsets change their sign"),
    ("one_window", {SELF: 0}, "the far corner"),
    ("one_window", {SELF: 18}, "you add W = 3"),
    ("one_window", {SHARE: 9}, "nothing below it"),
    ("one_window", {SHARE: 3}, "those of row 1 as well"),
    ("one_window", {ALL: 49}, "those are the patches"),
    ("one_window", {ALL: 26}, "multiply"),
    ("one_window", {ALL: 196}, "13 offsets, not 14"),
    ("one_window", {ALL: 168}, "numbered 0 to 168"),
    ("larger_window", {OLD: 49}, "those are the patches"),
    ("larger_window", {NEW: 144}, "those are the patches"),
    ("larger_window", {NEW: 528}, "numbered from 0"),
    ("larger_window", {MIDDLE: 24}, "the middle patch of the window"),
    ("larger_window", {MIDDLE: 98}, "Add W − 1 = 6"),
    ("larger_window", {MEANS: [0, 0]}, "what it meant in the old table"),
    ("larger_window", {MEANS: [3, 15]}, "Subtract W − 1 = 11"),
    ("larger_window", {MEANS: [-9, 3]}, "The smallest offset is"),
    ("larger_window", {MEANS: [-5, -5]}, "divides by 2·7 − 1 = 13"),
    ("larger_window", {MORE: "stretch"}, "means what it meant"),
    ("larger_window", {MORE: "stretch", FINER: "keep"}, "changed places"),
    ("larger_window", {FINER: "keep"}, "is now two"),
    ("larger_window", {FINER: "flat"}, "land on other offsets"),
]


@pytest.mark.parametrize(("name", "wrong", "words"), ANSWERS)
def test_a_slip_with_the_pencil_is_named(name, wrong, words):
    result = CH08[name].check({**CH08[name].expected(), **wrong})
    assert not result.passed and words in result.cause, result
