"""Run built notebooks as Colab would:  python tests/colab/simulate.py [--here] notebooks/01_….ipynb …

Each gets a fresh runtime: an empty folder that holds nothing else, an importable `google.colab`, and an internet where
the course's address leads to this checkout as it is now. The packages are those of pins.txt under Python 3.13 (torch is
not among them), or with --here those of the interpreter that runs this file.
A notebook fails when a cell does, or when it installs anything but course_lib.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from course_lib import __version__  # noqa: E402
from tools import build  # noqa: E402
from tools.address import address  # noqa: E402

ADDRESS = address() or "https://github.com/example/course"
PINS = HERE / "pins.txt"
INSTALL = build.INSTALL.format(address=ADDRESS, version=__version__)
PRIVATE = ("PYTHON", "JUPYTER", "IPYTHON", "GIT_", "VIRTUAL_ENV")


def release(folder: Path) -> Path:
    """A repository with this checkout, uncommitted changes and all, under the tag of its version."""
    skip = shutil.ignore_patterns(".git", ".*cache*", "__pycache__", ".venv", "build", "mine", ".hypothesis", "tests")
    shutil.copytree(ROOT, folder, ignore=skip)
    git = ["git", "-c", "user.name=course", "-c", "user.email=course@localhost", "-c", "commit.gpgsign=false"]
    for words in ("init -q", "add -A", "commit -qm Course", f"tag v{__version__}"):
        subprocess.run([*git, *words.split()], cwd=folder, check=True)
    return folder


def run(notebook: Path, folder: Path, python: str | Path, repository: Path) -> tuple[list[str], dict[str, str]]:
    """Execute the notebook on a fresh machine; returns what went wrong, and which packages it has installed."""
    content, venv = folder / "content", folder / "venv"
    content.mkdir(parents=True)
    nb = json.loads(notebook.read_text(encoding="utf-8"))
    nb["cells"][1]["source"] = build.SETUP.format(otherwise=INSTALL)  # as in a published notebook
    (content / notebook.name).write_text(json.dumps(nb), encoding="utf-8")
    subprocess.run([python, "-m", "venv", "--without-pip", venv], check=True)
    own = site_packages(in_venv(venv))
    (own / "preinstalled.pth").write_text(f"{site_packages(python)}\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(PRIVATE)} | {
        "HOME": str(folder), "PYTHONPATH": str(HERE / "fake"), "COLAB_RELEASE_TAG": "simulated",
        "PATH": os.pathsep.join([str(in_venv(venv).parent), os.environ["PATH"]]), "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf", "GIT_CONFIG_VALUE_0": ADDRESS,
    }  # fmt: skip
    command = [in_venv(venv), "-m", "nbconvert", "--to", "notebook", "--inplace", "--execute", notebook.name]
    done = subprocess.run(command, cwd=content, env=environment, capture_output=True, text=True)
    installed = {found.name: found.version for found in distributions(path=[str(own)])}
    return [done.stderr[-2000:]] * (done.returncode != 0), installed


def colab_python() -> Path | None:
    """Python 3.13 with the packages of pins.txt, made once in the user's cache; None where there is no Python 3.13."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "relative-position-in-attention"
    venv = cache / f"colab-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    if not (venv / "complete").exists():
        known = [sys.executable, shutil.which("python3.13"), *Path.home().glob(".pyenv/versions/3.13.*/bin/python")]
        base = next(filter(is_3_13, known), None)
        if base is None:
            return None
        subprocess.run([base, "-m", "venv", "--clear", venv], check=True)
        subprocess.run([in_venv(venv), "-m", "pip", "install", "-q", "-r", PINS], check=True)
        (venv / "complete").touch()
    return in_venv(venv)


def is_3_13(python: str | Path | None) -> bool:
    """Whether there is such a program, and it runs Python 3.13; a shim of pyenv may only say that it cannot."""
    asks = "import sys; sys.exit(sys.version_info[:2] != (3, 13))"
    return python is not None and subprocess.run([python, "-c", asks], capture_output=True).returncode == 0


def in_venv(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_packages(python: str | Path) -> Path:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([python, "-c", ask], text=True).strip())


def main(words: list[str]) -> int:
    python, failed = (None if "--here" in words else colab_python()) or sys.executable, 0
    with tempfile.TemporaryDirectory() as folder:
        repository = release(Path(folder, "course"))
        for number, notebook in enumerate(Path(word) for word in words if word != "--here"):
            errors, installed = run(notebook, Path(folder, str(number)), python, repository)
            good = not errors and installed == {"course_lib": __version__}
            failed += not good
            print("ok    " if good else "FAILED", notebook, installed, *errors)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
