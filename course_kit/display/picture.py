"""A picture: a static body which every viewer shows, and a small script which brings it alive where scripts may run.

The output is plain text/html. An untrusted notebook drops <style> and <script> and keeps the body, so the body carries
its colours inline and says everything the picture has to say. Nothing in it needs a kernel or the network.
"""

import functools
import hashlib
import json
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from .formatting import escape, script_json

# Dark text on white whatever the theme: a notebook in a dark theme must not show black numbers on black. Without the
# style sheet (an untrusted notebook) a wide table scrolls in the frame; with it, only in a box of its own.
FRAME = (
    "background-color:#ffffff;color:#1b1f24;border:1px solid #d0d7de;border-radius:8px;"
    "padding:12px 16px;margin:4px 0;font-family:sans-serif;font-size:14px;overflow-x:auto"
)
UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"  # read out, not drawn
TABLE = 'style="color:#1b1f24"'  # a theme colours tables too
SUPPRESS = 'data-lm-suppress-shortcuts="true"'  # else JupyterLab takes arrow keys and letters for itself


class Picture:
    """What a notebook shows as HTML; `alt` says it in words, `save` writes it as one file for slides."""

    def __init__(
        self,
        kind: str,
        body: str,
        *,
        alt: str,
        title: str | None = None,
        styles: Sequence[str] = (),
        script: str = "",
        data: Any = None,
    ) -> None:
        """`kind` becomes the class rp-kind; `styles` are sections of pictures.css, `script` is a file beside it."""
        if not alt.strip():
            raise ValueError(f"alt={alt!r}: expected a sentence that says what the picture shows")
        self.kind = kind
        self.alt = alt
        self.title = title
        self._body = body
        self._styles = ("base", *styles)
        self._script = script
        self._data = data

    def __repr__(self) -> str:
        return f"Picture ({self.kind.replace('-', ' ')}): {self.alt}"

    def _repr_html_(self) -> str:
        frame = (
            f'<figure class="rp rp-{self.kind}" data-rp="{self._key()}" aria-label="{escape(self.alt)}"'
            f' style="{FRAME}">{self._body}</figure>'
        )
        style = "".join(css_section(name) for name in self._styles)
        return f"<style>{style}</style>{frame}{self._script_element()}"

    def _key(self) -> str:
        """The same for the same content, in every run: stored outputs are compared as text.

        The bytes of an image do not count: a curve of measured times is never drawn twice alike.
        """
        body = re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", self._body)
        content = "\0".join([self.kind, self.alt, body, script_json(self._data)])
        return hashlib.sha256(content.encode()).hexdigest()[:10]

    def _script_element(self) -> str:
        if not self._script:
            return ""
        constants = f"const KEY={json.dumps(self._key())},DATA={script_json(self._data)};"
        code = "\n".join(map(javascript, ("live.js", self._script)))
        return f"<script>(()=>{{{constants}\n{code}\nwake(start);}})()</script>"

    def save(self, path: str | Path) -> Path:
        """Write the picture as one self-contained HTML page, for slides; an older file there is replaced.

        Raises ValueError when the name does not end in .html.
        """
        target = Path(path)
        if target.suffix != ".html":
            raise ValueError(f"path={str(path)!r}: expected a file name that ends in .html")
        name = escape(self.title or self.alt)
        page = (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{name}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n</head>\n'
            f'<body style="margin:24px;background-color:#ffffff">\n<main>\n<h1 style="{UNSEEN}">{name}</h1>\n'
            f"{self._repr_html_()}\n</main>\n</body>\n</html>\n"
        )
        target.write_text(page, encoding="utf-8")
        return target


def side_by_side(*pictures: Picture) -> Picture:
    """Pictures in a row; on a narrow page, one below the other."""
    # Inline blocks, because an untrusted notebook keeps them and drops flex boxes.
    cell = '<div style="display:inline-block;vertical-align:top;margin-right:12px;max-width:100%">'
    body = "".join(f"{cell}{picture._repr_html_()}</div>" for picture in pictures)
    return Picture("row", body, alt=" Beside it: ".join(picture.alt for picture in pictures), styles=["row"])


@functools.cache
def _source(name: str) -> str:
    return resources.files("course_kit.display").joinpath(name).read_text(encoding="utf-8")


@functools.cache
def javascript(name: str) -> str:
    """A script of this room without its comments and indentation: written to be read, sent to be small."""
    lines = (line.strip() for line in _source(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@functools.cache
def css_section(name: str) -> str:
    """One section of pictures.css, from its "/* @name …" comment to the next."""
    for section in re.split(r"(?m)^/\* @", _source("pictures.css"))[1:]:
        if re.match(rf"{name}\b", section):
            rules = re.sub(r"/\*.*?\*/", "", "/* " + section, flags=re.S)
            # A space before ":" or ">" may mean something, one after these never does.
            return re.sub(r"(?<=[{};:,])\s+|\s+(?=[{}])", "", re.sub(r"\s+", " ", rules)).strip()
    raise KeyError(name)
