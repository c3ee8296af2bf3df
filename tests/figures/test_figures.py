"""The pictures: the same in every run, readable without script or style, refusing what they cannot show."""

import re
from collections import Counter

import numpy as np
import pytest
import torch

from course_kit import figures
from course_kit.display import colours
from course_kit.figures.frames import Frame, live
from course_lib.example import K, Q
from course_lib.reference.attention import scores

from .. import ROOT
from .pictures import PICTURES, make_pictures
from .reading import elements, static

every_picture = pytest.mark.parametrize("name", PICTURES)


def ground(element, name):
    """The inline colour or background-color that an element stands in."""
    styles = [around.get("style") or "" for around in (element, *element.parents)]
    return next(found[1] for style in styles if (found := re.search(rf"(?:^|;){name}:(#\w{{6}})", style)))


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
    css = re.sub(r"(?s)/\*.*?\*/", "", (ROOT / "course_kit/display/pictures.css").read_text("utf-8"))
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
