"""Images with alt text. A drawing is one, too: an untrusted notebook drops <svg> and keeps <img>."""

import base64

from .formatting import escape


def svg_start(width: int, height: int) -> str:
    """The opening tag of an SVG drawing: its size and how its texts look."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'fill="#1b1f24" font-family="sans-serif">'
    )


def svg_image(drawing: str, *, width: int, height: int, alt: str) -> str:
    """The elements of an SVG drawing as an <img>."""
    return image("svg+xml", f"{svg_start(width, height)}{drawing}</svg>".encode(), width=width, alt=alt)


def image(kind: str, data: bytes, *, width: int, alt: str) -> str:
    """The bytes of an image as an <img> with alt text, no wider than the page."""
    encoded = base64.b64encode(data).decode("ascii")
    size = f'width="{width}" style="max-width:100%;height:auto"'
    return f'<img alt="{escape(alt)}" {size} src="data:image/{kind};base64,{encoded}">'
