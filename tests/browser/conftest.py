"""A real JupyterLab, opened by the course's own command on a copy of the course, in a real Chromium."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

import matplotlib
import pytest

from .. import ROOT

TOKEN = "learner"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
# A page is as wide as its letters, so the tests choose them: DejaVu Sans, which matplotlib brings to every machine.
# What fits in it fits in Arial and Liberation Sans, which are a seventh narrower.
FONTS = """<fontconfig>
  <dir>{ttf}</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <test name="family" qual="all" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans</string></edit>
  </match>
  <match target="pattern">
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
  </match>
</fontconfig>"""
SETTINGS = {
    # Cells out of sight stay on the page, where a test can find them.
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": '{"windowingMode": "none"}',
    # Light or dark as the browser asks.
    "@jupyterlab/apputils-extension/themes.jupyterlab-settings": '{"adaptive-theme": true}',
}


class Lab(NamedTuple):
    """Where JupyterLab answers, and the learner's folder of notebooks in the copy of the course that it serves."""

    address: str
    folder: Path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """The browser; without one the tests are skipped, on Linux in CI they fail."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # a busy machine takes its time
    path = os.environ.get("COURSE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        advice = "no browser: install Chromium (Debian: sudo apt install chromium) or set COURSE_BROWSER to one"
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            pytest.fail(advice)
        pytest.skip(advice)
    fonts, ttf = tmp_path_factory.mktemp("fonts") / "fonts.conf", Path(matplotlib.get_data_path(), "fonts", "ttf")
    fonts.write_text(FONTS.format(ttf=ttf, cache=fonts.parent / "cache"), encoding="utf-8")
    env = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, env=env)
        yield browser
        browser.close()


@pytest.fixture
def shown(chromium, tmp_path):
    """A function which opens a picture, saved as one page, and waits until it is there or alive; without Jupyter."""
    with chromium.new_context(reduced_motion="reduce") as context:

        def show(picture, *, width=1280):
            page = context.new_page()
            page.set_viewport_size({"width": width, "height": 900})
            page.on("pageerror", lambda error: pytest.fail(f"the picture's script: {error}"))
            page.goto(picture.save(tmp_path / "picture.html").as_uri())
            live = "[data-rp-live]" if "<script>" in picture._repr_html_() else ""
            page.wait_for_selector(f".rp-{picture.kind}{live}")
            return page

        yield show


@pytest.fixture(scope="session")
def lab(tmp_path_factory, chromium):
    """JupyterLab as `python3 course.py lab` opens it, on a copy that the tests may change; the home folder is empty."""
    home = tmp_path_factory.mktemp("home")
    copy = home / "course"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "mine", "__pycache__"))
    (copy / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for extension, settings in SETTINGS.items():
        (home / "settings" / extension).parent.mkdir(parents=True, exist_ok=True)
        (home / "settings" / extension).write_text(settings, encoding="utf-8")
    env = {**os.environ, "HOME": str(home), "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "PYTHONPATH": ""}
    flags = ["--no-browser", f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}"]
    with open(home / "lab.log", "w") as log:
        server = subprocess.Popen(
            [sys.executable, "course.py", "lab", *flags], cwd=copy, env=env, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        while server.poll() is None:  # until it answers
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={TOKEN}", timeout=2).close()
                break
            time.sleep(0.2)
        assert server.poll() is None, (home / "lab.log").read_text()[-3000:]
        yield Lab(f"http://127.0.0.1:{port}", copy / "mine")
    finally:
        server.terminate()
        server.wait()
