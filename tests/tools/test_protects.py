"""Every slow test names a group of tests/protects.py, every group has tests, and its patterns cover their files."""

from collections import defaultdict

import pytest

from course_lib.contents import TOPICS

from ..imports import ROOT, needed
from ..protects import PROTECTS, SCHEMES


def test_the_contributors_guide_lists_every_group_once():
    guide = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    table = guide.split("## Slow tests\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = " ".join(rows).replace("`", "").split()
    families = {"browser.TOPIC": TOPICS, "backends.SCHEME": SCHEMES}
    expected = {f"{family.partition('.')[0]}.{one}": family for family, all_of in families.items() for one in all_of}
    assert sorted(listed) == sorted({expected.get(group, group) for group in PROTECTS})


class Collector:
    """A plugin that writes down the files of each group of slow tests, before any is left out."""

    def __init__(self):
        self.files = defaultdict(set)

    def pytest_itemcollected(self, item):
        for mark in item.iter_markers("slow"):
            self.files[mark.args].add(item.path)


def test_each_slow_test_names_a_group_and_the_patterns_of_each_group_cover_its_tests():
    slow = [path for path in ROOT.glob("tests/**/test_*.py") if "mark.slow" in path.read_text(encoding="utf-8")]
    collector = Collector()
    assert pytest.main(["--collect-only", "-q", *map(str, slow)], plugins=[collector]) == 0
    for topic, path in ((path.stem[3:], path) for path in ROOT.glob("source/[0-9]*.py")):
        if f"notebooks.{topic}" in PROTECTS:
            collector.files[f"notebooks.{topic}",] = {path}
    assert set(collector.files) == {(group,) for group in PROTECTS}
    for group, patterns in PROTECTS.items():
        found = {pattern: set(ROOT.glob(pattern)) for pattern in patterns}
        assert all(found.values()), (group, [pattern for pattern, paths in found.items() if not paths])
        needs = needed(*collector.files[group,])
        if not group.startswith("notebooks."):  # those of a notebook are few, and the patterns must have them all
            needs = {path for path in needs if path.is_relative_to(ROOT / "tests")}
        assert needs - set(ROOT.glob("source/*")) <= set().union(*found.values()), group
