"""The pictures: the same in every run, readable without script or style, refusing what they cannot show; the tracer."""

import functools
import inspect
import re
import sys
from collections import Counter
from importlib import resources

import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup  # nbconvert brings it

from course_kit import figures
from course_kit.display import colours
from course_kit.figures.frames import Frame, live
from course_kit.figures.tracer_record import LIMIT, Value, record
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, scores

from .pictures import BIAS, PICTURES, WEIGHTS, make_pictures

every_picture = pytest.mark.parametrize("name", PICTURES)


def elements(html):
    """The elements of a piece of HTML."""
    return BeautifulSoup(html, "html.parser").find_all(True)


def ground(element, name):
    """The inline colour or background-color that an element stands in."""
    styles = [around.get("style") or "" for around in (element, *element.parents)]
    return next(found[1] for style in styles if (found := re.search(rf"(?:^|;){name}:(#\w{{6}})", style)))


def static(picture) -> str:
    """What an untrusted notebook leaves of a picture."""
    return re.sub(r"(?s)<(style|script)>.*?</\1>", "", picture._repr_html_())


def text(picture) -> str:
    """The words of a picture without its script."""
    return BeautifulSoup(static(picture), "html.parser").get_text(" ").replace("\xa0", " ")


def unpooled(picture):
    """What the script finds in the data of a picture."""
    opened = []
    for kept in picture._data["pool"]:
        opened.append([opened[len(opened) - back] for back in kept] if isinstance(kept, tuple) else kept)
    return opened[-1]


