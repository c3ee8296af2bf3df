"""The pictures for slides, read from source/pictures.py without running it."""

import re
from dataclasses import dataclass
from pathlib import Path

from course_kit.contents import TOPICS, Chapter

LIST = Path(__file__).resolve().parent.parent / "source" / "pictures.py"


@dataclass(frozen=True)
class Slide:
    """A picture: the name of its file without an ending, what it shows, and the code that draws it."""

    name: str
    shows: str
    code: str

    @property
    def chapter(self) -> Chapter | None:
        """The chapter that it belongs to, None if it fits any."""
        return TOPICS.get(self.name.partition("-")[0])


def imports() -> str:
    """The lines that the code of every picture needs before it."""
    return _parts()[0].split('"""')[2].strip()


def slides() -> list[Slide]:
    """All pictures, in the order of the chapters. Raises ValueError for one that is not written as the others."""
    return [_slide(part.strip()) for part in _parts()[1:]]


def _slide(text: str) -> Slide:
    found = re.fullmatch(r"(?s)([a-z\d_]+-[a-z]+): ([^\n]+)\n(.+)", text)
    if found is None:
        raise ValueError(f"{LIST.name}: {text!r}: expected TOPIC-NAME: what it shows, and below it the code")
    return Slide(*found.groups())


def _parts() -> list[str]:
    return re.split(r"(?m)^# ", LIST.read_text(encoding="utf-8"))
