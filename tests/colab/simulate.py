"""Run built notebooks as Colab would:  python tests/colab/simulate.py notebooks/01_….ipynb …

Each gets a fresh runtime: an empty folder that holds nothing else, an importable `google.colab`, and an internet where
the course's address leads to this checkout as it is now. The packages are those of the interpreter that runs this file.
A notebook fails when a cell does, or when it installs anything but course_lib.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
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
INSTALL = build.INSTALL.format(address=ADDRESS, version=__version__)
PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"
PRIVATE = ("PYTHON", "JUPYTER", "IPYTHON", "GIT_", "VIRTUAL_ENV")


def release(folder: Path) -> Path:
    """A repository with this checkout, uncommitted changes and all, under the tag of its version."""
    skip = shutil.ignore_patterns(".git", ".*cache*", "__pycache__", ".venv", "build", "mine", ".hypothesis", "tests")
    shutil.copytree(ROOT, folder, ignore=skip)
    git = ["git", "-c", "user.name=course", "-c", "user.email=course@localhost", "-c", "commit.gpgsign=false"]
    for words in ("init -q", "add -A", "commit -qm Course", f"tag v{__version__}"):
        subprocess.run([*git, *words.split()], cwd=folder, check=True)
    return folder


def run(notebook: Path, folder: Path, repository: Path) -> tuple[list[str], dict[str, str]]:
    """Execute the notebook on a fresh machine; returns what went wrong, and which packages it has installed."""
    content, venv = folder / "content", folder / "venv"
    content.mkdir(parents=True)
    nb = json.loads(notebook.read_text(encoding="utf-8"))
    nb["cells"][1]["source"] = build.SETUP.format(otherwise=INSTALL)  # as in a published notebook
    (content / notebook.name).write_text(json.dumps(nb), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    own = Path(subprocess.check_output([python, "-c", PURELIB], text=True).strip())
    (own / "preinstalled.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(PRIVATE)} | {
        "HOME": str(folder), "PYTHONPATH": str(HERE / "fake"), "COLAB_RELEASE_TAG": "simulated",
        "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]), "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf", "GIT_CONFIG_VALUE_0": ADDRESS,
    }  # fmt: skip
    command = [python, "-m", "nbconvert", "--to", "notebook", "--inplace", "--execute", notebook.name]
    done = subprocess.run(command, cwd=content, env=environment, capture_output=True, text=True)
    installed = {found.name: found.version for found in distributions(path=[str(own)])}
    return [done.stderr[-2000:]] * (done.returncode != 0), installed


def main(words: list[str]) -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        repository = release(Path(folder, "course"))
        for number, notebook in enumerate(map(Path, words)):
            errors, installed = run(notebook, Path(folder, str(number)), repository)
            good = not errors and installed == {"course_lib": __version__}
            failed += not good
            print("ok    " if good else "FAILED", notebook, installed, *errors)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
