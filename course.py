#!/usr/bin/env python3
"""The one command of the course (on Windows write py for python3):

    python3 course.py lab      open the course in JupyterLab
    python3 course.py test     run every check: ruff, mypy, pytest, all notebooks
    python3 course.py model    fetch the released model (93 MB), which lab and test do, too
    python3 course.py build    write the notebooks from course_chapters/
    python3 course.py site     turn the built notebooks into a web site
    python3 course.py checkup  examine how a language model of yours uses positions

Arguments after the command are passed on: `lab --no-browser`, `test tests/schemes -k shaw`, `build --check`,
`model --index-url …` (to pip), `checkup MODEL`.
`lab` opens your own copies of the notebooks, in the folder mine. `test --all` adds the slow tests.
The first run installs what the course needs in the folder .venv. The packages of the site go to build/site-env.
"""
# The grammar of this file is Python 3.6's, so that an old Python gets as far as saying that it is too old.

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed.txt"  # the requirements that .venv holds; UNFINISHED during its first set-up
UNFINISHED = "unfinished"
SETTINGS = """{
  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
  "@jupyterlab/notebook-extension:tracker": {"codeCellConfig": {"lineWrap": true}}
}"""  # no pop-up that asks for news, and no line of code that leaves the window
FETCH = "course_lib/released/files.py"
LEARN, DEVELOP = ["requirements.txt"], ["requirements.txt", "tests/requirements.txt"]


def main(arguments):
    """Exit status, or the sentence that says what went wrong."""
    commands = {command.__name__: command for command in (lab, test, model, build, site, checkup)}
    if sys.version_info < (3, 11):
        return (
            f"This course needs Python 3.11 or newer; this is {sys.version.split()[0]}. A newer one is at "
            "https://www.python.org/downloads/. If you have one, run this command with it, such as "
            "`python3.13 course.py lab` (on Windows `py -3.13 course.py lab`)."
        )
    if not arguments or arguments[0] not in commands:
        asked = arguments[:1] in (["help"], ["--help"], ["-h"])
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    try:
        return commands[arguments[0]](arguments[1:])
    except KeyboardInterrupt:
        return "\nStopped. Run the same command again: it continues."
    except OSError as error:
        return f"{error}\nIs the folder {ROOT} complete, and may you write in it?"


def lab(arguments):
    """JupyterLab with the repository as its root, opened at the learner's copy of the first lesson."""
    from tools.mine import lay_out

    prepare(LEARN)
    fetch_model()
    print("Starting JupyterLab, which takes up to half a minute ...", flush=True)
    keep_jupyter_here()
    for path in lay_out(ROOT):
        print(f"The course has a newer version of a notebook that you edited. It is in {path.relative_to(ROOT)}.")
    copies = list((ROOT / "mine").glob("*/*.ipynb"))
    if copies:  # signed, so that their pictures live before anything is run
        run(PYTHON, "-m", "nbformat.sign", *copies)
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(SETTINGS)
    flags = [
        "--LabApp.default_url=/lab/tree/mine/notebooks/00_start_here.ipynb",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--KernelManager.transport_encryption=auto",  # otherwise each kernel prints a warning
        "--ServerApp.answer_yes=True",  # Ctrl-C ends it without a question
    ]
    if os.name == "posix" and os.geteuid() == 0:
        flags.append("--allow-root")
    become("-m", "jupyterlab", *flags, *arguments)


def keep_jupyter_here():
    """Where the home folder cannot be written, Jupyter's own files go into VENV."""
    if os.access(str(Path.home()), os.W_OK):
        return
    print(f"Your home folder {Path.home()} cannot be written, so Jupyter keeps its files in {os.path.relpath(VENV)}.")
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
        os.environ.setdefault(name, str(VENV / "home" / name.lower()))


def test(arguments):
    """Every check; with other arguments than those of tools/check.py, pytest with them and nothing else."""
    prepare(DEVELOP)
    fetch_model()
    whole = set(arguments) <= {"--all", "--under-load", "--after-learner", "--help"}
    become("-m", "tools.check" if whole else "pytest", *arguments)


def model(arguments):
    """The file of the released model, in the folder model; pip gets the arguments."""
    prepare(LEARN)
    become(FETCH, *arguments)


def build(arguments):
    prepare(DEVELOP)
    fetch_model()
    become("-m", "tools.build", *arguments)


