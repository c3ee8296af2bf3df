"""The loss beyond the training length: the tables hold every number, and each curve is drawn in each panel."""

import pytest
from matplotlib.axes import Axes

from course_kit import figures
from course_kit.display.colours import signed_colour

from .pictures import CURVES
from .test_figures import Page, static


def test_the_tables_hold_every_mean_and_half_interval_coloured_by_the_rise():
    cells = [e for e in Page(static(figures.length_curves((64, 128), CURVES, trained=64))).elements if e["tag"] == "td"]
    shown = {cell["text"].replace("\u00a0", " "): cell["background-color"] for cell in cells if "±" in cell["text"]}
    assert list(shown) == ["2.100 ± 0.100", "2.500 ± 0.100", "0.000 ± 0.000", "0.040 ± 0.050", "0.400 ± 0.000",
                           "0.600 ± 0.100"]  # fmt: skip
    rises = [0, 0.4 / 0.4, 0, 0.04 / 0.4, 0, 1]
    assert list(shown.values()) == [signed_colour(rise) for rise in rises]


def test_every_curve_is_drawn_with_its_interval(monkeypatch):
    drawn, errorbar = [], Axes.errorbar

    def noted(ax, x, y, error, label, **look):
        drawn.append((label, y, error))
        return errorbar(ax, x, y, error, label=label, **look)

    monkeypatch.setattr(Axes, "errorbar", noted)
    figures.length_curves((64, 128), CURVES, trained=64)
    assert [label for label, *_ in drawn] == ["none", "<rope>", "none"]
    _, means, (below, above) = drawn[1]
    assert [*means, *below, *above] == pytest.approx([0, 0.04, 0, 0.05, 0, 0.05])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"trained": 32}, r"trained=32: expected one of the lengths \(64, 128\)"),
        ({"lengths": (64, 128, 256)}, "none: 2 points, expected 3, one for each length"),
        ({"panels": {"one": {str(k): [(0, 0, 0)] * 2 for k in range(13)}}}, "panels: 13 schemes, expected at most 12"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        figures.length_curves(**{"lengths": (64, 128), "panels": CURVES, "trained": 64, **arguments})
