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


def running_off(corner, W="(len(table) + 1) // 2"):
    """Squares that begin at the wrong place: put into zeros, collected for np.array, returned as a list."""
    put = f"""
    W = {W}
    bias = np.zeros((W * W, W * W))
    for r in range(W):
        for c in range(W):
            top, left = {corner}
            bias[r * W + c] = table[top : top + W, left : left + W].ravel()
    return bias
"""
    collected = f"""
    W = {W}
    bias = []
    for r in range(W):
        for c in range(W):
            top, left = {corner}
            bias.append(table[top : top + W, left : left + W].ravel())
    return np.array(bias)
"""
    return put, collected, collected.replace("np.array(bias)", "bias")


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
        "abs, shifted": (
            rows(index="(abs(rj - ri) + height - 1) * (2 * width - 1) + abs(cj - ci) + width - 1"),
            "Left and right share a row: keep the signs.",
        ),
        "abs of the row": (
            rows(index="(abs(rj - ri) + height - 1) * (2 * width - 1) + cj - ci + width - 1"),
            "Up and down share a row: keep the signs.",
        ),
        "abs times width": (rows(index="abs(rj - ri) * width + abs(cj - ci)"), "keep the signs"),
        "divided with /": (
            rows(query="i / width, i % width", key="j / width, j % width").replace("n), int)", "n))"),
            "divide with `//`",
        ),
        "W is the height": (
            rows(
                query="divmod(i, height)",
                key="divmod(j, height)",
                index="(rj - ri + height - 1) * (2 * height - 1) + cj - ci + height - 1",
            ),
            "wherever columns count it is `width`",
        ),
        "square of the height": ("    return window_index(height)", "Right for square windows"),
        "height² patches": (rows(patches="height * height"), "Right for square windows"),
        "height² and width²": (
            """
    result = np.zeros((height * height, width * width), int)
    for i in range(height * height):
        for j in range(width * width):
            (ri, ci), (rj, cj) = divmod(i, width), divmod(j, width)
            result[i, j] = (rj - ri + height - 1) * (2 * width - 1) + cj - ci + width - 1
    return result
""",
            "Both axes count the same patches",
        ),
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
        "bias transposed": (
            port(order="", bias="np.moveaxis(table[index], -1, 0).mT"),
            "Both offsets are turned round",
        ),
        "query minus key, and nothing mended": (
            port(order="", offset="place[:, :, None] - place[:, None, :]"),
            "rows and columns are still exchanged",
        ),
        "minus the offset": (
            port(order="", offset="-(place[:, None, :] - place[:, :, None])"),
            "Both offsets are turned round, and rows and columns are still exchanged",
        ),
        "the table turned, and nothing mended": (
            port(order="", bias="np.moveaxis(table[::-1][index], -1, 0)"),
            "Both offsets are turned round, and rows and columns are still exchanged",
        ),
        "times W": (port(index="offset[0] * window + offset[1]"), "The factor was right"),
        "plus W": (port(offset="place[:, None, :] - place[:, :, None] + 1"), "The shift was right"),
        "heads last": (port(bias="table[index]"), "The heads come first"),
        ".T": (port(bias="table[index].T"), "a bias transposed"),
        "one offset twice": (port(index="offset[0] * (2 * window - 1) + offset[0]"), "Is offset[0] there twice"),
        "one array in the order of columns": (
            port(order="").replace("rows.ravel()", 'rows.ravel("F")'),
            "or do `rows` and `columns` hold the same numbers?",
        ),
        "the other array in the order of columns": (
            port(order="").replace("columns.ravel()", 'columns.ravel("F")'),
            "both terms of the index are made of Δcolumn",
        ),
        "reshaped": (port(bias="table[index].reshape(-1, window**2, window**2)"), "it cuts (query, key, head) anew"),
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
        "transposed": (
            square().replace("return bias", "return bias.T"),
            "the bias is transposed, which gives the same",
        ),
        "the table backwards": (
            square().replace("piece = table[", "piece = table[::-1, ::-1]["),
            "the table is read backwards",
        ),
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
        **{
            f"{says}, {form}": (body, words)
            for says, bodies, words in (
                ("2 − r", running_off("2 - r, 2 - c"), "2 is W − 1 in the lesson's window of 3"),
                ("W = 3", running_off("2 - r, 2 - c", W="3"), "3 is the lesson's window"),
                ("W = 3, then W − 1 − r", running_off("W - 1 - r, W - 1 - c", W="3"), "3 is the lesson's window"),
                ("down and right", running_off("W - 1 + r, W - 1 + c"), "must move up and left"),
                (
                    "to W",
                    [
                        body.replace("top + W", "W").replace("left + W", "W")
                        for body in running_off("W - 1 - r, W - 1 - c")
                    ],
                    "slice end",
                ),
                ("−r", running_off("-r, -c"), "W − 1"),
            )
            for form, body in zip(("put", "collected", "a list"), bodies, strict=True)
        },
        "return after the first r": (
            square().replace("    return bias", "        return bias"),
            "is the `return` indented too far?",
        ),
        "return after the first r, a list": (
            running_off("W - 1 - r, W - 1 - c")[1].replace("    return", "        return"),
            "is the `return` indented too far",
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
        "ten below the smallest score": (
            "    biased = scores + bias\n    return softmax(np.where(mask[:, None], biased, biased.min() - 10))",
            "But 10 below the smallest score is not hidden",
        ),
        "ten below the smallest score, before the bias": (
            "    return softmax(np.where(mask[:, None], scores, scores.min() - 10) + bias)",
            "A hidden key gets weight",
        ),
        "very low": ("    return softmax(np.where(mask[:, None], scores + bias, -1e30))", None),
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
        "−1000": (
            "    return softmax(scores + bias - 1000 * ~mask[:, None])",
            "−1000 moves the limit, it does not remove it",
        ),
        "divided again": (
            "    w = softmax(scores + bias) * mask[:, None]\n    return w / w.sum(-1, keepdims=True)",
            "0/0: the hidden key had taken all the weight before you hid it.",
        ),
        "the mask turned": (
            "    return softmax(np.where(mask.swapaxes(1, 2)[:, None], scores + bias, -np.inf))",
            "The mask is (query, key); yours is turned.",
        ),
        "−∞ times": ("    return softmax(scores + bias + -np.inf * ~mask[:, None])", "choose with `np.where`"),
        "−∞ times, no axis": ("    return softmax(scores + bias - np.inf * ~mask)", "Two things. 0 · ∞ is nan"),
        "True added": ("    return softmax(scores + bias + mask[:, None])", "True counts as 1"),
    },
    "seam_mask": {
        "row or column": (
            """
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    rows, columns = np.zeros((2, height, width, 1))
    for k, band in enumerate(bands):
        rows[band], columns[:, band] = k, k
    rows, columns = (partition(x, window)[..., 0] for x in (rows, columns))
    return (rows[:, :, None] == rows[:, None]) | (columns[:, :, None] == columns[:, None])
""",
            "where the row bands agree *or* the column bands do",
        ),
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
        "numbers for truth values": (
            region(mask="1.0 * (region[:, :, None] == region[:, None, :])"),
            "passed: Bug hunt: nine regions on the wrong axes\n  right in all",
        ),
        "whole numbers": (
            region(mask="(region[:, :, None] == region[:, None, :]).astype(int)"),
            "True and False, which were wanted",
        ),
        "≤": (region(mask="region[:, :, None] <= region[:, None, :]"), "one way only: the same region is `==`"),
        "≥": (region(mask="region[:, :, None] >= region[:, None, :]"), "one way only: the same region is `==`"),
        "half a window": (
            region(bands="slice(0, -window), slice(-window, -(window // 2)), slice(-(window // 2), None)"),
            "Right only when shift is W // 2",
        ),
        "width and height": (
            region(put="region[:, h, w, :]").replace("(1, 1, height, width)", "(1, width, height, 1)"),
            "the two have changed places",
        ),
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
        "by 1": (layer(back="np.roll(made, (1, 1), (0, 1))"), "Right only when shift is 1: roll by `shift`."),
        "by 2": (layer(back="np.roll(made, (2, 2), (0, 1))"), "Right only when shift is 2"),
        "by W // 2": (
            layer(back="np.roll(made, (window // 2, window // 2), (0, 1))"),
            "Right only when shift is W // 2",
        ),
        "by W": (layer(back="np.roll(made, (window, window), (0, 1))"), "by what it was rolled there: `shift`"),
        "with the image": (
            layer(back="image + np.roll(made, (shift, shift), (0, 1))"),
            "the residual path is outside this layer",
        ),
        "with the image, not back": (layer(back="image + made"), "the residual path is outside this layer"),
        "weights transposed": (layer().replace("weights @ v", "weights.swapaxes(1, 2) @ v"), "weights are transposed"),
        "weights transposed, not back": (
            layer(back="made").replace("weights @ v", "weights.swapaxes(1, 2) @ v"),
            "weights are transposed",
        ),
        "mask inverted": (layer(scores="np.where(~mask, bias, -np.inf)"), "this hides what may be seen"),
        "mask inverted, not back": (
            layer(scores="np.where(mask, -np.inf, bias)", back="made"),
            "this hides what may be seen",
        ),
        "the other way there, not back": (
            layer(there="np.roll(image, (shift, shift), (0, 1))", back="made"),
            "the other way round there, and not back",
        ),
        "only rolled": ("    return np.roll(image, (shift, shift), (0, 1))", "The image is only rolled"),
        "only rolled up": ("    return np.roll(image, (-shift, -shift), (0, 1))", "The image is only rolled"),
        "rolled and not kept": (
            layer(back="made").replace("    return", "    np.roll(made, (shift, shift), (0, 1))\n    return"),
            "makes a new array",
        ),
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
    ("one_window", {OFFSET: [-1, 2]}, "Offset: row and column have changed places"),
    ("one_window", {OFFSET: [1, -2]}, "two things"),
    ("one_window", {OFFSET: [2, 1]}, "Left is negative"),
    ("one_window", {OFFSET: [0, 5]}, "the offset in the list"),
    ("one_window", {ROW: 13}, "the width of the square of offsets"),
    ("one_window", {ROW: 27}, "add W − 1 = 2"),
    ("one_window", {ROW: 3}, "the pair turned round"),
    ("one_window", {ROW: 9}, "have changed places"),
    ("one_window", {BACK: 21}, "both offsets change their sign"),
    ("one_window", {SELF: 0}, "the far corner"),
    ("one_window", {SELF: 24}, "row 24 is the other far corner, offset (+2, +2)"),
    ("one_window", {OFFSET: [1, 2]}, "count the patches from 1"),
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
    ("larger_window", {MIDDLE: 168}, "the other far corner, offset (+6, +6)"),
    ("larger_window", {MIDDLE: 83}, "as many rows must lie before it as after it"),
    ("larger_window", {MIDDLE: 36}, "you multiply 6 by 6"),
    ("larger_window", {OLD: 36}, "the largest offset of an axis"),
    ("larger_window", {MEANS: [7, 0]}, "divides by 12"),
    ("larger_window", {MEANS: [-8, 1]}, "divides by 2W = 24"),
    ("larger_window", {MEANS: [6, 6]}, "divides by 13"),
    ("larger_window", {MEANS: [-8, 5]}, "one too far right"),
    ("larger_window", {MEANS: [-7, 4]}, "one too far down"),
    ("larger_window", {MEANS: [4, -8]}, "Δrow and Δcolumn have changed places. Δrow comes first."),
    ("larger_window", {MEANS: [-4, 8]}, "both signs are turned round"),
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


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("one_window", {SELF: 6}),
        ("one_window", {SHARE: 7}),
        ("one_window", {ROW: 42}),
        ("larger_window", {MIDDLE: 86}),
        ("larger_window", {NEW: 530}),
    ],
)
def test_no_slip_with_the_pencil_is_told_how_far_off_it_is(name, wrong):
    cause = CH08[name].check({**CH08[name].expected(), **wrong}).cause
    assert not any(word in cause for word in ("twice", "half", "too large", "too small")), cause


def test_offsets_in_quotes_are_told_the_form():
    result = CH08["one_window"].check({**CH08["one_window"].expected(), OFFSET: "(2,-1)"})
    assert "2 numbers in square brackets" in str(result), result
