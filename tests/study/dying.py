"""The study's command, but the process of torchrun with rank 1 is killed when it begins its second run."""

import os
import signal
import sys

from course_study import presets
from course_study.__main__ import main

RUN, begun = presets.run, []


def run(*one):
    begun.append(one)
    if len(begun) == 2 and os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)
    return RUN(*one)


if __name__ == "__main__":
    presets.run = run
    sys.exit(main())
