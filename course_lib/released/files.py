"""Where the file of the released model lies on this machine."""

import os
from pathlib import Path

NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FOLDERS = (Path(__file__).parents[2] / "model", Path.home() / ".cache" / "relative-position-course")


def model_file() -> Path | None:
    """The model's file: the one that the environment variable COURSE_MODEL names, or else the first one in FOLDERS.

    None if there is none. Raises ValueError if COURSE_MODEL names a file that does not exist.
    """
    if named := os.environ.get("COURSE_MODEL"):
        if not Path(named).is_file():
            raise ValueError(f"COURSE_MODEL={named!r}: no such file, expected the path of {NAME}")
        return Path(named)
    return next((folder / NAME for folder in FOLDERS if (folder / NAME).is_file()), None)
