"""What every result is: the same in each run, with the learner's text escaped; and the verbs beside `check`."""

import re

import pytest

from course_kit.checking.results import Result

from .common import SLOPE, broken_in_a_file, cell, endless, raiser, right, slope_task


@pytest.mark.parametrize("given", [right, broken_in_a_file, lambda n, strength: object(), raiser(ValueError(object()))])
def test_the_same_check_says_the_same_twice_and_tells_no_address(given):
    first, second = repr(slope_task().check(given)), repr(slope_task().check(given))
    assert first == second and "0x" not in first


def test_the_learners_text_is_escaped():
    evil = "<script>alert(1)</script>"

    def prints(n, strength):
        print(evil)
        return right(n, strength)

    raises = cell(f"def slope(n, strength):\n    raise ValueError({evil!r})\n")
    for result in (SLOPE.check(raises), SLOPE.check(prints), Result("raised", evil, (evil,))):
        assert "<script" not in result._repr_html_() and "&lt;script&gt;" in result._repr_html_()


def test_a_name_in_the_learners_code_is_shown_as_it_is_written():
    raises = cell("def slope(n, strength):\n    return -strength * x_i\n")
    assert "name &#x27;x_i&#x27;" in SLOPE.check(raises)._repr_html_().replace("'", "&#x27;")


def test_compare_counts_the_entries_that_differ():
    def off(n, strength):
        return right(n, strength) + (right(n, strength) == -strength)  # one step away

    compared = SLOPE.compare(off)
    assert "4 of 9 entries differ" in repr(compared) and "all entries agree" in repr(SLOPE.compare(right))
    cells = re.findall(r"<td style=\"background[^>]*>([^<]*)", compared._repr_html_())
    assert cells[:3] == ["0.0000", "0.5000 ✗", "−1.0000"] and len(cells) == 9
    assert isinstance(SLOPE.compare(None), Result) and not SLOPE.compare(endless).passed
