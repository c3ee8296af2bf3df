"""The committed check-up of the released model is what the check-up finds."""

import pytest

from course_lib.checkup import Report
from course_lib.checkup.run import USE
from course_study.released.checkup import examined, report
from tests.released.conftest import file, model  # noqa: F401  # fixtures


def numbers(report: Report) -> dict[str, float | None]:
    return {check.name: check.number for check in report.checks if check.group == USE}


def test_it_has_the_use_of_far_text_and_its_gap_curve():
    found = report()
    costs = [check.number for _, check in found.gaps]
    assert costs and costs == [number for name, number in numbers(found).items() if name.startswith("gap of")]


@pytest.mark.slow
def test_it_comes_out_again(model):  # noqa: F811
    again, before = examined(model), report()
    assert [(check.name, check.verdict) for check in again.checks] == [(c.name, c.verdict) for c in before.checks]
    assert numbers(again) == pytest.approx(numbers(before), abs=0.01)
