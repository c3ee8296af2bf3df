"""The site, built and shown by the course's own command, and a reader who opens its pages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The address of the site, which is below a folder."""
    said = tmp_path_factory.mktemp("site") / "said.txt"
    with open(said, "w") as file:
        command = [sys.executable, "course.py", "site", "--serve", "0"]
        server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=file, text=True)
    found = next((line.split()[0] for line in server.stdout if line.startswith("http")), None)
    if found is None and "pip could not install" in said.read_text() and os.environ.get("CI") != "true":
        pytest.skip("the site's packages cannot be installed: go online and run `python3 course.py site` once")
    assert found, said.read_text()
    yield found
    server.terminate()
    server.wait()
    server.stdout.close()


@pytest.fixture
def visit(chromium, site):
    """A function that opens a page. In the end nothing has gone wrong, and nobody but the site has been asked."""
    contexts, wrong = [], []

    def opened(name, *, width=1280, scheme="light"):
        view = {"width": width, "height": 900}
        contexts.append(chromium.new_context(viewport=view, color_scheme=scheme, reduced_motion="reduce"))
        page = contexts[-1].new_page()
        page.on("console", lambda said: said.type == "error" and wrong.append(f"{said.text} {said.location['url']}"))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith((site, "data:")) or wrong.append(asked.url))
        page.goto(f"{site}{name}.html")
        page.evaluate("window.MathJax?.startup.promise.then(() => true)")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
