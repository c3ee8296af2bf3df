"""A drawing as an image: an untrusted notebook drops <svg> and keeps <img>."""

import base64

from .formatting import escape


def svg_start(width: int, height: int) -> str:
    """The opening tag of an SVG drawing: its size and how its texts look."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'fill="#1b1f24" font-family="sans-serif">'
    )


def svg_image(drawing: str, *, width: int, height: int, alt: str) -> str:
    """The elements of an SVG drawing as an <img> with alt text, no wider than the page."""
    encoded = base64.b64encode(f"{svg_start(width, height)}{drawing}</svg>".encode()).decode("ascii")
    size = f'width="{width}" style="max-width:100%;height:auto"'
    return f'<img alt="{escape(alt)}" {size} src="data:image/svg+xml;base64,{encoded}">'
