"""A browser of this computer: it makes a PDF of a page, and the tests drive it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
PLACES = (  # where they are installed without being on the path
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
NO_BROWSER = (
    "There is no PDF, because neither Chrome nor Chromium nor Edge could make one here. Open {page} in any browser and "
    "print it on both sides of one sheet. COURSE_BROWSER can name the browser to use."
)


def find_browser() -> str | None:
    """The browser to drive: $COURSE_BROWSER, or the first one that is found."""
    found = (*map(shutil.which, NAMES), *filter(os.path.exists, PLACES))
    return os.environ.get("COURSE_BROWSER") or next(filter(None, found), None)


def print_to_pdf(browser: str, page: Path, pdf: Path) -> bool:
    """Print a page as the browser would, without its header and footer. Returns whether there is a PDF now."""
    root = os.name == "posix" and os.geteuid() == 0
    pdf.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = [browser, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}",
                 *(["--no-sandbox"] if root else []), "--no-pdf-header-footer",
                 f"--print-to-pdf={pdf.resolve()}", page.resolve().as_uri()]  # fmt: skip
        try:
            subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return pdf.exists()
