"""Keeps the tests' solutions out of the learner's progress, leaves out slow tests, and prints the tests' tables.

With --changed, slow tests run only if the files that they protect have changed since the last green run.
A test hands in a row with record_property("table: NAME", {column: value, …}); this also works across processes.
"""

import os
from collections import defaultdict

from .unchanged import unchanged

os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"


def pytest_addoption(parser):
    parser.addoption("--changed", action="store_true", help="only those slow tests whose files have changed")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("changed"):
        return
    still_green = set(unchanged())
    left_out = [item for item in items if any(mark.args[0] in still_green for mark in item.iter_markers("slow"))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


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
            terminalreporter.line("  ".join(f"{row[name]!s:{width(name, rows)}}" for name in row))


def width(name, rows):
    return max(len(name), *(len(str(row[name])) for row in rows))