def luminance(colour):
    """The relative luminance of #rrggbb, 0 to 1 (WCAG 2.2)."""
    parts = (int(colour[c : c + 2], 16) / 255 for c in (1, 3, 5))
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    """The contrast of two colours, 1 to 21 (WCAG 2.2); text wants 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# --- every picture -------------------------------------------------------------------------------------------------


def test_the_same_content_gives_the_same_html_and_other_content_another_key():
    again = {name: picture._repr_html_() for name, picture in make_pictures().items()}
    assert again == {name: picture._repr_html_() for name, picture in PICTURES.items()}
    assert len({picture._key() for picture in PICTURES.values()}) == len(PICTURES)
    assert all("0x" not in repr(picture) and picture.alt in repr(picture) for picture in PICTURES.values())


@every_picture
def test_every_element_that_takes_keys_keeps_them_from_jupyterlab(name):
    for e in elements(PICTURES[name]._repr_html_()):
        if e.name in ("a", "button", "input", "select", "summary", "textarea") or e.has_attr("tabindex"):
            assert e.get("data-lm-suppress-shortcuts") == "true", e


@every_picture
def test_the_static_body_says_everything_without_script_and_style_and_can_be_read(name):
    html = static(PICTURES[name])
    opened, closed = (Counter(re.findall(rf"<{slash}(\w+)", html)) for slash in ("", "/"))
    assert {tag for tag in opened if opened[tag] != closed[tag]} <= {"br", "img"}
    assert not {"svg", "canvas", "script", "style", "button", "input"} & set(opened)
    assert opened["table"] == opened["caption"] and "−0.0000" not in html
    assert elements(html)[0]["aria-label"] == PICTURES[name].alt
    for e in elements(html):
        assert not e.has_attr("id")  # two equal pictures on a page would share it
        assert e.name != "th" or (e["scope"] in ("row", "col") and e.get_text(strip=True))
        assert e.name != "img" or e["alt"]
        if "".join(e.find_all(string=True, recursive=False)).strip():
            assert contrast(ground(e, "color"), ground(e, "background-color")) >= 4.5, e  # whatever the theme


def test_the_style_sheet_touches_nothing_outside_its_pictures():
    css = re.sub(r"(?s)/\*.*?\*/", "", resources.files("course_kit.figures").joinpath("figures.css").read_text("utf-8"))
    css = re.sub(r"@(media|container) [^{]*\{", "", css)
    for selectors in re.findall(r"([^{}]+)\{", css):
        assert all(s.strip().startswith(".rp") for s in selectors.split(",")), selectors


def test_data_cannot_end_the_script():
    html = live("alt", "</script><b>", n=["</script>"])(lambda n: Frame([], [f"<b>{n}"]))()._repr_html_()
    assert html.count("</script>") == 1 and "&lt;b&gt;" in html and "<b><b>" not in html


def test_save_writes_one_whole_page(tmp_path):
    text = PICTURES["bias"].save(tmp_path / "slide.html").read_text(encoding="utf-8")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">') and PICTURES["bias"]._repr_html_() in text
    assert "<title>" in text and "http" not in text
    with pytest.raises(ValueError, match=r"path='slide\.png': expected a file name that ends in \.html"):
        PICTURES["bias"].save("slide.png")


# --- colours and numbers -------------------------------------------------------------------------------------------


def test_the_maps_are_centred_and_always_legible():
    assert colours.signed_colour(0) == colours.weight_colour(0) == "#ffffff"
    for t in np.linspace(-1, 1, 201):
        for colour in (colours.signed_colour(t), colours.weight_colour(abs(t))):
            assert contrast(colour, "#1b1f24") >= 4.5
    steps = [luminance(colours.weight_colour(t)) for t in np.linspace(0, 1, 50)]
    assert steps == sorted(steps, reverse=True)  # read by brightness alone, so by everybody


def test_a_shared_limit_makes_pictures_comparable():
    assert colours.painter([1.0, -2.0])(-2.0) == colours.signed_colour(-1)
    assert colours.painter([1.0], limit=4)(1.0) == colours.weight_colour(0.25)
    assert colours.painter([-np.inf, 1.0])(-np.inf) == colours.NO_NUMBER


def test_numbers_show_as_many_decimals_as_they_need():
    assert ">2<" in static(figures.heatmap(Q, alt="Q"))
    assert ">0.25<" in static(figures.heatmap(scores(Q, K), alt="scores"))
    assert ">0.33<" in static(figures.heatmap([1 / 3], alt="third", digits=2))
    assert ">7<" in static(figures.heatmap(torch.tensor([[7, -1]]), alt="whole"))
    assert "query&nbsp;↓" in static(PICTURES["weights"]) and "query&nbsp;↓" not in static(figures.heatmap(Q, alt="Q"))


# --- what is refused -----------------------------------------------------------------------------------------------


def generator():
    yield 1


EMPTY = live("alt", n=[2, 3])(lambda n: Frame([], [f"{n}"]))
TWO = [[[0.5, 0.5]], [[1, 0]]]  # two layers with a head each
REFUSED = [
    (figures.heatmap, (Q,), {"alt": " "}, "alt=' ': expected a sentence"),
    (figures.heatmap, (np.ones((2, 3, 4)),), {"alt": "x"}, "(2, 3, 4), float64: expected numbers"),
    (figures.heatmap, ([],), {"alt": "x"}, "expected numbers of shape"),
    (figures.heatmap, (np.ones((99, 2)),), {"alt": "x"}, "(99, 2): expected at most 24 rows"),
    (figures.heatmap, (Q,), {"alt": "x", "rows": ["a"]}, "rows=['a']: 1 labels, expected 5"),
    (figures.bias_heatmap, (17,), {}, "n=17: expected a whole number from 2 to 16"),
    (figures.attention_explorer, (Q, K[:3]), {}, "q (5, 4), k (3, 4): expected the same shape"),
    (figures.attention_explorer, (Q, K * np.nan), {}, "k (5, 4): expected one row of finite"),
    (figures.trace, (len, Q), {}, "function=len: expected a function written in Python"),
    (figures.trace, (generator,), {}, "function=generator: expected a plain function"),
    (figures.attention_block, ("shaw",), {}, "scheme='shaw': expected one of 'none', 'learned'"),
    (figures.rope_clocks, (range(7),), {}, "expected at most 6"),
    (figures.provenance, ("roll",), {}, "how='roll': expected one of 'skew', 'shift'"),
    (EMPTY, (9,), {}, "n=9: expected one of the stops [2, 3]"),
    (live, ("alt",), {"a": range(50), "b": range(41)}, "a × b: 2050 frames, expected 1 to 2000"),
    (figures.map_of_heads, ({"a": [[1], [np.nan]]}, TWO), {}, "scores['a'] (2, 1): expected"),
    (figures.map_of_heads, ({"a": [[1]]}, TWO), {}, "scores['a'] (1, 1): expected (2, 1)"),
    (figures.map_of_heads, ({"a": [[1]]}, [[[1, 1]]]), {}, "expected shares of the weight"),
    (figures.pair_view, ([1, 2], [1, 2, 3, 4], [1], [1]), {}, "q (2,), k (4,), speeds (1,): expected d, d and d/2"),
]


@pytest.mark.parametrize("picture, given, named, message", REFUSED)
def test_what_is_refused_says_why(picture, given, named, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        picture(*given, **named)


def test_a_matplotlib_figure_becomes_an_image_with_its_words():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def draw(last):
        fig, ax = plt.subplots(figsize=(12, 2))
        ax.plot([1, 2, last])
        shown = figures.show(fig, alt='rises from 1 to 3 & is called "line"')
        assert not plt.fignum_exists(fig.number)  # closed: the notebook does not draw it a second time
        return shown

    picture, again, other = draw(3), draw(3), draw(3.01)
    (image,) = (e for e in elements(picture._repr_html_()) if e.name == "img")
    assert image["alt"] == picture.alt and image["width"] == "700"
    assert other._repr_html_() != picture._repr_html_() == again._repr_html_()
    assert other._key() == picture._key()  # a measured curve: nbval compares all but the image


# --- the line tracer -----------------------------------------------------------------------------------------------


def fill(n, strength):
    """Fill a matrix cell by cell.

    Two more lines of docstring."""
    out = np.zeros((n, n))

    # a comment
    for i in range(n):
        for j in range(n):
            out[i, j] = -strength * abs(j - i)
    if n > 100:
        print("large")
    return (
        out,
        n,
    )


def steps_at(recording, text):
    """The steps at the line which contains this text."""
    wanted = {n for n, chunk in enumerate(recording.source.chunks) if text in recording.source.text(chunk)}
    return [step for step in recording.steps if step.chunk in wanted]


def numbers(value):
    """The numbers of an array as they are shown."""
    return np.array([[float(cell.text.replace("−", "-")) for cell in row] for row in value.cells])


def test_the_values_at_a_line_are_those_after_it_ran():
    recording = record(attention, Q, K, V, bias=BIAS)
    assert set(recording.steps[0].changes) == {"q", "k", "v", "bias", "scale", "mask"}
    np.testing.assert_allclose(numbers(steps_at(recording, "s = scores(")[0].changes["s"]), scores(Q, K))
    weights = steps_at(recording, "weights = softmax(")[0].changes["weights"]
    np.testing.assert_allclose(numbers(weights), WEIGHTS, atol=5e-5)
    assert weights.about == "array (5, 5), float64"
    (first, output), (second, _) = recording.steps[-1].changes["returns"].members
    assert (first, second) == ("[0]", "[1]")
    np.testing.assert_allclose(numbers(output), WEIGHTS @ V, atol=5e-5)
    assert not steps_at(recording, "raise ValueError") and recording.error is None


def test_a_loop_has_its_visits_and_arrays_are_copied_at_the_time():
    recording = record(fill, 3, 2.0)
    visits = steps_at(recording, "out[i, j]")
    assert len(visits) == 9
    assert visits[0].changes == {}  # −2 · 0 leaves the zero there as it was
    assert numbers(visits[1].changes["out"]).tolist() == [[0, -2, 0], [0, 0, 0], [0, 0, 0]]
    assert numbers(visits[-2].changes["out"]).tolist() == [[0, -2, -4], [-2, 0, -2], [-4, -2, 0]]
    assert [s.changes["j"].text for s in steps_at(recording, "for j in") if "j" in s.changes] == list("012" * 3)
    assert len(steps_at(recording, "return (")) == 1  # four lines, one statement, one step
    picture = figures.trace(fill, 3, 2.0, tokens=("a", "b", "c"))
    assert "(9 times, the last shown)" in static(picture) and static(picture).count("(not reached)") == 1
    lines = [line for _, text, _ in picture._data["chunks"] for line in text.split("\n")]
    assert lines == inspect.getsource(fill).rstrip().split("\n") and "# a comment" in text(picture)
    shown = [changes for _, chunk, changes, _ in unpooled(picture) if chunk == visits[0].chunk]
    name, value = shown[1][0]
    found = elements("<tr".join(map(">".join, value)))
    rows = [[cell.text for cell in row.find_all(["td", "th"])] for row in found if row.name == "tr"]
    assert (name, rows) == ("out", [["", "a", "b", "c"], ["a", "0", "−2", "0"], ["b", *"000"], ["c", *"000"]])


def test_an_exception_is_shown_at_its_line_and_the_former_trace_function_comes_back():
    def broken(x):
        try:
            y = x / 0
        except ZeroDivisionError:
            y = x * np.ones((2, 2))
        return y @ np.ones((7, 7))

    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        recording, after = record(broken, 1), sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is mine
    assert steps_at(recording, "y = x / 0")[0].error == "ZeroDivisionError: division by zero"
    assert recording.error.startswith("ValueError: matmul") and "returns" not in recording.steps[-1].changes
    assert steps_at(recording, "return y @")[-1].error == recording.error
    picture = figures.trace(broken, 1)
    assert "stopped with ValueError" in picture.alt and "raised ValueError" in static(picture)


def test_recursion_keeps_its_calls_apart():
    def factorial(n):
        if n <= 1:
            return 1
        rest = factorial(n - 1)
        return n * rest

    recording = record(factorial, 4)
    assert recording.calls == 4
    assert {s.call: s.changes["rest"].text for s in steps_at(recording, "rest =")} == {0: "6", 1: "2", 2: "1"}
    returned = [step.changes["returns"].text for step in recording.steps if "returns" in step.changes]
    assert returned == ["1", "2", "6", "24"] and len(recording.steps[-1].changes) == 1


def test_the_steps_are_capped_and_the_run_is_not():
    reached = []

    def long(n):
        total = 0
        for i in range(n):
            total += i
        reached.append(total)
        return total

    recording = record(long, 1000)
    assert len(recording.steps) <= LIMIT + 1 < recording.total and reached == [499500]
    assert recording.steps[-1].changes["returns"] == Value("int", "499500")
    picture = figures.trace(long, 1000)
    assert f"keeps {LIMIT + 1} of the steps (at most {LIMIT})" in static(picture)
    assert len(picture._repr_html_()) < 60_000


def test_values_of_every_kind_are_readable():
    class Odd:
        def __repr__(self):
            raise RuntimeError("half built")

    def values(tensor):
        large, cube, row = np.arange(400.0).reshape(20, 20), np.ones((2, 3, 4)), np.array([1.0, -np.inf, np.nan])
        mask, empty, number, small = np.tri(2) > 0, np.zeros((0, 3)), np.float64(0.12345678), 1e-7
        pair, function, thing, odd = (1, "a", None, True), fill, object(), Odd()
        arrays, half, nothing = {"q": mask, "n": 3}, tensor.to(torch.bfloat16), torch.empty(2, device="meta")
        parts = [x + 1 for x in (1, 2, 3)]
        return locals()

    recording = record(values, torch.ones(2, 2, requires_grad=True))
    shown = {name: value for step in recording.steps for name, value in step.changes.items()}
    assert shown["large"].about == "array (20, 20), float64, cut to 12×12"
    assert numbers(shown["large"]).shape == (12, 12) and numbers(shown["large"])[11, 11] == 231
    assert shown["cube"].about.endswith("page [0] shown") and numbers(shown["cube"]).shape == (3, 4)
    arrays = {"row": [["1", "−∞", "nan"]], "mask": [["True", "False"], ["True", "True"]], "half": [["1", "1"]] * 2}
    assert {name: [[cell.text for cell in row] for row in shown[name].cells] for name in arrays} == arrays
    assert shown["half"].about == "tensor (2, 2), torch.bfloat16" and shown["number"].about == "number, float64"
    assert [key for key, _ in shown["arrays"].members] == ["['q']", "['n']"] and shown["empty"].shape == (0, 3)
    texts = {"small": "1e-07", "pair": "(1, 'a', None, True)", "function": "function fill", "parts": "[2, 3, 4]"}
    texts |= {"number": "0.1235", "odd": "(cannot be shown)"}
    assert {name: shown[name].text for name in texts} == texts and "0x" not in shown["thing"].text
    assert "meta" in shown["nothing"].text and len(steps_at(recording, "parts = ")) == 1


def test_methods_and_decorated_functions_are_opened():
    class Scaled:
        def apply(self, x):
            return 3 * x

    @functools.wraps(fill)
    def wrapped(*args):
        return fill(*args)

    assert record(Scaled().apply, 2).steps[-1].changes["returns"].text == "6"
    assert len(steps_at(record(wrapped, 2, 1.0), "out[i, j]")) == 4