def site(arguments):
    """The built notebooks as a web site, made without the learner's packages: nothing is executed."""
    global VENV, PYTHON, STAMP
    apart = ROOT / "build" / "site-env"  # from here on this is VENV
    PYTHON, STAMP = (apart / path.relative_to(VENV) for path in (PYTHON, STAMP))
    VENV = apart
    prepare(["docs/site/requirements.txt"])
    become("docs/site/make.py", *arguments)


def checkup(arguments):
    """The check-up of a model; without one, of the released one."""
    prepare(LEARN)
    values = ("--compare", "--text", "--html")  # options that a value follows
    if all(given.startswith("-") or before in values for before, given in zip(["", *arguments], arguments)):
        fetch_model()
    become("-m", "course_kit.checkup", *arguments)


def become(*arguments):
    """Hand over to the Python in .venv: from here on, Ctrl-C and the exit status are that program's own."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(PYTHON, [str(PYTHON), *arguments])
    sys.exit(subprocess.call([PYTHON, *arguments]))


def prepare(requirements):
    """Let VENV hold what these files list. It is filled up when they have changed, made anew when it is broken."""
    pinned = [*requirements, "constraints.txt"]
    wanted = [f"{name} {sha256(Path(name).read_bytes()).hexdigest()}" for name in pinned if Path(name).exists()]
    held = STAMP.read_text().splitlines() if STAMP.exists() else []
    sound = UNFINISHED not in held and PYTHON.exists() and runs_with_pip()
    if sound and set(wanted) <= set(held):
        return
    if sound:
        print(f"Installing what is new in {' and '.join(requirements)} ...", flush=True)
    else:
        make_venv()
    install(requirements)
    STAMP.write_text("\n".join(wanted))


def fetch_model():
    """What `model` does, but it soon gives up. Then it says what is missing, and the command continues."""
    impatient = [] if os.environ.get("CI") == "true" else ["--retries", "0", "--timeout", "5"]
    subprocess.call([PYTHON, FETCH, *impatient])


def runs_with_pip():
    """Does VENV have the Python version that runs this file, and pip?"""
    question = f"import pip, sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    return run(PYTHON, "-c", question)[0] == 0


def make_venv():
    """A new VENV without packages, marked as unfinished."""
    folder = os.path.relpath(VENV)
    why = f"The folder {folder} cannot be used as it is" if VENV.exists() else "First run"
    print(f"{why}: setting up {folder}, once only. It takes one to ten minutes, and up to 1.7 GB.", flush=True)
    if VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir(parents=True)
    STAMP.write_text(UNFINISHED)
    # The base interpreter, since this file may be running in the very .venv that was just removed.
    status, said = run(sys._base_executable, "-m", "venv", VENV)  # type: ignore[attr-defined]
    if status:
        sys.exit(f"Python could not make the folder {folder}. It said:\n\n{said}")  # on Debian, what to install


def install(requirements):
    """pip install; before that PyTorch's much smaller CPU build, where it is all that the machine can use."""
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    nvidia = os.path.exists("/proc/driver/nvidia") or shutil.which("nvidia-smi")
    torch = re.findall(r"^torch==\S+", Path(requirements[0]).read_text(), re.MULTILINE)
    if torch and sys.platform == "linux" and not nvidia and os.environ.get("CI") != "true":
        once = ["--retries", "0", "--timeout", "5", "--no-deps"]  # no answer? then the plain build, below
        run(*pip, *once, "--extra-index-url", "https://download.pytorch.org/whl/cpu", *torch)
    status, said = run(*pip, *[word for name in requirements for word in ("-r", name)])
    if status:
        sys.exit(
            "The packages could not be installed. Is this computer online? (If it is not, pip may also speak of a "
            "conflict.) Is there room for 1.7 GB? Run the same command again: it continues. If it fails time after "
            f"time, delete the folder {os.path.relpath(VENV)} first. pip said:\n\n{said}"
        )


def run(*command):
    """Exit status and errors (or last lines) of a step of the set-up; a terminal shows its newest line meanwhile."""
    lines, width = [], shutil.get_terminal_size().columns - 1
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, errors="replace", **pipes) as process:  # type: ignore[call-overload]
        for line in process.stdout:
            lines.append(line)
            if sys.stdout.isatty():
                print(line.strip()[:width].ljust(width), end="\r", flush=True)
    if lines and sys.stdout.isatty():
        print(" " * width, end="\r", flush=True)
    return process.returncode, "".join([line for line in lines if line.startswith("ERROR")] or lines[-12:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
