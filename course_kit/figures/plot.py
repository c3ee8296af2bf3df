"""A matplotlib figure as a picture: a PNG on white with its alt text."""

import base64
import io
from typing import Any

from ..display.formatting import escape
from ..display.picture import Picture

WIDTH = 700  # CSS pixels: what fits beside the sidebar of JupyterLab
DPI = 110
COLOURS = 256  # the eye sees no difference, and the file is a third as large


def show(fig: Any, *, alt: str) -> Picture:
    """The matplotlib figure as an <img> with alt text. Raises ValueError for an empty one."""
    return Picture("plot", png_image(fig, alt), alt=alt)


def png_image(fig: Any, alt: str) -> str:
    """The figure as an <img>, at most 700 pixels wide, and close it, so that it is not drawn twice."""
    import matplotlib.pyplot as plt
    from PIL import Image  # matplotlib brings it

    drawn, png = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, format="png", dpi=DPI, facecolor="#ffffff", bbox_inches="tight")
    plt.close(fig)
    image = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(png, "PNG", optimize=True)
    encoded = base64.b64encode(png.getvalue()).decode("ascii")
    size = f'width="{min(WIDTH, image.width)}" style="max-width:100%;height:auto"'
    return f'<img alt="{escape(alt)}" {size} src="data:image/png;base64,{encoded}">'
