"""python3 course.py site: the built notebooks as a web site in build/site/course.

Nothing is executed: the pages show what notebooks/, exercises/ and solutions/ contain.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from course_kit.contents import KINDS
from docs.site.pages import CARD, ROOT, write_pages
from tools.address import address

SITE = ROOT / "build" / "site" / "course"


def make() -> int:
    """Write the site. Returns Sphinx's exit status."""
    shutil.rmtree(SITE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        write_pages(Path(folder), address())
        sphinx = [sys.executable, "-m", "sphinx", "-q", "-j", "auto", "-W", "--keep-going", "-d", f"{folder}/doctrees"]
        if status := subprocess.call([*sphinx, "-c", Path(__file__).parent, folder, SITE]):
            return status
    complete(SITE)
    print(f"The site is in {SITE.relative_to(ROOT)}. Open its index.html.")
    return 0


def complete(built: Path) -> None:
    """Add what Sphinx leaves out, and take away what no reader needs."""
    mathjax = Path(sysconfig.get_path("purelib"), "sphinx-mathjax-offline", "static", "mathjax")
    shutil.copytree(mathjax / "output/chtml/fonts", built / "_static/mathjax/output/chtml/fonts")
    shutil.copy(mathjax / "tex-mml-chtml.js", built / "_static/mathjax")
    shutil.copy(ROOT / CARD, built / CARD)
    for kind in KINDS:
        for path in (ROOT / kind).glob("*.ipynb"):  # for the download buttons
            shutil.copy(path, built / kind)
    for path in [*built.rglob("*.map"), *built.rglob("fontawesome.js")]:  # a font has the same icons
        path.unlink()
    for path in built.rglob("*.html"):
        html = re.sub(r"<script[^>]*/fontawesome\.js[^>]*></script>", "", path.read_text(encoding="utf-8"))
        html = re.sub(r'<th class="head">(<p></p>)?</th>', "<td></td>", html)  # an empty corner heads nothing
        path.write_text(html, encoding="utf-8")
    (built / ".nojekyll").touch()  # without it GitHub Pages leaves out the folders that begin with _


if __name__ == "__main__":
    sys.exit(make())
