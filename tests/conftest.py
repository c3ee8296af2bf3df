"""Keeps the tests' solutions out of the learner's progress, gives torch one thread, and leaves out slow tests.

A test that takes more than about ten seconds is marked `slow`; it runs with --all and in continuous integration.
"""

import os

import pytest
import torch

os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"
torch.set_num_threads(1)  # two of them wait for each other on a busy machine


@pytest.fixture(params=["cpu", *["cuda"] * torch.cuda.is_available()])
def device(request):
    """A CPU, and a GPU where there is one."""
    return request.param


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="the slow tests, too; always if CI=true")


def pytest_collection_modifyitems(config, items):
    if config.getoption("all") or os.environ.get("CI") == "true":
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
