"""Keeps the tests' solutions out of the learner's progress, leaves out slow tests, and prints the tests' tables.

A test that takes more than about ten seconds is marked `slow`; it runs with --all and in continuous integration.
A test hands in a row with record_property("table: NAME", {column: value, …}); this also works across processes.
"""

import os
from collections import defaultdict

import pytest
import torch

os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"


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


def pytest_terminal_summary(terminalreporter):
    tables = defaultdict(list)
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for key, row in report.user_properties:
            if key.startswith("table: ") and report.when == "call":
                tables[key.removeprefix("table: ")].append(row)
    for title, rows in tables.items():
        terminalreporter.section(title)
        rows.sort(key=lambda row: str(next(iter(row.values()))))
        for row in [dict(zip(rows[0], rows[0])), *rows]:
            cells = [f"{row[name]!s:{max(len(str(one[name])) for one in [{name: name}, *rows])}}" for name in row]
            terminalreporter.line("  ".join(cells))
