"""What takes long to make is made once in a run of pytest, by whichever of its workers is the first to need it."""

import os
from contextlib import contextmanager

from filelock import FileLock  # comes with torch


@contextmanager
def shared_folder(tmp_path_factory, name):
    """The path of a folder that all workers share; within this context no other worker looks at it."""
    common = tmp_path_factory.getbasetemp()
    common = common.parent if "PYTEST_XDIST_WORKER" in os.environ else common
    with FileLock(common / f"{name}.lock"):
        yield common / name
