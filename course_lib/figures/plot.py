"""A matplotlib figure as a picture: a PNG on white with its alt text."""

import base64
import io
from typing import Any

from .live import Picture
from .text import check_alt, escape

WIDTH = 700  # CSS pixels: what fits beside the sidebar of JupyterLab
DPI = 110


def show(fig: Any, *, alt: str | None = None, title: str | None = None) -> Picture:
    """The figure as an <img> with alt text, at most 700 pixels wide, and close it, so that it is not drawn twice.

    Raises ValueError without an alt text, or for what is no matplotlib figure.
    """
    text = check_alt(alt)
    if not hasattr(fig, "savefig"):
        raise ValueError(f"fig={fig!r}: expected a matplotlib figure")
    import matplotlib.pyplot as plt

    png = io.BytesIO()
    # No software name and no date inside: the same figure gives the same bytes.
    fig.savefig(png, format="png", dpi=DPI, facecolor="#ffffff", bbox_inches="tight", metadata={"Software": None})
    plt.close(fig)
    width = min(WIDTH, int.from_bytes(png.getvalue()[16:20], "big"))  # the PNG header holds the width at byte 16
    encoded = base64.b64encode(png.getvalue()).decode("ascii")
    size = f'width="{width}" style="max-width:100%;height:auto"'
    image = f'<img alt="{escape(text)}" {size} src="data:image/png;base64,{encoded}">'
    return Picture("plot", image, alt=text, title=title)
