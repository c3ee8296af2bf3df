"""course.py slides: every picture as a file of its own, a page that lists them, and the sheet of formulas."""

import ast
import inspect
import re

import pytest

from course_lib.contents import CONTENTS, TOPICS
from course_lib.display.formatting import escape
from tools import pictures, slides
from tools.browser import print_to_pdf


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What the command writes where there is no browser, and what it says."""
    folder = tmp_path_factory.mktemp("slides") / "new" / "folder"
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slides, "find_browser", lambda: None)
        patch.setattr("builtins.print", said.append)
        assert slides.main([str(folder)]) == 0
    return folder, said


def test_each_picture_is_a_file_that_asks_for_nothing(written):
    folder, _ = written
    names = {path.name for path in folder.iterdir()}
    assert names == {f"{slide.name}.html" for slide in pictures.slides()} | {"index.html", "conventions.html"}
    for name in names:
        html = (folder / name).read_text(encoding="utf-8")
        assert html.lstrip().startswith(("<!DOCTYPE html>", "<!-- Built"))
        targets = set(re.findall(r"(?:src|href)=[\"']?([^\"'> ]*)", html))
        assert {target for target in targets if not target.startswith("data:")} <= names, name
        elsewhere = r"url\((?!#|%23)|@import|\bfetch\(|\bimport\(|XMLHttpRequest|WebSocket"  # but for a place in itself
        assert not re.search(elsewhere, html), name


def test_the_index_lists_them_by_chapter_in_order(written):
    folder, _ = written
    html = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<li><a href="([^"]+)\.html">([^<]+)</a></li>', html)
    assert links == [(s.name, escape(slides.sentence(s.shows))) for s in pictures.slides()]
    numbers = re.findall(r"<h2>(\d\d) · ", html)
    assert numbers == sorted(set(numbers)) and f"{CONTENTS[-1].number} · {CONTENTS[-1].title}" in html


def test_without_a_browser_it_says_how_to_print_the_sheet(written):
    folder, said = written
    assert said[0].startswith("There is no PDF, because neither Chrome nor Chromium nor Edge could make one here. ")
    assert f"Open {folder / 'conventions.html'} in any browser and print it" in said[0]
    assert said[1] == f"24 pictures, index.html and conventions.html are in {folder}. Open index.html in a browser."


@pytest.mark.parametrize("browser", ["/missing/browser", "false"])
def test_a_browser_that_cannot_print_leaves_no_pdf(browser, tmp_path):
    (tmp_path / "old.pdf").write_text("of an earlier run")
    assert not print_to_pdf(browser, tmp_path / "page.html", tmp_path / "old.pdf")
    assert not (tmp_path / "old.pdf").exists()


def test_a_picture_is_named_after_its_topic_and_drawn_by_one_expression():
    found = pictures.slides()
    assert len({slide.name for slide in found}) == len(found) == 24
    for slide in found:
        assert slide.chapter or slide.name == "any-matrix"
        ast.parse(slide.code, mode="eval")
    order = [list(TOPICS).index(slide.chapter.topic) for slide in found if slide.chapter]
    assert order == sorted(order)


def test_a_picture_that_is_not_written_like_the_others_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "LIST", tmp_path / "pictures.py")
    pictures.LIST.write_text('"""Words."""\n\nimport x\n\n# a map\nfigures.map()\n', encoding="utf-8")
    assert pictures.imports() == "import x"
    with pytest.raises(ValueError, match=r"pictures\.py: 'a map\\nfigures\.map\(\)': expected TOPIC-NAME: "):
        pictures.slides()


def test_the_help_names_the_default():
    assert "build/slides" in inspect.getdoc(slides)
