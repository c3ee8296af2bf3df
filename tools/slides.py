"""python3 course.py slides [FOLDER]: every picture of the course for slides, and a sheet of its formulas to print.

Each picture is an HTML file that needs neither a network nor Jupyter: its sliders and the keyboard work in a browser,
beside your slides or in slides that are HTML. index.html lists the pictures. The sheet is a PDF made by a browser on
this computer. By default FOLDER is build/slides.
"""

import argparse
import shutil
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_lib.contents import Chapter  # noqa: E402
from course_lib.display.formatting import escape  # noqa: E402
from tools.browser import NO_BROWSER, find_browser, print_to_pdf  # noqa: E402
from tools.pictures import Slide, imports, slides  # noqa: E402

SHEET = "conventions.html"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Pictures of “Relative Position in Attention”</title>
<style>
  body {{ max-width: 44rem; margin: 0 auto; padding: 1rem; background: #fff; color: #1b1f24;
         font: 1rem/1.6 sans-serif; }}
  h2 {{ font-size: 1.05rem; margin: 1.2rem 0 0; }}
  ul {{ margin: 0; padding-left: 1.2rem; }}
</style>
</head>
<body>
<main>
<h1>Pictures of “Relative Position in Attention”</h1>
<p>{count} pictures, each in a separate file. Use the mouse, or Tab and the arrow keys. {sheet}</p>
{chapters}
</main>
</body>
</html>
"""


def write_pictures(folder: Path) -> list[Slide]:
    """Write each picture into the folder; returns them."""
    names: dict[str, object] = {}
    exec(imports(), names)
    found = slides()
    for slide in found:
        picture = eval(slide.code, names)
        picture.save(folder / f"{slide.name}.html")
    return found


def write_sheet(folder: Path) -> str:
    """Copy the sheet into the folder, and print it where there is a browser. Returns the file to open."""
    shutil.copy(ROOT / "docs" / SHEET, folder / SHEET)
    pdf = (folder / SHEET).with_suffix(".pdf")
    browser = find_browser()
    if browser and print_to_pdf(browser, folder / SHEET, pdf):
        return pdf.name
    print(NO_BROWSER.format(page=folder / SHEET))
    return SHEET


def index(found: list[Slide], sheet: str) -> str:
    """The page that lists all pictures by chapter."""
    parts = []
    for chapter, group in groupby(found, key=lambda slide: slide.chapter):
        links = [f'<li><a href="{slide.name}.html">{escape(sentence(slide.shows))}</a></li>' for slide in group]
        parts.append(f"<h2>{escape(heading(chapter))}</h2>\n<ul>\n{chr(10).join(links)}\n</ul>")
    link = f'<a href="{sheet}">One sheet of formulas and conventions</a> is there to print.'
    return PAGE.format(count=len(found), sheet=link, chapters="\n".join(parts))


def heading(chapter: Chapter | None) -> str:
    return f"{chapter.number} · {chapter.title}" if chapter else "For any chapter"


def sentence(words: str) -> str:
    """The words as a title: their first letter is large, and code is not marked."""
    return (words[0].upper() + words[1:]).replace("`", "")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="course.py slides", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "slides", metavar="FOLDER")
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    found = write_pictures(folder)
    sheet = write_sheet(folder)
    (folder / "index.html").write_text(index(found, sheet), encoding="utf-8")
    print(f"{len(found)} pictures, index.html and {sheet} are in {folder}. Open index.html in a browser.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
