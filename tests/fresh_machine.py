"""Both commands of the README on a machine that has nothing: python3 tests/fresh_machine.py [folder]

Clones the last commit into an empty folder (a temporary one unless you name one), with an empty home folder, a PATH of
/usr/bin and /bin, none of your environment variables but those that lead pip to its packages, and no fonts but DejaVu.
There it
  1. starts `course.py lab` and waits until JupyterLab answers, twice: the first start also sets everything up;
  2. runs every notebook with what `lab` has installed, which is all that a learner has;
  3. runs `course.py test`.

It cannot remove what the system has: packages of the system's Python stay out of .venv anyway, but a browser, git,
fonts that a program finds without fontconfig, and pip's settings in /etc are there. Only a new machine proves that none
of these is needed.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("PIP_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "LANG", "CI")
DEJAVU = "/usr/share/fonts/truetype/dejavu"
FONTS = f"<?xml version='1.0'?><fontconfig><dir>{DEJAVU}</dir><cachedir>{{}}</cachedir></fontconfig>"
TOKEN = "fresh"


def environment(home: Path) -> dict[str, str]:
    """What a program on a new machine finds: an empty home folder, a short path, one family of fonts."""
    home.mkdir(parents=True)
    fonts = home.parent / "fonts.conf"
    fonts.write_text(FONTS.format(home / "fontconfig"), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    return {**kept, "HOME": str(home), "PATH": "/usr/bin:/bin", "FONTCONFIG_FILE": str(fonts)}


def start_lab(course: Path, env: dict[str, str], patience: float) -> float:
    """Seconds from `course.py lab` until the page answers; then it is ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = ["--no-browser", f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}"]
    start = time.perf_counter()
    server = subprocess.Popen([sys.executable, "course.py", "lab", *flags], cwd=course, env=env)
    try:
        while time.perf_counter() - start < patience and server.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/lab?token={TOKEN}", timeout=5).close()
                return time.perf_counter() - start
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"JupyterLab did not answer within {patience:g} seconds.")
    finally:
        server.terminate()
        server.wait()


def step(course: Path, env: dict[str, str], *command: str | Path) -> float:
    """Seconds that a command takes. Ends the program when the command fails."""
    print(f"\n##### {' '.join(map(str, command[1:]))}", flush=True)
    start = time.perf_counter()
    status = subprocess.call(command, cwd=course, env=env)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} failed with status {status}.")
    return time.perf_counter() - start


def main(folder: Path) -> None:
    course, env = folder / "course", environment(folder / "home")
    if subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT):
        print("There are changes that are not committed: they are not in the clone.")
    subprocess.check_call(["git", "clone", "--quiet", str(ROOT), str(course)])
    learner = course / ".venv" / "bin" / "python"
    rows = {
        "lab, first start": start_lab(course, env, 1800),
        "lab, second start": start_lab(course, env, 60),
        "every notebook as a learner": step(course, env, learner, "tools/check.py", "--learner"),
        "test": step(course, env, sys.executable, "course.py", "test"),
    }
    print()
    for what, seconds in rows.items():
        print(f"{what:<28} {seconds:>6.0f} s")
    if rows["lab, second start"] > 10:
        raise SystemExit("The second start of `course.py lab` took more than 10 seconds.")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
