"""python3 course.py site [--serve [PORT]]: the built notebooks as a web site in build/site/course.

Nothing is executed: the pages show what notebooks/, exercises/ and solutions/ contain.
"""

import argparse
import contextlib
import functools
import http.server
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from docs.site.pages import CARD, KINDS, ROOT, write_pages
from tools.address import address

SITE = ROOT / "build" / "site" / "course"


def make() -> int:
    """Write the site; an older one stays until the new one is complete. Returns Sphinx's exit status."""
    published = address()
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        write_pages(source, published)
        sphinx = [sys.executable, "-m", "sphinx", "-q", "-j", "auto", "-W", "--keep-going", "-d", f"{folder}/doctrees"]
        if published:
            options = {"repository_url": published, "use_repository_button": "true"}
            sphinx += [word for name, value in options.items() for word in ("-D", f"html_theme_options.{name}={value}")]
        if status := subprocess.call([*sphinx, "-c", Path(__file__).parent, source, built]):
            return status
        complete(built)
        shutil.rmtree(SITE, ignore_errors=True)
        SITE.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(built, SITE)
    print(f"The site is in {SITE.relative_to(ROOT)}. Open its index.html, or run `course.py site --serve`.")
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


def serve(port: int) -> None:
    """Show the site below a folder, as it will be on the web: a link that forgets this leads nowhere."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=SITE.parent)
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        sys.exit(f"Port {port} cannot be used ({error.strerror}). Choose another: course.py site --serve {port + 1}")
    with server, contextlib.suppress(KeyboardInterrupt):
        print(f"http://127.0.0.1:{server.server_port}/{SITE.name}/ (Ctrl-C ends it)", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="course.py site", description=__doc__)
    parser.add_argument("--serve", nargs="?", type=int, const=8000, metavar="PORT", help="show it on this computer")
    options = parser.parse_args()
    if status := make():
        sys.exit(status)
    if options.serve is not None:
        serve(options.serve)
