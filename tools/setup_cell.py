# @title Set-up: run this first
# Finds the course: in a folder above this notebook, or else (on Colab) on GitHub. Safe to run twice.
import importlib.metadata
import pathlib
import subprocess
import sys

here = pathlib.Path.cwd()
home = next((str(folder) for folder in (here, *here.parents) if (folder / "course_lib").is_dir()), None)
installed = [package.version for package in importlib.metadata.distributions(name="course_lib")]
if home:
    if home not in sys.path:
        sys.path.insert(0, home)
elif "{VERSION}" not in installed:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "git+{REPOSITORY}@v{VERSION}"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[-8:])
        advice = "Run this cell again when you are online, or get the whole course from {REPOSITORY}"
        raise ImportError(f"the course's library could not be installed. pip said:\n\n{said}\n\n{advice}")
