"""What a picture says: its elements and words without a script, and the frames that its script is given."""

import itertools
import re

from bs4 import BeautifulSoup  # nbconvert brings it

from .pictures import PICTURES

FRAMES = {name: picture for name, picture in PICTURES.items() if picture.kind == "frames"}


def elements(html):
    """The elements of a piece of HTML."""
    return BeautifulSoup(html, "html.parser").find_all(True)


def static(picture) -> str:
    """What an untrusted notebook leaves of a picture."""
    return re.sub(r"(?s)<(style|script)>.*?</\1>", "", picture._repr_html_())


def text(picture) -> str:
    """The words of a picture without its script."""
    return BeautifulSoup(static(picture), "html.parser").get_text(" ").replace("\xa0", " ")


def unpooled(picture):
    """What the script finds in the data of a picture."""
    opened = []
    for kept in picture._data["pool"]:
        opened.append([opened[len(opened) - back] for back in kept] if isinstance(kept, tuple) else kept)
    return opened[-1]


def frames(picture):
    """The frames as the script reads them: {place of each slider's stop: (tables and drawings, words)}."""
    stops = itertools.product(*map(range, picture._data["counts"]))
    return {at: (shown, " ".join(words)) for at, (shown, words) in zip(stops, unpooled(picture), strict=True)}


def tables(shown):
    """Without the drawings, each of which is a list of parts and an alt text."""
    return [table for table in shown if len(table) > 2]


def texts(table):
    return [[cell[0] for cell in line] for line in table[3]]
