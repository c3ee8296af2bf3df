"""A new version of a notebook keeps the learner's cells, and brings those of the course beside them."""

import copy

import nbformat
import pytest

from course_lib.contents import TOPICS
from tools.build import chapter_notebooks
from tools.merge import NOTE, merge, read

from .. import ROOT
from .learner import (
    ANSWER,
    CHECK,
    NEW_STUB,
    NEW_WORDS,
    OLD,
    SCRATCH,
    SETUP,
    STUB,
    TASK_2,
    TITLE,
    WORDS,
    built,
    contents,
    edit,
)


def merged(mine, new):
    found = merge(mine, new, ["double"])
    ids = [cell["id"] for cell in found.nb["cells"]]
    assert len(set(ids)) == len(ids)
    nbformat.validate(nbformat.from_dict(found.nb))
    return found


RELEASE = [("markdown", "# Tasks, in Colab"), ("code", "version = '2'")]


@pytest.mark.parametrize(
    ("changes", "new", "expected", "own", "added"),
    [
        # The usual update: an answer, and a new version number in the first cells.
        ([(STUB, ANSWER)], [*RELEASE, WORDS, STUB, CHECK], [*RELEASE, WORDS, ANSWER, CHECK], 1, 2),
        ([(STUB, ANSWER)], [*RELEASE, NEW_WORDS, STUB, CHECK], [*RELEASE, NEW_WORDS, ANSWER, CHECK], 1, 3),
        # Both changed the same cell: the answer comes after the new stub, so it is what the check sees.
        ([(STUB, ANSWER)], [TITLE, SETUP, WORDS, NEW_STUB, CHECK],
         [TITLE, SETUP, WORDS, NEW_STUB, ("markdown", NOTE), ANSWER, CHECK], 1, 1),
        # A task more, above and below a cell of the learner's own.
        ([(CHECK, [SCRATCH]), (STUB, ANSWER)], [*OLD, *TASK_2],
         [TITLE, SETUP, WORDS, ANSWER, SCRATCH, CHECK, *TASK_2], 2, 3),
        ([(STUB, ANSWER), (WORDS, [SCRATCH])], [TITLE, SETUP, *TASK_2, WORDS, STUB, CHECK],
         [TITLE, SETUP, *TASK_2, ("markdown", NOTE), SCRATCH, WORDS, ANSWER, CHECK], 2, 3),
        # A task that is gone takes no answer along.
        ([(STUB, ANSWER)], [TITLE, SETUP, *TASK_2], [TITLE, SETUP, *TASK_2, ("markdown", NOTE), ANSWER], 1, 3),
        # Words of the learner's in a cell of the course, and a cell above all others.
        ([(WORDS, ("markdown", "My words")), (TITLE, [SCRATCH])], [TITLE, SETUP, WORDS, NEW_STUB, CHECK],
         [SCRATCH, TITLE, SETUP, ("markdown", "My words"), NEW_STUB, CHECK], 2, 1),
    ],
)  # fmt: skip
def test_the_learners_cells_stay_and_the_new_ones_come(changes, new, expected, own, added):
    found = merged(edit(built(OLD), *changes), built(new))
    assert contents(found.nb) == expected and (found.own, found.new) == (own, added)
    assert found.nb["metadata"]["built"] == built(new)["metadata"]["built"]


def test_a_second_new_version_leaves_out_the_note_of_the_first():
    conflict = [TITLE, SETUP, WORDS, NEW_STUB, CHECK]
    once = merged(edit(built(OLD), (STUB, ANSWER)), built(conflict)).nb
    twice = merged(once, built([*conflict, *TASK_2]))
    assert contents(twice.nb) == [TITLE, SETUP, WORDS, NEW_STUB, ANSWER, CHECK, *TASK_2] and twice.own == 1


def test_outputs_of_cells_that_stay_are_kept():
    mine = edit(built(OLD), (STUB, ANSWER))
    passed = {"output_type": "stream", "name": "stdout", "text": ["passed\n"]}
    mine["cells"][-1] |= {"outputs": [passed], "execution_count": 7}
    kept = merged(mine, built([*OLD, *TASK_2])).nb["cells"][4]
    assert kept["outputs"] == [passed] and kept["execution_count"] == 7


def test_a_notebook_that_lost_its_ids_has_each_cell_once():
    mine = edit(built(OLD), (STUB, ANSWER))
    for cell in mine["cells"]:
        del cell["id"]
    found = contents(merged(mine, built([*OLD, *TASK_2])).nb)
    assert found.count(ANSWER) == 1 and found.count(CHECK) == 1 and found.count(WORDS) == 1
    assert found.index(STUB) < found.index(ANSWER) < found.index(CHECK)


def test_a_cell_pasted_twice_is_kept_twice():
    mine = edit(built(OLD), (STUB, ANSWER))
    mine["cells"].insert(4, copy.deepcopy(mine["cells"][3]))
    assert contents(merged(mine, built([*OLD, *TASK_2])).nb).count(ANSWER) == 2


@pytest.mark.parametrize("chapter", ["bias_by_hand", "alibi"])
def test_the_exercises_of_a_chapter_keep_every_answer(chapter):
    """Each stub answered, then a version in which all headings and every other stub have changed."""
    source = ROOT / "source" / f"{TOPICS[chapter].file}.py"
    notebooks = {path.parent.name: built.nb for path, built in chapter_notebooks(source).items()}
    new, solved = contents(notebooks["exercises"]), contents(notebooks["solutions"])
    stubs = [k for k, cell in enumerate(new) if cell != solved[k] and cell[0] == "code"]
    mine = edit(notebooks["exercises"], *((new[k], solved[k]) for k in stubs))
    for k, (kind, words) in enumerate(new):
        new[k] = (kind, words + "\n\nMore." if kind == "markdown" else words)
    for k in stubs[::2]:
        new[k] = ("code", new[k][1] + "  # or so")
    found = merge(mine, built(new, chapter), [chapter])
    assert found.own == len(stubs) > 3
    after = contents(found.nb)
    for k in stubs:
        answer = after.index(solved[k])
        assert after[answer + 1] == solved[k + 1]  # its check, before which no other cell defines it
        assert after.index(new[k - 1]) < answer and new[k] not in after[answer:]


CELL = '{"cells": [{"cell_type": "raw", "metadata": {}, "source": SOURCE}], "metadata": {}}'
BROKEN = {
    "no JSON": "<<<<<<< HEAD",
    "no text": "\udc00",
    "endless": "[" * 100_000,
    "a list": "[]",
    "no cells": "{}",
    "a number of cells": '{"cells": 1, "metadata": {}}',
    "an empty cell": '{"cells": [{}], "metadata": {}}',
    "a number as text": CELL.replace("SOURCE", "[1]"),
    "half a letter": CELL.replace("SOURCE", r'"\ud800"'),
    "a list as metadata": '{"cells": [], "metadata": []}',
    "a list where the fingerprint is": '{"cells": [], "metadata": {"built": []}}',
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_what_is_no_notebook_is_not_read_as_one(broken):
    assert read(broken.encode("utf-8", "surrogatepass")) is None
