"""The released model from its file, once for all tests; without the file they are skipped, but in CI they fail."""

import os

import pytest

from course_lib.released import load, model_file


@pytest.fixture(scope="session")
def file():
    if (found := model_file()) is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("the model's file is not on this machine")
    return found


@pytest.fixture(scope="session")
def model(file):
    return load(file)
