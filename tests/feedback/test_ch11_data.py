"""Chapter 11, what programs name and where padding stands: what a learner reads after a slip."""

import numpy as np
import pytest

from course_lib.code_distance import distances, tokens_of
from course_lib.tasks import tasks_of

from .slips import cell, each, told

CH11 = tasks_of("ch11")

LOOK_BACK = """
    last, found = {{}}, []
    for i, (name, bound) in enumerate(zip(names, binds)):
        if bound:
            {keep}
            found.append({at_bound})
        else:
            found.append({distance})
    return {result}
"""
RIGHT = {
    "keep": "last[name] = i",
    "at_bound": "-1",
    "distance": "i - last[name] if name in last else -1",
    "result": "found",
}


def look_back(**changed):
    return LOOK_BACK.format(**{**RIGHT, **changed})


INNER = """
    found = np.full(len(names), -1)
    for i in range(len(names)):
        for j in {places}:
            if names[j] == names[i] and binds[j]{and_so}:
                found[i] = i - j{stop}
    return found
"""
SEARCH = {"places": "range(i - 1, -1, -1)", "and_so": " and not binds[i]", "stop": "\n                break"}


def inner(**changed):
    return INNER.format(**{**SEARCH, **changed})


FILLED = """
    last, found = {{}}, {start}
    for i, name in enumerate(names):
        {body}
    return found
"""
MEASURE = "found[i] = i - last[name]"
BOUND_OR_USED = f"if binds[i]:\n            last[name] = i\n        elif name in last:\n            {MEASURE}"


def filled(start="np.full(len(names), -1)", body=BOUND_OR_USED):
    return FILLED.format(start=start, body=body)


TOKEN_BY_TOKEN = """
    positions = {start}
    for row in range(len(mask)):
        count = 0
        for place in range(mask.shape[1]):
            if mask[row, place]:
                {real}
            {always}
    return positions
"""
COUNT = {
    "start": "np.zeros(mask.shape, dtype=int)",
    "real": "positions[row, place] = count\n                count += 1",
    "always": "pass",
}


def token_by_token(**changed):
    return TOKEN_BY_TOKEN.format(**{**COUNT, **changed})


LEFT_ALONE = "right for left padding alone"

