"""An ipywidget in a notebook: alive while there is a kernel, and a still picture afterwards."""

from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"  # the build leaves it out: without its kernel it shows an error


def show(text: str, still: str, widget: Any) -> None:
    """Display the widget (of ipywidgets 7.7 or 8), with text and HTML for viewers that have no kernel."""
    from IPython.display import display

    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    display({"text/plain": text, "text/html": still, WIDGET: view}, raw=True)
