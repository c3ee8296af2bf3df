"""Chapter 06: what a learner reads after a slip."""

import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH06 = tasks_of("ch06")

LOOP = """
    n = {n}
    exact = {exact}
    result = []
    for r in offsets{over}:
        d = {distance}
        if d < exact:
            b = d
        else:
            b = {shared}
        result.append({end})
    return {result}
"""
FLAT = {"over": ".flat", "result": "np.reshape(result, offsets.shape)"}
RIGHT = {
    "n": "num_buckets // 2 if bidirectional else num_buckets",
    "exact": "n // 2",
    "distance": "abs(r) if bidirectional else max(-r, 0)",
    "shared": "min(exact + int(math.log(d / exact) / math.log(max_distance / exact) * (n - exact)), n - 1)",
    "end": "b + n if bidirectional and r > 0 else b",
}


def loop(**changed):
    return LOOP.format(**{"over": "", "result": "result", **RIGHT, **changed})


POSITIONS = """
    i = past + np.arange(content.shape[1])[:, None]
    j = np.arange(content.shape[2])
"""
REST = """    bias = np.moveaxis(table[rows], -1, 0)
    return softmax(np.where(j <= i, content + bias, -np.inf))
"""

SLIPS = {
    "t5_buckets": {
        "query minus key, in both modes": (
            loop(**FLAT).replace("offsets.flat", "(-offsets).flat"),
            "The sign is turned in both modes",
        ),
        "query minus key in the decoder": (
            loop(distance="abs(r) if bidirectional else max(r, 0)"),
            "The past has negative offsets",
        ),
        "abs in both modes": (loop(distance="abs(r)"), "a key after the query must fall into bucket 0"),
        "halves swapped": (loop(end="b + n if bidirectional and r < 0 else b"), "The halves are swapped"),
        "offset 0 in the upper half": (loop(end="b + n if bidirectional and r >= 0 else b"), "is bucket 0"),
        "no half": (loop(end="b"), "With `bidirectional` left and right are the same"),
        "no halving": (loop(n="num_buckets"), "each direction gets half of the buckets"),
        "halved in both modes": (loop(n="num_buckets // 2"), "halves them in both modes"),
        "negative buckets": (loop(end="b + n if bidirectional and r > 0 else -b"), "negative buckets"),
        "exact from num_buckets": (loop(exact="num_buckets // 2"), "half of one *direction's* buckets"),
        "always 8 exact": (loop(exact="8"), "In general E is half of N"),
        "no last bucket": (
            loop(shared="exact + int(math.log(d / exact) / math.log(max_distance / exact) * (n - exact))"),
            "hold them at N − 1",
        ),
        "round": (
            loop(
                shared="min(exact + round(math.log(d / exact) / math.log(max_distance / exact) * (n - exact)), n - 1)"
            ),
            "You round",
        ),
        "no floor": (
            loop(shared="min(exact + math.log(d / exact) / math.log(max_distance / exact) * (n - exact), n - 1)"),
            "take the floor",
        ),
        "log2 above": (
            loop(shared="min(exact + int(math.log2(d / exact) / math.log(max_distance / exact) * (n - exact)), n - 1)"),
            "Two bases in one formula",
        ),
        "ln max_distance": (
            loop(shared="min(exact + int(math.log(d / exact) / math.log(max_distance) * (n - exact)), n - 1)"),
            "divide by ln(max_distance / E)",
        ),
        "times N": (
            loop(shared="min(exact + int(math.log(d / exact) / math.log(max_distance / exact) * n), n - 1)"),
            "You share out N buckets",
        ),
        "difference of logarithms": (
            loop(
                shared="min(exact + int((math.log(d) - math.log(exact)) / (math.log(max_distance) - math.log(exact))"
                " * (n - exact)), n - 1)"
            ),
            "off by rounding",
        ),
        "difference of logarithms above only": (
            loop(
                shared="min(exact + int((math.log(d) - math.log(exact)) / math.log(max_distance / exact)"
                " * (n - exact)), n - 1)"
            ),
            "Take ln(d / E) there too",
        ),
        "N − E first": (
            loop(**FLAT, shared="min(exact + int((n - exact) * math.log(d / exact, max_distance / exact)), n - 1)"),
            None,
        ),
        "log of 0, not used": (
            """
    n, d = (num_buckets // 2, abs(offsets)) if bidirectional else (num_buckets, np.maximum(-offsets, 0))
    e = n // 2
    far = np.minimum(e + (np.log(d / e) / np.log(max_distance / e) * (n - e)).astype(int), n - 1)
    return np.where(d < e, d, far) + n * (bidirectional and offsets > 0)
""",
            None,
        ),
        "<=": (
            loop(**FLAT).replace("if d < exact", "if d <= exact"),
            None,  # ln(E/E) = 0: distance E is bucket E either way
        ),
        "log of 0": (
            """
    n = num_buckets // 2 if bidirectional else num_buckets
    e = n // 2
    return [e + int(math.log(abs(r) / e) / math.log(max_distance / e) * (n - e)) for r in offsets]
""",
            "There is no logarithm of 0",
        ),
        "an if on an array": (
            """
    d = abs(offsets)
    if d < num_buckets // 4:
        return d
    return num_buckets // 4 + np.floor(np.log(d / 8) / np.log(16) * 8)
""",
            "use `np.where`",
        ),
        "sizes fixed": (
            """
    n, e = (16, 8) if bidirectional else (32, 16)
    d = abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    b = np.minimum(e + np.floor(np.log(np.maximum(d, e) / e) / np.log(128 / e) * (n - e)), n - 1)
    return np.where(d < e, d, b) + np.where(bidirectional & (offsets > 0), n, 0)
""",
            "these sizes are written into your code",
        ),
        "return in the loop": (
            loop().replace("    return result", "        return result"),
            "is the `return` inside the loop?",
        ),
        "return in the loop over a flat array": (
            loop(**FLAT).replace("    return np.reshape(result, offsets.shape)", "        return np.array(result)"),
            "is the `return` inside the loop?",
        ),
        "return in the loop that fills an array": (
            """
    found = np.zeros(offsets.shape)
    n = num_buckets // 2 if bidirectional else num_buckets
    e = n // 2
    for k, r in enumerate(offsets.flat):
        d = abs(r) if bidirectional else max(-r, 0)
        if d >= e:
            d = min(e + int(math.log(d / e) / math.log(max_distance / e) * (n - e)), n - 1)
        found.flat[k] = d + n if bidirectional and r > 0 else d
        return found
""",
            "is the `return` inside the loop?",
        ),
        "a row only": (loop(), "Right for a row of offsets"),
        "a list only": (loop(over=".tolist()"), "makes a list of lists of a grid"),
        "whole numbers only": (
            loop(distance="abs(int(r)) if bidirectional else max(-int(r), 0)"),
            "`int` takes one number",
        ),
        "a slip in a row, and in any array": (
            loop(**FLAT, end="b + n if r > 0 else b"),
            "Without `bidirectional` nothing is added",
        ),
        "a slip in a row": (loop(end="b + n if r > 0 else b"), "a grid of them comes last"),
        "half of all in both modes": (
            loop(end="b + num_buckets // 2 if r > 0 else b"),
            "half of `num_buckets` more in both modes",
        ),
        "16 more": (loop(end="b + 16 if bidirectional and r > 0 else b"), "16 is written into your code"),
        "held at the end of the table": (
            loop(
                shared="min(exact + int(math.log(d / exact) / math.log(max_distance / exact) * (n - exact)),"
                " num_buckets - 1)"
            ),
            "a direction ends earlier",
        ),
        "divided by the width of a bucket": (
            loop(shared="min(exact + math.log(d / exact) // (math.log(max_distance / exact) / (n - exact)), n - 1)"),
            "take the floor last",
        ),
    },
    "decoder_weights": {
        "scaled, and the bias too": (
            POSITIONS + "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("content + bias", "(content + bias) / np.sqrt(4)"),
            "T5 scales nothing",
        ),
        "scaled by another root": (
            POSITIONS + "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("content + bias", "(content + bias) / np.sqrt(8)"),
            "off by one factor",
        ),
        "bias transposed": (
            POSITIONS + "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("content + bias", "content + bias.swapaxes(-1, -2)"),
            "The bias is transposed",
        ),
        "one too many": (
            POSITIONS + "    rows = bucket(j - i + 1, bidirectional=False, num_buckets=len(table))\n" + REST,
            "Yours have 1 and 0",
        ),
        "one less, and the sign": (
            POSITIONS + "    rows = bucket(i - j - 1, bidirectional=False, num_buckets=len(table))\n" + REST,
            "only the token itself has left it",
        ),
        "a root": (
            POSITIONS
            + "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("content + bias", "content / content.shape[-1] ** 0.5 + bias"),
            "You divide by a root",
        ),
        "mended elsewhere: the bias": (
            POSITIONS
            + "    rows = bucket(i - j, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("content + bias", "content - bias"),
            "weights without any bias",
        ),
        "both ways": (
            POSITIONS + "    rows = bucket(i - j, num_buckets=len(table))\n" + REST,
            "meant for keys *after* the query",
        ),
        "the encoder's": (
            POSITIONS + "    rows = bucket(j - i, num_buckets=len(table))\n" + REST,
            "the buckets are an encoder's",
        ),
        "abs": (
            POSITIONS + "    rows = bucket(abs(i - j), bidirectional=False, num_buckets=len(table))\n" + REST,
            "weights without any bias",
        ),
        "mask turned": (
            POSITIONS
            + "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n"
            + REST.replace("j <= i", "j >= i"),
            "You turned the mask round",
        ),
        "no past": (
            "    i = np.arange(content.shape[1])[:, None]\n    j = np.arange(content.shape[2])\n"
            "    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))\n" + REST,
            "the first query stands at position `past`",
        ),
        "distance as a row": (
            POSITIONS + "    rows = np.maximum(i - j, 0)\n" + REST,
            "You use the distance itself as the row",
        ),
    },
    "biases_while_learning": {
        "kept by the sum": (
            """
    kept, biases = {}, []
    for table in tables:
        key = n, float(table.sum())
        if key not in kept:
            kept[key] = t5_bias(n, table=table)
        biases.append(kept[key])
    return biases""",
            "and their sum may not",
        ),
        "keyed by the identity": (
            """
    kept, biases = {}, []
    for table in tables:
        if id(table) not in kept:
            kept[id(table)] = np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0)
        biases.append(kept[id(table)])
    return biases
""",
            "and so does its `id`",
        ),
        "kept with the table it was made of": (
            """
    last, bias, biases = None, None, []
    for table in tables:
        if table is not last:
            last, bias = table, np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0)
        biases.append(bias)
    return biases
""",
            "and so does its `id`",
        ),
        "nothing kept": (
            "    return [np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0) for table in tables]",
            None,
        ),
        "kept by the numbers": (
            """
    kept, biases = {}, []
    for table in tables:
        key = table.tobytes()
        if key not in kept:
            kept[key] = np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0)
        biases.append(kept[key])
    return biases
""",
            None,
        ),
        "the last table for all": (
            "    last = tables[-1]\n"
            "    return [np.moveaxis(last[bucket(offsets(n), num_buckets=len(last))], -1, 0) for _ in tables]",
            "the bias of the last table",
        ),
        "keyed by the shape": (
            """
    kept, biases = {}, []
    for table in tables:
        if table.shape not in kept:
            kept[table.shape] = np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0)
        biases.append(kept[table.shape])
    return biases
""",
            "the bias of the first table",
        ),
        "looked up when the training is over": (
            "    kept = list(tables)\n"
            "    return [np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0) for table in kept]",
            "before the array changes again",
        ),
        "filled one step late": (
            """
    biases, bias = [], np.moveaxis(tables[0][bucket(offsets(n), num_buckets=len(tables[0]))], -1, 0)
    for table in tables:
        biases.append(bias)
        bias = np.moveaxis(table[bucket(offsets(n), num_buckets=len(table))], -1, 0)
    return biases
""",
            "one step late",
        ),
        "heads last": (
            "    return [table[bucket(offsets(n), num_buckets=len(table))] for table in tables]",
            "move the last axis to the front",
        ),
        ".T": (
            "    return [table[bucket(offsets(n), num_buckets=len(table))].T for table in tables]",
            "Query and key have changed places",
        ),
        "32 buckets": (
            "    return [np.moveaxis(table[bucket(offsets(n))], -1, 0) for table in tables]",
            "Right for tables of 32 rows only",
        ),
    },
    "stack_scores": {
        "the dedent": (
            """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        scores = scores + bias
        result.append(scores)
    return result
""",
            None,
        ),
        "the dedent, one too far": (
            """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        result.append(scores)
    scores = scores + bias
    return result
""",
            "Now no layer adds the bias",
        ),
        "every layer makes it bigger": (
            """
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        result.append(scores + bias)
        bias = bias + bias
    return result
""",
            "doubles from layer to layer",
        ),
        "twice everywhere": ("    return content + 2 * t5_bias(content.shape[-1], table=table)", "Once is enough"),
        "the last alone": (
            """
    result = [*content]
    result[-1] = result[-1] + t5_bias(content.shape[-1], table=table)
    return result
""",
            "behind the loop",
        ),
        "scores added up": (
            """
    bias, total, result = t5_bias(content.shape[-1], table=table), 0, []
    for scores in content:
        total = total + scores
        result.append(total + bias)
    return result
""",
            "The scores add up",
        ),
        "a root": (
            "    return content / np.sqrt(content.shape[-1]) + t5_bias(content.shape[-1], table=table)",
            "You divide by a root",
        ),
        "as many tokens as layers": (
            """
    for number, scores in enumerate(content):
        if number == 0:
            bias, result = t5_bias(content.shape[0], table=table), []
        result.append(scores + bias)
    return result
""",
            "which is the number of layers",
        ),
        "as many tokens as heads": (
            """
    result, bias = [], t5_bias(content.shape[1], table=table)
    for scores in content:
        result.append(scores + bias)
    return result
""",
            "which is the number of heads",
        ),
        "added up": (
            """
    bias = t5_bias(content.shape[-1], table=table)
    result, scores = [], 0
    for number, scores in enumerate(content):
        for _ in range(number + 1):
            scores = scores + bias
        result.append(scores)
    return result
""",
            "adds up from layer to layer",
        ),
        "else branch": (
            """
    bias = t5_bias(content.shape[-1], table=table)
    return [scores if number == 0 else scores + bias for number, scores in enumerate(content)]
""",
            "the first layer goes without",
        ),
        "twice in the first": (
            """
    bias = t5_bias(content.shape[-1], table=table)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            scores = scores + bias
        result.append(scores + bias)
    return result
""",
            "adds the bias twice",
        ),
        "a decoder's": (
            "    return content + t5_bias(content.shape[-1], table=table, bidirectional=False)",
            "a decoder's buckets",
        ),
        "scaled": (
            "    return content / 2 + t5_bias(content.shape[-1], table=table)",
            "T5 does not scale",
        ),
        "append outside": (
            """
    bias, result = t5_bias(content.shape[-1], table=table), []
    for number, scores in enumerate(content):
        scores = scores + bias
    result.append(scores)
    return result
""",
            "the `append` has left the loop",
        ),
    },
    "t5_scores": {
        "the bias by the text": (
            """
    products = q @ k.mT
    for b in range(len(q)):
        products[b] = products[b] + bias[b]
    return products
""",
            "The bias is chosen by the text",
        ),
        "reshape": (
            "    b, h, n, d = k.shape\n    return q @ k.reshape(b, h, d, n) + bias",
            "it does not transpose",
        ),
        "keys meet queries": ("    return k @ q.mT + bias", "Queries and keys have changed places"),
        "a new axis in the middle": ("    return q @ k.mT + bias[:, :, None]", "No new axis is needed"),
        "two new axes": ("    return q @ k.mT + bias[None, :, None]", "No new axis is needed"),
        "a new axis at the end": ("    return q @ k.mT + bias[..., None]", "No new axis is needed"),
        "dot": ("    return np.dot(q, k.mT) + bias", "every text and head with every other"),
        "all axes": ("    return q @ k.transpose(1, 0, 3, 2) + bias", "batch and heads are swapped as well"),
        "entry by entry": ("    return q * k + bias", "use `@`"),
        "only the first bug": ("    return q @ k.swapaxes(-1, -2) + bias[:, None]", "the heads stand where the batch"),
        "only the second bug": ("    return q @ k.T + bias", "turns all four axes round"),
        "transpose": ("    return q @ k.transpose(-1, -2) + bias", "wants to hear of all four axes"),
        "tokens and heads": ("    return q @ k.transpose(0, 2, 1, 3) + bias", "You swap heads and tokens"),
        "no transpose": ("    return q @ k + bias", "do not multiply"),
        "head 0 for all": ("    return q @ k.mT + bias[0]", "the bias of head 0"),
        "scaled": ("    return q @ k.mT / np.sqrt(q.shape[-1]) + bias", "T5 does not scale"),
        "bias transposed": ("    return q @ k.mT + bias.mT", "its rows belong to the queries"),
        "bias.T": ("    return q @ k.mT + bias.T", "turns all axes of the bias round"),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH06[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words and words in text, text


ANSWERS = [
    ("five_distances", {"left": [15, 11, 8, 3, 1]}, "count down from 16"),
    ("five_distances", {"left": [14, 10, 7, 2, 0]}, "count down from 15"),
    ("five_distances", {"right": [30, 26, 23, 18, 16]}, "count down from 31"),
    ("five_distances", {"right": [33, 37, 40, 45, 47]}, "past the end of the table"),
    ("wrong_direction", {"weight on the future": 0.1}, "whatever the bias says"),
    ("wrong_direction", {"weight on the future": 0.01}, "whatever the bias says"),
    ("wrong_direction", {"buckets told apart, bidirectional=False": 32}, "Nearly: the last bucket begins"),
    ("memory", {"parameters of the table": 2048}, "one for each direction or an encoder's and a decoder's"),
    ("five_distances", {"causal": [0, 0, 0, 0, 0]}, "which is a decoder's future"),
    ("five_distances", {"causal": [1, 5, 10, 24, 31]}, "that begins at 113"),
    ("five_distances", {"causal": [17, 21, 24, 29, 31]}, "no upper half"),
    ("five_distances", {"causal": [1, 5, 10, 24.767, 30.1]}, "is a whole number"),
    ("five_distances", {"causal": [1, 5, 9, 23, 29]}, "8 exact buckets are an encoder's"),
    ("five_distances", {"causal": [1, 5, 10, 17, 18]}, "three doublings"),
    ("five_distances", {"left": [1, 5, 8.64, 13.29, 15.29]}, "is a whole number"),
    ("five_distances", {"left": [1, 5, 8.6438, 13.2877, 15]}, "is a whole number"),
    ("five_distances", {"left": [1, 5, 8, 10, 11]}, "one bucket per doubling"),
    ("five_distances", {"left": [1, 5, 0, 5, 7]}, "follow the exact ones"),
    ("five_distances", {"left": [15, 11, 6, 0, 0]}, "the clipped offset + 16"),
    ("five_distances", {"left": [1, 5, 9, 14, 15]}, "you round up"),
    ("five_distances", {"left": [1, 5, 8, 8, 8]}, "below 1"),
    ("never_reached", {"encoder, 32 buckets, 128": -1, "encoder, 8 buckets, 20": -1}, "distance 0 in the future"),
    ("never_reached", {"encoder, 8 buckets, 20": 8}, "numbered 0 to 7"),
    ("never_reached", {"encoder, 8 buckets, 20": 32}, "there is no bucket 32"),
    ("never_reached", {"encoder, 8 buckets, 20": 2}, "the first shared one"),
    ("never_reached", {"encoder, 8 buckets, 20": 3}, "the last of the past"),
    ("never_reached", {"decoder, 8 buckets, 6": 3}, "distance 3 itself"),
    ("wrong_direction", {"weight on the future": float("-inf")}, "−∞ is the score"),
    ("wrong_direction", {"buckets told apart, bidirectional=True": 13}, "the lesson's 40 tokens"),
    ("wrong_direction", {"buckets told apart, bidirectional=False": 23}, "the lesson's 40 tokens"),
    ("wrong_direction", {"buckets told apart, bidirectional=False": 16}, "all 32 buckets serve the past"),
    ("wrong_direction", {"row for 30 back, bidirectional=True": 30}, "up to 7 are exact"),
    ("wrong_direction", {"row for 30 back, bidirectional=False": 11}, "an encoder's row"),
    ("wrong_direction", {"row for 30 back, bidirectional=False": 21}, "You round"),
    ("memory", {"parameters of the table": 992}, "31 rows are trained"),
    ("memory", {"parameters, one per offset": 262176}, "N − 1, not N"),
    ("memory", {"parameters, one per offset": 131040}, "one direction without offset 0"),
    ("memory", {"GiB as a matrix, from the table": 2**31, "GiB as a matrix, from one per offset": 2**31}, "are bytes"),
    ("memory", {"GiB as a matrix, from the table": 2048, "GiB as a matrix, from one per offset": 2048}, "are MiB"),
    ("memory", {"GiB as a matrix, from the table": 16}, "are bits"),
    ("five_distances", {"left": [1, 5, 9, 13, 15]}, "takes the floor"),
    ("five_distances", {"left": [17, 21, 24, 29, 31], "right": [1, 5, 8, 13, 15]}, "changed places"),
    ("five_distances", {"left": [1, 5, 10, 24, 30]}, "a decoder's buckets"),
    ("five_distances", {"causal": [1, 5, 8, 13, 15]}, "an encoder's buckets"),
    ("five_distances", {"right": [16, 20, 23, 28, 30]}, "bucket 16 is never used"),
    ("five_distances", {"causal": [1, 5, 10, 25, 30]}, "rounded up"),
    ("five_distances", {"left": [1, 5, 8, 11, 13]}, "two bases"),
    ("never_reached", {"encoder, 32 buckets, 128": 0}, "the token itself"),
    ("never_reached", {"decoder, 32 buckets, 128": 16}, "no second half"),
    ("never_reached", {"decoder, 8 buckets, 6": -1}, "can they all be reached"),
    ("never_reached", {"encoder, 8 buckets, 20": 16}, "there is no bucket 16"),
    ("wrong_direction", {"weight on the future": 0.5}, "mask comes after the bias"),
    ("wrong_direction", {"buckets told apart, bidirectional=True": 32}, "never sees"),
    ("wrong_direction", {"buckets told apart, bidirectional=False": 32}, "99 back"),
    ("wrong_direction", {"row for 30 back, bidirectional=True": 27}, "*ahead*"),
    ("memory", {"parameters of the table": 32}, "one head"),
    ("memory", {"parameters, one per offset": 32 * 8192}, "offset 0 is counted twice"),
    ("memory", {"parameters, one per offset": 32 * 4096}, "one direction"),
    ("memory", {"GiB as a matrix, from the table": 2.15}, "10⁹"),
    ("memory", {"GiB as a matrix, from one per offset": 4}, "Two directions are in it"),
]


@pytest.mark.parametrize(("name", "wrong", "words"), ANSWERS)
def test_a_slip_with_the_pencil_is_named(name, wrong, words):
    result = CH06[name].check({**CH06[name].expected(), **wrong})
    assert not result.passed and words in result.cause, result


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"GiB as a matrix, from the table": 0, "GiB as a matrix, from one per offset": 2}, "That is the table")],
)
def test_a_table_is_no_matrix(wrong, words):
    assert words in CH06["memory"].check({**CH06["memory"].expected(), **wrong}).cause