SLIPS = {
    "distance_to_definition": {
        "a list": (look_back(), None),
        "two loops": (inner(), None),
        "two loops, upwards": (inner(places="range(i)", stop=""), None),
        "arrays": (
            "    names, found = np.array(names), np.full(len(names), -1)\n    for i in np.flatnonzero(~binds):\n"
            "        k = np.flatnonzero((names[:i] == names[i]) & binds[:i])\n"
            "        found[i] = i - k[-1] if k.size else -1\n    return found",
            None,
        ),
        "the first of them": (
            "    names, found = np.array(names), np.full(len(names), -1)\n    for i in np.flatnonzero(~binds):\n"
            "        k = np.flatnonzero((names[:i] == names[i]) & binds[:i])\n"
            "        found[i] = i - k[0] if k.size else -1\n    return found",
            "You keep the first definition",
        ),
        "no break": (inner(stop=""), "You keep the first definition"),
        "no break, upwards, and definitions": (
            inner(places="range(i)", and_so="", stop=""),
            "A token that binds again gets a distance",
        ),
        "range ends at 0": (inner(places="range(i - 1, 0, -1)"), "`range` must end at −1"),
        "range ends past 0": (inner(places="range(i - 1, -2, -1)"), "`names[-1]` is the *last* token"),
        "range begins at i - 2": (inner(places="range(i - 2, -1, -1)"), "`range` begins at i − 1"),
        "range goes the wrong way": (inner(places="range(i - 1, -1)"), "no definition is ever found"),
        "place 0 is false": (look_back(distance="i - last[name] if last.get(name) else -1"), "ask `in last`"),
        "place 0 is false, by or": (look_back(distance="i - (last.get(name) or i + 1)"), "ask `in last`"),
        "nothing kept": (look_back(keep="pass"), "no definition is ever found"),
        "kept the wrong way round": (look_back(keep="last[i] = name"), "looked up under the same name"),
        "bound is True": (look_back().replace("if bound:", "if bound is True:"), "no definition is ever found"),
        "compared, not set": (filled(body=BOUND_OR_USED.replace("[i] = i", "[i] == i")), "no definition is ever found"),
        "not more than 113": (look_back(result="[min(d, 113) for d in found]"), "no token stands that binds"),
        "not more than 16": (look_back(result="np.minimum(found, 16)"), "no token stands that binds"),
        "bytes": (look_back(result="np.array(found).astype(np.int8)"), "`int8` ends at 127"),
        "bytes from the start": (look_back(result="np.array(found, dtype=np.int8)"), "too large for this dtype"),
        "unsigned bytes": (filled(start="np.full(len(names), 255, np.uint8)"), "nothing below 0"),
        "capital letters": (
            look_back(keep="last[name.lower()] = i", distance="i - last.get(name.lower(), i + 1)"),
            "X is another name than x",
        ),
        "as far as def": (
            inner(stop="\n                break\n            if names[j] == 'def':\n                break"),
            "You stop at `def`",
        ),
        "as far as the statement": (
            inner(stop="\n                break\n            if names[j] == ';':\n                break"),
            "whatever stands in between",
        ),
        "not in its own statement": (
            inner(and_so=" and not binds[i] and not (names[j + 1] == '=' and ';' not in names[j:i])"),
            "goes back too far",
        ),
        "a dictionary that stays": (
            "    last = globals().setdefault('kept', {})\n" + look_back().replace("last, found = {}, []", "found = []"),
            "it outlives the call",
        ),
        "written into binds": (
            filled(
                "binds",
                BOUND_OR_USED.replace("elif name in last", "else").replace("- last[name]", "- last.get(name, -1)"),
            ),
            "what you write into holds truth values alone",
        ),
        "None where unknown": (look_back(distance="i - last[name] if name in last else None"), "−1 is asked for"),
        "the dictionary too": (look_back(result="found, last"), "2 values; one is wanted"),
        "by number": (look_back(result="dict(enumerate(found))"), "a number or an array is wanted"),
        "an iterator": (look_back(result="iter(found)"), "put them into a list"),
        "split": (look_back().replace("    last,", "    names = names.split()\n    last,"), "This is a list of words"),
        "picked from a list": ("    return names[binds]", "does the array pick from a list"),
        "from the token itself": (inner(places="range(i, -1, -1)", and_so=""), "it finds itself"),
        "to the right": (inner(places="range(i + 1, len(names))"), "the signs are negative"),
        "nothing but the name": (
            "    last, found = {}, []\n    for i, name in enumerate(names):\n"
            "        found.append(i - last[name] if name in last and not binds[i] else -1)\n"
            "        last[name] = i\n    return found",
            "Only a token that binds it is a definition",
        ),
        "binds is never read": (
            "    last, found = {}, []\n    for i, name in enumerate(names):\n"
            "        found.append(i - last.get(name, i + 1))\n        last[name] = i\n    return found",
            "is what `binds` tells",
        ),
        "the dictionary first": (
            "    last = {name: i for i, name in enumerate(names) if binds[i]}\n"
            "    return [i - last[n] if n in last and not binds[i] else -1 for i, n in enumerate(names)]",
            "Let the dictionary grow in the same loop",
        ),
        "index": (
            "    return [-1 if binds[i] else i - names.index(name) for i, name in enumerate(names)]",
            "`index` finds the first token with that name",
        ),
        "get without a default": (look_back(distance="i - last.get(name)"), "`last.get(name)` is None"),
        "no question": (look_back(distance="i - last[name]"), "is not in the dictionary"),
        "get 0": (look_back(distance="i - last.get(name, 0)"), "as if token 0 were its definition"),
        "get -1": (look_back(distance="i - last.get(name, -1)"), "i − (−1) is i + 1"),
        "get i": (look_back(distance="i - last.get(name, i)"), "You give it 0"),
        "the tokens in between": (look_back(distance=RIGHT["distance"].replace("] if", "] - 1 if")), "in between"),
        "offsets": (look_back(distance="last[name] - i if name in last else -1"), "negative for the past"),
        "the place": (look_back(distance="last[name] if name in last else -1"), "the place of the definition"),
        "0 at a definition": (look_back(at_bound="0"), "it finds itself"),
        "nan for both": (
            look_back(at_bound="np.nan", distance="i - last[name] if name in last else np.nan"),
            "no distance is negative",
        ),
        "nan where unknown": (look_back(distance="i - last[name] if name in last else np.nan"), "You give it nan"),
        "inf where unknown": (look_back(distance="i - last[name] if name in last else np.inf"), "no mean survives"),
        "only uses": (look_back().replace("            found.append(-1)\n", ""), "Only the uses are there"),
        "only known uses": (
            look_back(result="[d for d in found if d > 0]"),
            "Only the uses with a definition",
        ),
        "first definition stays": (look_back(keep="last.setdefault(name, i)"), "You keep the first definition"),
        "one definition remembered": (
            look_back(keep="last = {name: i}"),
            "You remember one definition",
        ),
        "used up": (
            look_back(distance="i - last.pop(name) if name in last else -1"),
            "its second use has no definition",
        ),
        "zeros": (filled(start="np.zeros(len(names))"), "A 0 says that the definition is the token itself"),
        "zeros like binds": (filled(start="np.zeros_like(binds)"), "Yours are truth values"),
        "full like binds": (filled(start="np.full_like(binds, -1)"), "Every entry is True"),
        "measured, then kept": (
            filled(body=f"if name in last:\n            {MEASURE}\n        if binds[i]:\n            last[name] = i"),
            "A token that binds again gets a distance",
        ),
        "turned round": (
            filled(body=BOUND_OR_USED.replace("if binds[i]", "if not binds[i]")),
            "You took the uses for definitions",
        ),
        "return too early": (look_back().replace("    return", "        return"), "inside the loop"),
        "return too early, filled": (filled().replace("    return", "        return"), "`return` outside the loop"),
        "none": (look_back(at_bound="None"), "None for a token that binds"),
    },
    "positions_with_padding": {
        "cumsum": ("    return (np.cumsum(mask, axis=1) - 1) * mask", None),
        "loop": (token_by_token(), None),
        "padding counted and taken away": (
            "    return np.where(mask, np.arange(mask.shape[1]) - np.cumsum(~mask, axis=1), 0)",
            None,
        ),
        "the bug, written anew": (
            "    return np.broadcast_to(np.arange(mask.shape[1]), mask.shape)",
            "the bug is still there",
        ),
        "one row": ("    return np.arange(mask.shape[1])", "One row for all prompts"),
        "padding is 0 and still counted": (
            "    return np.where(mask, np.arange(mask.shape[1]), 0)",
            "the tokens still count it",
        ),
        "no where": ("    return np.cumsum(mask, axis=1) - 1", "reads the *last* row of a table"),
        "no where, no 1": ("    return np.cumsum(mask, axis=1)", "and give padding 0"),
        "no 1": ("    return np.cumsum(mask, axis=1) * mask", "The positions begin with 1"),
        "not below 0": ("    return np.maximum(np.cumsum(mask, axis=1) - 1, 0)", "repeats its position"),
        "tokens before": ("    return np.cumsum(mask, axis=1) - mask", "the number of tokens before it"),
        "1 as in transformers": ("    return np.where(mask, np.cumsum(mask, axis=1) - 1, 1)", "as in transformers"),
        "-1 for padding": ("    return np.cumsum(mask, axis=1) * mask - 1", "without a word"),
        "nan for padding": ("    return np.where(mask, np.cumsum(mask, axis=1) - 1, np.nan)", "no row of a table"),
        "less the padding": (
            "    return np.arange(mask.shape[1]) - (~mask).sum(axis=1, keepdims=True)",
            LEFT_ALONE,
        ),
        "less the padding, not below 0": (
            "    return np.maximum(np.arange(mask.shape[1]) - (~mask).sum(axis=1, keepdims=True), 0)",
            LEFT_ALONE,
        ),
        "at the end of the row": (
            "    out = np.zeros(mask.shape, int)\n    for row, real in zip(out, mask):\n"
            "        row[len(row) - real.sum() :] = np.arange(real.sum())\n    return out",
            LEFT_ALONE,
        ),
        "at the beginning of the row": (
            "    out = np.zeros(mask.shape, int)\n    for row, real in zip(out, mask):\n"
            "        row[: real.sum()] = np.arange(real.sum())\n    return out",
            "padding on the right alone",
        ),
        "from the first token": (
            "    return np.where(mask, np.arange(mask.shape[1]) - mask.argmax(axis=1)[:, None], 0)",
            "padding in its middle is still counted",
        ),
        "no keepdims": (
            "    return np.arange(mask.shape[1]) - (~mask).sum(axis=1)",
            "`keepdims=True` missing",
        ),
        "axis 0": ("    return np.where(mask, np.cumsum(mask, axis=0) - 1, 0)", "down the batch"),
        "no axis": ("    return np.where(mask, np.cumsum(mask) - 1, 0)", "Without an axis"),
        "never set back": (
            token_by_token().replace("        count = 0\n", "").replace("    for row", "    count = 0\n    for row"),
            "from prompt to prompt",
        ),
        "set back by padding": (
            token_by_token(always="else:\n                count = 0"),
            "begins again behind padding",
        ),
        "counted first": (
            token_by_token(real="count += 1\n                positions[row, place] = count"),
            "The positions begin with 1",
        ),
        "counted always": (
            token_by_token(real="positions[row, place] = count", always="count += 1"),
            "the tokens still count it",
        ),
        "into a copy of the mask": (token_by_token(start="mask.copy()"), "Truth values alone"),
        "into the mask": (token_by_token(start="mask"), "Truth values alone"),
        "from the right": (
            "    return np.where(mask, mask[:, ::-1].cumsum(axis=1)[:, ::-1] - 1, 0)",
            "You count from the right",
        ),
        "rows of their own length": ("    return [np.arange(row.sum()) for row in mask]", "without their places"),
        "one long row": ("    return np.concatenate([np.arange(row.sum()) for row in mask])", "All prompts in one row"),
        "torch": ("    return mask.long().cumsum(-1) - 1", "`.long()` is torch's"),
        "zeros": ("    return np.zeros(mask.shape, int)", "is the result ever filled"),
        "the length of the prompt": (
            "    return np.where(mask, mask.sum(axis=1, keepdims=True), 0)",
            "how many tokens the prompt has",
        ),
        "the mask": ("    return mask", "as the mask is"),
        "the mask as numbers": ("    return mask.astype(int)", "as the mask is"),
        "into the mask, at once": ("    mask[:] = np.cumsum(mask, axis=1) - 1\n    return mask", "−1 is True there"),
        "padding for tokens": ("    return np.where(~mask, np.cumsum(~mask, axis=1) - 1, 0)", "leave the tokens at 0"),
        "padding before each token": (
            "    return np.where(mask, np.cumsum(~mask, axis=1), 0)",
            "You count the padding before each token",
        ),
        "padding so far": ("    return np.cumsum(~mask, axis=1)", "You count the padding so far"),
        "less 1 too early": ("    return np.cumsum(mask.astype(int) - 1, axis=1)", "Take 1 away from the sum"),
        "the longest": (
            "    return np.where(mask, np.arange(mask.shape[1]) - (mask.shape[1] - mask.sum(1).max()), 0)",
            "padding of the longest prompt",
        ),
        "the shortest": (
            "    return np.where(mask, np.arange(mask.shape[1]) - (mask.shape[1] - mask.sum(1).min()), 0)",
            "padding of the shortest prompt",
        ),
        "as far as padding": (
            token_by_token(always="elif count:\n                break"),
            "stop at the first padding behind a token",
        ),
        "places from the right": (
            "    return np.where(mask, mask.shape[1] - 1 - np.arange(mask.shape[1]), 0)",
            "You number the places from the right",
        ),
        "places from the end": (
            "    return np.where(mask, np.arange(mask.shape[1]) - mask.shape[1], 0)",
            "counted from the end",
        ),
        "argsort": (
            "    return np.where(mask, np.argsort(~mask, axis=1, kind='stable'), 0)",
            "*which* places come first",
        ),
        "ranks": (
            "    return np.argsort(np.argsort(~mask, axis=1, kind='stable'), axis=1)",
            "Padding is counted on behind them",
        ),
        "places": ("    return np.nonzero(mask)[1]", "the places of all tokens in one row"),
        "index": (
            "    out = []\n    for row in mask:\n        k = list(row).index(True)\n"
            "        out.append(np.where(row, np.arange(len(row)) - k, 0))\n    return out",
            "`index` finds nothing",
        ),
        "walking": (
            "    out = []\n    for row in mask:\n        k = 0\n        while not row[k]:\n            k += 1\n"
            "        out.append(np.where(row, np.arange(len(row)) - k, 0))\n    return out",
            "your loop runs over the end",
        ),
        "lazy rows": ("    return (row.cumsum() - 1 for row in mask)", "into a list"),
        "the last position": (
            "    return np.where(mask, mask.sum(axis=1, keepdims=True) - 1, 0)",
            "A running sum counts up",
        ),
    },
}


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH11[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words in text, text


def test_a_token_is_called_by_its_place_and_its_name():
    text = repr(CH11["distance_to_definition"].check(lambda names, binds: np.zeros(len(names))))
    assert 'token "0: def": yours 0, expected −1' in text, text


# ---------------------------------------------------------------- what the words of the tasks say


def test_where_the_lesson_is_finer_than_the_task():
    task, line = CH11["distance_to_definition"], "x = 1 ; x = x + 1"
    names = line.split()
    assert distances(f"def f():\n    {line}\n").tolist() == [6]
    assert task.right(names, np.array([i in (0, 4) for i in range(len(names))])).tolist()[6] == 2
    assert "at distance 2" in task.words
    two = "def f(x): return x\ndef g(): return x\n"
    assert distances(two).tolist() == [4]  # the x of g is none of its own


def test_the_task_measures_what_the_lesson_measures():
    """Where no line reads what it binds, the tokens of a function give the distances of the lesson."""
    source = "def f(a, b):\n    for k in a:\n        c = g(b, k)\n        b = h(c)\n    return b, c\n"
    tokens = tokens_of(source)
    names = [text for _, text in tokens]
    definitions = {3, 5, 9, 13, 21}
    assert [names[i] for i in sorted(definitions)] == ["a", "b", "k", "c", "b"]
    binds = np.array([i in definitions for i in range(len(names))])
    found = CH11["distance_to_definition"].right(names, binds)
    assert found[found > 0].tolist() == distances(source).tolist()


LEFT, MIDDLE = [2, 3, 4], [0, 1, 4]  # the places of three tokens in a row of five


def padded(layer, x, places, add=None, positions=None):
    """What a causal layer answers to x (1, 3, d) with its tokens at `places` of five; padding is random, and masked.

    add(positions): what absolute positions add to the input, (5, d).
    """
    import torch

    mask = torch.zeros(5, dtype=torch.bool)
    mask[places] = True
    whole = torch.randn(1, 5, x.shape[-1], dtype=x.dtype)
    whole[:, places] = x
    if add is not None:
        whole = whole + add(torch.arange(5) if positions is None else positions(mask))
    return layer(whole, mask=mask)[:, places]


def relative_schemes():
    torch = pytest.importorskip("torch")
    from tests.schemes import SCHEMES

    for name, scheme in SCHEMES.items():
        if name not in ("none", "t5 cross-attention", "shaw, shared, clip 0"):  # to which all offsets are the same
            torch.manual_seed(0)
            yield name, scheme(2, 4, causal=True).double(), torch.randn(1, 3, 8, dtype=torch.float64)


def test_left_padding_changes_nothing_for_a_relative_scheme_and_padding_in_the_middle_does():
    import torch

    tried = []
    for name, layer, x in relative_schemes():
        assert torch.allclose(padded(layer, x, LEFT), layer(x)), name
        assert not torch.allclose(padded(layer, x, MIDDLE), layer(x), atol=1e-3), name
        tried.append(name)
    assert {"alibi", "rope", "t5 decoder", "shaw", "transformer-xl"} <= set(tried)


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_left_padding_moves_absolute_positions_until_they_are_mended(scheme):
    torch = pytest.importorskip("torch")
    from course_lib.nn.absolute import sinusoidal
    from course_lib.nn.layer import RelativeAttention

    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, causal=True).double()
    x, table = torch.randn(1, 3, 8, dtype=torch.float64), torch.randn(5, 8, dtype=torch.float64)

    def add(positions):
        return table[positions] if scheme == "learned" else sinusoidal(positions, 8, dtype=torch.float64)

    def mended(mask):
        return torch.from_numpy(CH11["positions_with_padding"].right(mask[None].numpy()))[0]

    alone = layer(x + add(torch.arange(3)))
    for places in (LEFT, MIDDLE):
        assert not torch.allclose(padded(layer, x, places, add), alone, atol=1e-3)
        assert torch.allclose(padded(layer, x, places, add, mended), alone)


def test_the_learner_may_write_into_a_cell_what_the_solution_writes():
    for name in SLIPS:
        task = CH11[name]
        body = task.solution_source().split('"""')[-1]
        assert task.check(cell(body, task)).passed, name
