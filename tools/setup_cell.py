# @title Set-up: run this first
# Finds the course: in a folder above or just below this notebook, or else where it is published. Safe to run twice.
import importlib.metadata
import pathlib
import subprocess
import sys

version, published = "{VERSION}", "{REPOSITORY}"
here = pathlib.Path.cwd()
places = (here, *here.parents, *here.glob("*/"))
home = next((str(folder) for folder in places if (folder / "course_lib").is_dir()), None)
installed = [package.version for package in importlib.metadata.distributions(name="course_lib")]
if home:
    if home not in sys.path:
        sys.path.insert(0, home)
elif version not in installed and not published:
    raise ImportError(
        "this notebook does not lie in the course's folder, and this edition is not published, so the course cannot be "
        "installed either. Move the notebook back. On Colab: upload a zip file of the whole course, unpack it with "
        "!unzip -q NAME.zip in a new cell, then run this cell again."
    )
elif version not in installed:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"git+{published}@v{version}"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[-8:])
        advice = f"Run this cell again when you are online, or get the whole course from {published}"
        raise ImportError(f"the course's library could not be installed. pip said:\n\n{said}\n\n{advice}")
