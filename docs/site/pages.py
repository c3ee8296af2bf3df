"""The pages of the site as Sphinx reads them: every notebook, three texts, and a first page made of README.md."""

import json
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

from course_kit.contents import CONTENTS, KINDS, Chapter
from course_lib import __version__
from docs.site.keywords import KEYWORDS
from tools.address import open_in_colab

ROOT = Path(__file__).resolve().parents[2]
LABELS = {"notebooks": "Lesson", "exercises": "Tasks", "solutions": "Solutions"}
TEXTS = ("docs/symptoms.md", "docs/teaching.md", "docs/acknowledgements.md")
START = "One command"  # the part of README.md that says how to begin
FIRST = ("How much of it?", "The core, in three hours", "The chapters", START)  # what the first page shows of README.md
CARD = "docs/conventions.html"  # a page as it is


def write_pages(folder: Path, published: str | None) -> None:
    """Write all pages in the folders that they have in the course; `published` is its address."""
    pages = {"index.md": first_page(published)}
    for path in TEXTS:
        pages[path] = relinked((ROOT / path).read_text(encoding="utf-8"), path, published)
    for chapter in CONTENTS:
        for kind in kinds(chapter):
            path = chapter.path(kind)
            pages[path] = json.dumps(page(read(path), kind, chapter, published))
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def read(path: str) -> dict:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def kinds(chapter: Chapter) -> list[str]:
    """The folders that have a notebook of this chapter."""
    return [kind for kind in KINDS if (ROOT / chapter.path(kind)).exists()]


def page(nb: dict, kind: str, chapter: Chapter, published: str | None) -> dict:
    """A built notebook as a page: buttons under its title, links that lead somewhere, no set-up and no folded code."""
    for cell in nb["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = relinked(findable(text, kind, chapter), chapter.path(kind), published)
        elif cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"]["tags"] = ["remove-cell" if "Set-up: choose Run All Cells" in text else "remove-input"]
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                html = "".join(output["data"]["text/html"])
                output["data"]["text/html"] = re.sub(r'(href="\w+)\.ipynb"', r'\1.html"', html)
    title, _, rest = nb["cells"][0]["source"].partition("\n")
    rest = re.sub(r"(?m)^\[!?\[?Open in Colab\].*\n", "", rest)
    nb["cells"][0]["source"] = f"{title}\n\n{buttons(kind, chapter, published)}\n\n{rest}"
    if kind == "notebooks":  # its tasks and solutions come after it, before the next lesson
        after = toctree(f"/{chapter.path(other)}" for other in kinds(chapter)[1:])
        nb["cells"].append({"cell_type": "markdown", "metadata": {}, "id": "after", "source": after})
    return nb


def buttons(kind: str, chapter: Chapter, published: str | None) -> str:
    """Two paragraphs of Markdown: the pages of the chapter and what one can do with this one; and how to run it."""
    links = [
        f"**{LABELS[other]}**" if other == kind else f"[{LABELS[other]}](../{chapter.path(other)})"
        for other in kinds(chapter)
    ]
    if link := open_in_colab(published, __version__, chapter.path(kind)):
        links.append(link)
    links.append(f'<a href="{posixpath.basename(chapter.path(kind))}" download>Download notebook</a>')
    place = START.lower().replace(" ", "-")
    how = f"To run its code, [get the course](../index.md#{place}), and put the notebook into its folder."
    return "\n".join(["{.buttons}", *links, "", f"*You can read this page, but no code runs here. {how}*"])


def findable(text: str, kind: str, chapter: Chapter) -> str:
    """Markdown in which the words of keywords.py lead to their headings. Solutions are not searched."""
    if kind == "solutions":
        return text
    for heading, words in KEYWORDS.get(chapter.topic, {}).items():
        entries = ", ".join(f"! {word}" for word in words)
        line = rf"(?m)^(## (?:\d+\. )?{re.escape(heading)})$"
        text = re.sub(line, rf"\1\n\n```{{index}} {entries}\n```", text)
    return text


def relinked(text: str, path: str, published: str | None) -> str:
    """Markdown in which a link to a file that is not a page leads to where it is published, or is words alone."""

    def relink(link: re.Match[str]) -> str:
        words, target, anchor = link.groups()
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if target.endswith(".ipynb") or file in TEXTS or not (ROOT / file).exists():
            return link[0]
        if file == CARD:
            return f'<a href="{target}">{words}</a>'
        return f"[{words}]({published}/blob/v{__version__}/{file}{anchor or ''})" if published else words

    return re.sub(r"\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)", relink, text)


def first_page(published: str | None) -> str:
    """What README.md says of the course and its chapters, with the picture alive."""
    opening, *parts = re.split(r"(?m)^(?=## )", (ROOT / "README.md").read_text(encoding="utf-8"))
    chosen = [part for title in FIRST for part in parts if part.startswith(f"## {title}\n")]
    heading = f"## {START}\n\n"
    chosen = [part.replace(heading, f"{heading}{where_to_get(published)}\n\n", 1) for part in chosen]
    alive = f"```{{raw}} html\n{explorer()}\n```\n"
    opening = re.sub(r"(?m)^!\[.*\n", lambda _: alive, opening)
    lessons = [f"notebooks/{chapter.file}" for chapter in CONTENTS]
    inside = toctree([*lessons, *(path.removesuffix(".md") for path in TEXTS)])
    return "\n".join([*(relinked(part, "README.md", published) for part in (opening, *chosen)), inside])


def where_to_get(published: str | None) -> str:
    """Where the folder of the course comes from."""
    if published is None:
        return "The course is not published yet, so ask whoever showed you these pages for its folder."
    on_github = published.startswith("https://github.com/")
    zipped = f", or unpack [this ZIP file]({published}/archive/refs/tags/v{__version__}.zip)" * on_github
    return f"Get the course with `git clone {published}`{zipped}."


def explorer() -> str:
    """The bias explorer as the first lesson shows it."""
    cells = read(f"notebooks/{CONTENTS[0].file}.ipynb")["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    shown = ("".join(data.get("text/html", "")) for data in outputs)
    return next(html for html in shown if 'class="rp rp-frames' in html)


def toctree(pages: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])
