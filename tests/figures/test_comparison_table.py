"""The comparison as a picture: every cell of the table, its numbers of evidence, and the lists below say everything."""

import html
import re

import pytest

from course_lib import figures
from course_lib.display.formatting import prose
from course_lib.figures.comparison_table import number_evidence, short
from course_tasks import comparison

from .test_figures import static

TABLE = comparison.table()
BODY = static(figures.comparison_table(comparison.table()))


def words(piece):
    return html.unescape(re.sub(r"<sup.*?</sup>|<[^>]+>", " ", piece.replace("<br>", "; "))).split()


def test_every_cell_stands_in_the_body():
    cells = re.findall(r"<td[^>]*>(.*?)</td>", BODY)
    assert len(cells) == len(TABLE) == len(comparison.SCHEMES) * len(comparison.COLUMNS)
    for cell, ((scheme, column), found) in zip(cells, TABLE.items(), strict=True):
        shown = " ".join(words(cell))
        if column == "where it enters":
            shown = re.sub(r"(^|; )\d ", r"\1", shown.replace(" ; ", "; "))
        assert shown.replace(" ; ", "; ") == found.text, (scheme, column)


def test_the_numbers_of_a_cell_lead_to_its_evidence():
    items = re.findall(r"<li>([^<]*)</li>", BODY[BODY.index("rp-backing") :])
    numbers = number_evidence(cell.evidence for cell in TABLE.values())
    assert [html.unescape(item) for item in items] == list(numbers)
    for marks, cell in zip(re.findall(r"<sup[^>]*>([\d ]+)</sup>", BODY), TABLE.values(), strict=True):
        assert {items[int(mark) - 1] for mark in marks.split()} == {short(piece) for piece in cell.evidence}
    assert "tests/schemes/test_nn.py::test_equals_the_definition" in items
    assert "course_lib/study/committed/long-2000.jsonl: characters, rope" in items


def test_the_lists_say_how_every_cell_was_found():
    for (scheme, _), cell in TABLE.items():
        assert f"<li><b>{scheme}:</b> {prose(cell.note)}</li>" in BODY
    for column in comparison.COLUMNS.values():
        assert prose(column.how) in BODY
    assert "Breaks: all of it lies above 0.25" in BODY


def test_the_sizes_are_said():
    small = static(figures.comparison_table(comparison.table(d_model=16, n_heads=2, n=32), title="Small <one>"))
    assert "D = 16, H = 2, d = 8, n = 32" in small and "4·H·n² = 8,192 bytes" in small
    assert "<b>Small &lt;one&gt;</b>" in small and "512 = n·D" in small
    with pytest.raises(ValueError, match="n=3: expected a whole number from 16 to 4096"):
        comparison.table(n=3)


def test_the_alt_text_names_every_scheme():
    alt = figures.comparison_table(comparison.table()).alt
    assert all(f"{scheme}: " in alt for scheme in comparison.SCHEMES)
    assert "RoPE: rotation of query and key; rope breaks" in alt
