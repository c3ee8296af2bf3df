"""The sheet of formulas: every scheme of the registry is on it, and each formula gives what the library gives."""

import re

import numpy as np
import pytest

from course_lib.example import LAMBDA
from course_lib.reference import speeds
from course_lib.reference.absolute import frequencies
from course_lib.reference.t5 import bucket_starts
from course_lib.schemes import SCHEMES
from tools.sheet import mathematics, sheet, stated_formula

from .. import ROOT

SOURCE = (ROOT / "source" / "conventions.html").read_text(encoding="utf-8")
MARKS = re.findall(r"\[\[([^\]]+)\]\]", SOURCE)
REPAIRS = [name for name in MARKS if name not in SCHEMES]


def plain(html):
    """The text of HTML, without the tags that lower and raise."""
    return re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("′", "'")


def test_every_scheme_has_its_row_in_the_order_of_the_registry():
    assert [name for name in MARKS if name in SCHEMES] == list(SCHEMES)
    rows = re.findall(r'<tr><th scope="row">(.+?) <small>(\d\d)</small></th>', sheet(SOURCE))
    assert rows == [(scheme.name, scheme.chapter) for scheme in SCHEMES.values()]


def test_no_mark_and_no_dollar_is_left():
    assert "[[" not in sheet(SOURCE) and "$" not in sheet(SOURCE)
    with pytest.raises(KeyError, match="a scheme that is not there"):
        sheet("[[a scheme that is not there]]")


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_a_formula_keeps_every_letter(scheme):
    assert plain(mathematics(scheme.formula)) == re.sub(r"[_^{}]", "", scheme.formula)


@pytest.mark.parametrize(
    ("formula", "html"),
    [
        ("q_i · k_j", "<i>q</i><sub><i>i</i></sub> · <i>k</i><sub><i>j</i></sub>"),
        ("e^{s_ij}", "<i>e</i><sup><i>s</i><sub><i>ij</i></sub></sup>"),
        ("s^(m / (M − 1))", "<i>s</i><sup><i>m</i> / (<i>M</i> − 1)</sup>"),
        ("θ'_m log 2m < E^⊤", "θ′<sub><i>m</i></sub> log 2<i>m</i> &lt; <i>E</i><sup>⊤</sup>"),
    ],
)
def test_a_formula_as_html(formula, html):
    assert mathematics(formula) == html


@pytest.mark.parametrize("name", REPAIRS)
def test_a_repair_computes_its_formula(name):
    """The formula on the sheet, read as Python, gives what the function gives."""
    theta, s, length = frequencies(16), 4.0, 128
    gamma = np.clip((speeds.turns(theta, length) - 1) / (32 - 1), 0, 1)
    code = stated_formula(name).removeprefix("θ'_m = ").removeprefix("√(1/t) = ")
    for mark, python in {
        "θ_m": "theta", "γ_m": "gamma", "−": "-", "^": "**", "·": "*", "√": "sqrt", ") theta": ") * theta",
        "gamma theta": "gamma * theta", "ln s": "log(s)", "ln L": "log(L)",
    }.items():  # fmt: skip
        code = code.replace(mark, python)
    names = {"theta": theta, "gamma": gamma, "s": s, "L": length, "m": np.arange(8), "M": 8, "mscale": 1}
    expected = {
        "interpolated": lambda: speeds.interpolated(theta, s),
        "ntk": lambda: speeds.ntk(theta, s),
        "by_parts": lambda: speeds.by_parts(theta, s, length),
        "yarn_factor": lambda: speeds.yarn_factor(s),
        "longrope_factor": lambda: speeds.longrope_factor(s, length),
    }[name]()
    np.testing.assert_allclose(eval(code, {**names, "sqrt": np.sqrt, "log": np.log}), expected)


def numbers(place):
    """The numbers in the element of the page with this id."""
    (text,) = re.findall(rf'<span id="{place}">([^<]+)</span>', SOURCE)
    return [float(number) for number in re.findall(r"[\d.]+", text)]


def test_its_numbers_are_those_of_the_library():
    assert numbers("lambda") == [LAMBDA]
    for place, rule in (("turns", speeds.by_parts), ("llama", speeds.llama3)):
        assert numbers(place) == [rule.__kwdefaults__["low"], rule.__kwdefaults__["high"]]
    assert numbers("starts") == bucket_starts()
    assert [*range(16), *numbers("causal")] == bucket_starts(bidirectional=False)
    np.testing.assert_allclose(frequencies(8), 10000 ** (-2 * np.arange(4) / 8))  # the θ of sinusoidal and RoPE
    assert SOURCE.count("10000^{−2m/D}") == SOURCE.count("10000^{−2m/d}") == 1
    larger_base = frequencies(16, 10000 * 4.0 ** (16 / 14))
    np.testing.assert_allclose(speeds.ntk(frequencies(16), 4.0), larger_base)
