"""The table of contents alone knows numbers: nobody else writes one down, and every topic has its files."""

import re

import pytest

from course_kit.contents import CONTENTS, TOPICS, number
from course_tasks import topics

from .. import ROOT

TEXTS = ("source/*", "course_lib/**/*.py", "course_lib/**/*.js", "course_tasks/**/*.py", "tests/**/*.py", "tools/*.py")
TEXTS += ("docs/contributing.md", "docs/*.html", ".github/workflows/*", "course.py", "pyproject.toml")
BY_HAND = (
    r"\b(?i:chapters?|lessons?) (\d\d?\b(?! times)|(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)"
    rf"|\b(?!00)\d\d_({'|'.join(TOPICS)})\b|\b\d\d · [A-Z]|\bch\d\d\b"
)


def test_every_chapter_has_its_source_and_every_folder_of_tasks_its_chapter():
    assert [path.stem for path in sorted(ROOT.glob("source/[0-9]*.py"))] == [chapter.file for chapter in CONTENTS]
    assert [chapter.number for chapter in CONTENTS] == [f"{place:02}" for place in range(len(CONTENTS))]
    assert topics() == [topic for topic in TOPICS if (ROOT / "course_tasks" / topic).is_dir()]
    assert topics() == list(TOPICS)[1:]
    with pytest.raises(ValueError, match="topic='t5': expected one of start_here, blind_to_distance, "):
        number("t5")


def test_no_number_of_a_chapter_is_written_by_hand():
    files = [path for pattern in TEXTS for path in ROOT.glob(pattern) if path.is_file()]
    assert len(files) > 300
    found = []
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if name not in ("course_kit/contents.py", "tests/tools/test_contents.py", "tests/tools/test_recheck.py"):
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            found += [f"{name}, line {k}: {line.strip()}" for k, line in lines if re.search(BY_HAND, line)]
    assert not found, "\n".join(["write [[topic|chapter #]] in Markdown, contents.number(topic) in Python:", *found])
