"""The study's command, but one process of torchrun is killed when it begins its second run."""

import importlib
import os
import signal
import sys

from course_lib.study.__main__ import main

SWEEP = importlib.import_module("course_lib.study.sweep")
RUN = SWEEP.run
begun = []


def run(*one):
    begun.append(one)
    if len(begun) == 2 and os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)
    return RUN(*one)


if __name__ == "__main__":
    SWEEP.run = run
    sys.exit(main())
