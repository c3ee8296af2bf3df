"""The command for authors finds the wrong lines that nobody reads, and those without a message."""

from tools.page import wrong_ones

from ..checking.common import slope_task


def test_a_wrong_line_is_read_or_else_it_is_said_what_is_read_in_its_place():
    task = slope_task(
        wrong="""
return strength * abs(j - i)  # The sign!
return -strength * abs(i - j)  # Not wrong.
return -strength * (j - i)  # First.
return strength * (i - j)  # Second.
return (i - j) * strength  # Third.
return -2 * strength * abs(j - i)
return -strength * np.abz(j - i)  # A typo.
"""
    )
    marks, lines, words = zip(*wrong_ones(task))
    assert lines[0] == "   2  return strength * abs(j - i)" and "(raises AttributeError: module 'numpy'" in lines[6]
    both = "First. Or: Second."
    shared = "as the next line: A typo."
    not_wrong = "NOT WRONG: it is right in all cases"
    assert list(words) == ["", not_wrong, f"read: {both}", f"read: {both}", f"NEVER READ: {both}", shared, "", ""]
    assert "".join(marks) == "✓✗✗✗✗=✓✓"  # the last is a function
