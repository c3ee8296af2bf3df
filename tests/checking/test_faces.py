"""What a result looks like: the same in every run, legible, escaped."""

import re
from html.parser import HTMLParser

from course_lib.checking import Axis
from course_lib.checking.results import Code, Note, Result
from course_lib.display.box import AMBER, GREEN, GREY

from .common import SLOPE, Slope, _softmax, array_task, broken_in_a_file, cell, raiser, right, slope_task


def every_face():
    results = [
        SLOPE.check(given)
        for given in (
            right,
            None,
            broken_in_a_file,
            Slope,
            lambda n, scale: right(n, scale)[0],
            lambda n, scale: -right(n, scale),
        )
    ]
    return [
        *results,
        SLOPE.hint(1),
        SLOPE.solution(),
        SLOPE.compare(lambda n, scale: right(n, scale) + 1),
        SLOPE.compare(right),
    ]


def test_the_same_check_says_the_same_twice_and_tells_no_address():
    for given in (
        right,
        broken_in_a_file,
        lambda n, scale: object(),
        lambda n, scale: right,
        raiser(ValueError(object())),
    ):
        first, second = repr(slope_task().check(given)), repr(slope_task().check(given))
        assert first == second
        assert "0x" not in first


def test_every_result_has_a_word_and_a_symbol():
    for face in every_face()[:6]:
        assert face.status in repr(face) and face.status in face._repr_html_()
        assert repr(face)[0] in "✓✗○" and repr(face)[0] in face._repr_html_()
        assert face.passed == (repr(face)[0] == "✓")


class Reader(HTMLParser):
    """Checks that every tag is closed, and that all text stands on a ground and in an ink that were both chosen."""

    VOID = ("br",)

    def __init__(self):
        super().__init__()
        self.open, self.found, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            style = dict(part.split(":", 1) for part in (dict(attrs).get("style") or "").split(";") if part)
            above = self.open[-1][1] if self.open else {}
            kept = {key: style.get(key, above.get(key)) for key in ("background", "color")}
            self.open.append((tag, kept))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.text += data
        if data.strip():
            self.found.append(self.open[-1][1])


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_all_text_has_opaque_colours_of_its_own_with_enough_contrast():
    for face in every_face():
        reader = Reader()
        reader.feed(face._repr_html_())
        assert not reader.open and reader.found
        for style in reader.found:
            assert re.fullmatch("#[0-9a-f]{6}", style["background"] or "") and re.fullmatch(
                "#[0-9a-f]{6}", style["color"] or ""
            )
            assert contrast(style["background"], style["color"]) >= 4.5
    for ground, ink, _ in (GREEN, AMBER, GREY):
        assert contrast(ground, ink) >= 4.5


def test_the_learners_text_is_escaped():
    evil = "<script>alert(1)</script>&amp;`<b>`"
    function = cell(f"def slope(n, scale):\n    raise ValueError({evil!r})\n", number=3)

    def prints(n, scale):
        print(evil)
        return right(n, scale)

    for face in (
        SLOPE.check(function),
        SLOPE.check(prints),
        Note(evil, evil),
        Code(evil, evil),
        Result("raised", evil, (evil,)),
    ):
        html = face._repr_html_()
        assert "<script" not in html and "<b>`" not in html
        reader = Reader()
        reader.feed(html)
        assert "<script>alert(1)</script>&amp;" in reader.text
    words = array_task(_softmax, expected=lambda x: ["<b>", "b", "c"])
    assert "<b>x</b>" not in words.compare(lambda x: ["<b>x</b>", "b", "c"])._repr_html_()


def test_stress_and_code_in_a_message():
    html = Result("wrong values", "*Sums*", ("`a * b` and 2*m*x stay, *this* is stressed",))._repr_html_()
    assert "<em>Sums</em>" in html and ">a * b</code> and 2*m*x stay, <em>this</em> is" in html


def test_a_label_that_is_a_negative_number_stands_bare():
    axis = Axis("offset", ("−1", "0"))
    assert (axis.at(0, 2), Axis("token", ("−", "0")).at(0, 2)) == ("offset −1", 'token "−"')
