"""Your own function with sliders, drawn again whenever one moves. Without a kernel a still picture is left."""

import inspect
from collections.abc import Callable
from typing import Any

from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.grid import to_grid

from ..display.box import alert, line_of
from ..display.formatting import escape, token_names
from ..display.picture import Picture, side_by_side
from ..display.widget import show
from .heatmap import as_grid, heatmap

# A restarted kernel leaves dead sliders behind, and then the sentence is shown. The handle of an ipywidgets slider has
# no name for a screen reader. It gets the one that is written beside it.
NAMES = """<style>.rp-again { display: none }
.jp-OutputArea:has(.jupyter-widgets-disconnected) .rp-again { display: block }</style>
<p class=rp-again role=alert>The kernel has been restarted, so the sliders do nothing now. Run this cell again (after a
restart first choose <em>Run All Cells</em> in the menu <em>Run</em>).</p>
<script>(() => {
  const name = () => document.querySelectorAll(".noUi-handle:not([aria-label])").forEach((handle) => {
    const label = handle.closest(".widget-inline-hbox")?.querySelector(".widget-label");
    if (label) handle.setAttribute("aria-label", label.textContent);
  });
  window.rpNames ??= new MutationObserver(name).observe(document.body, { childList: true, subtree: true }) ?? true;
  name();
})()</script>"""
STRONGEST = 2.0  # the bias of the strongest colour, the same for every setting of the sliders


def play(function: Callable[..., Any], *, attend: bool = True, **ranges: Any) -> "Play":
    """The result of your function, with a control for each range: `play(bias_matrix, strength=(0.0, 2.0), n=(3, 12))`.

    A range is (low, high) or (low, high, step) for a slider, a list for a drop-down, True or False for a checkbox.
    Whole numbers give whole steps, so write 0.0 and 2.0 for the steps between. Each control begins at the default of
    the function, if there is one. The function returns a matrix (n, n), a row (2n − 1,) with a number per offset, or
    a Picture. What it raises appears below the controls, with the line that raised it. attend: also show what the
    result does, as a bias, to the attention of the five tokens.
    Raises ValueError for a range that ipywidgets does not know.
    """
    return Play(function, attend, ranges)


class Play:
    """Controls and a result; `values` are the present arguments, `html()` what is shown for them."""

    def __init__(self, function: Callable[..., Any], attend: bool, ranges: dict[str, Any]) -> None:
        from ipywidgets import HTML, HBox, Layout, VBox

        self.function, self.attend = function, attend
        self.name = getattr(function, "__name__", type(function).__name__)
        default = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
        self.controls = {
            name: control(name, choices, default.get(name, inspect.Parameter.empty)) for name, choices in ranges.items()
        }
        self.shown = HTML(self.html())
        row = HBox(list(self.controls.values()), layout=Layout(flex_flow="row wrap"))
        self.box = VBox([row, self.shown])
        for one in self.controls.values():
            one.observe(self.redraw, "value")

    @property
    def values(self) -> dict[str, Any]:
        return {name: one.value for name, one in self.controls.items()}

    def redraw(self, _change: Any = None) -> None:
        self.shown.value = self.html()

    def html(self) -> str:
        """The result of the function for the present values, or the line that went wrong."""
        try:
            result = self.function(**self.values)
        except Exception as error:
            said = f"`{self.name}` raised {type(error).__name__}: {error}"
            return alert(said, line_of(error, self.function))
        try:
            return drawn(result, self.name, self.attend)._repr_html_()
        except ValueError as error:
            return alert(f"`{self.name}` returned something else. {error}")

    def __repr__(self) -> str:
        return f"Play ({self.name}): {self._settings()}"

    def _settings(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.values.items())

    def _ipython_display_(self) -> None:
        """The controls where there is a kernel, and otherwise the picture as it was."""
        note = f"<p>{escape(self._settings())}. In Jupyter, run the cell to get the controls.</p>"
        from IPython.display import HTML, display

        show(repr(self), note + self.shown.value, self.box)
        display(HTML(NAMES))


def control(name: str, choices: Any, default: Any) -> Any:
    """The control that ipywidgets makes of a range. Raises ValueError when it makes none."""
    from ipywidgets import interactive

    try:
        made = interactive.widget_from_abbrev(choices, default)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}={choices!r}: expected a range with the default of the function; {error}") from error
    if made is None:
        raise ValueError(f"{name}={choices!r}: expected (low, high), a list of choices, True or False")
    made.description = name
    return made


def drawn(result: Any, name: str, attend: bool = True) -> Picture:
    """A picture of what a function returned; ValueError when it is neither a picture nor a matrix nor a row."""
    if isinstance(result, Picture):
        return result
    grid = as_grid(result)
    if len(grid) == 1 and grid.shape[1] > 1:
        if grid.shape[1] % 2 == 0:
            raise ValueError("Expected a matrix, or a row of 2n − 1 numbers, one per offset.")
        grid = to_grid(grid, (grid.shape[1] + 1) // 2)
    if not attend:
        return heatmap(grid, alt=f"What {name} returns.", title=name, digits=2)
    if grid.shape[0] != grid.shape[1]:
        raise ValueError("Expected as many rows as columns: a bias for every query and key.")
    some, words = min(len(grid), len(TOKENS)), token_names(len(grid))
    _, weights = attention(Q[:some], K[:some], V[:some], bias=grid[:some, :some])
    return side_by_side(
        heatmap(grid, words, words, alt=f"What {name} returns.", title=name, digits=2, limit=STRONGEST),
        heatmap(
            weights, words[:some], words[:some], alt="The attention weights with it.", title="Attention with this bias",
            digits=2, signed=False, limit=1.0,
        ),
    )  # fmt: skip
