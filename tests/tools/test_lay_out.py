"""A new version of the course comes into a learner's folder, and every word of the learner stays."""

import shutil

import pytest

from tools import lay_out as laying
from tools.lay_out import ASIDE, SHIPPED, lay_out

from .learner import (
    ANSWER,
    KEPT,
    NAME,
    OLD,
    SAID,
    SCRATCH,
    TASK_2,
    assert_updated,
    built,
    contents,
    everything,
    load,
    save,
)


def test_an_update_keeps_what_the_learner_wrote_and_the_second_does_nothing(versions, learner):
    *said, count = lay_out(versions[1], learner)
    changed = {NAME, "exercises/08_new.ipynb", "course_lib/a.py", "course_lib/more/c.py", "course_lib/stale.py"}
    changed |= {"docs/renamed.json"}
    assert said == SAID and count == f"{len(changed)} files brought up to date."
    assert_updated(learner)
    after = everything(learner)
    assert lay_out(versions[1], learner) == [] and everything(learner) == after


def test_a_notebook_that_was_only_run_is_replaced(versions, learner):
    save(learner, **{NAME: built(OLD)})
    ran = load(learner / NAME)
    ran["cells"][1] |= {"execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1"]}]}
    save(learner, **{NAME: ran})
    assert not any(line.startswith(NAME) for line in lay_out(versions[1], learner))
    assert (learner / NAME).read_bytes() == (versions[1] / NAME).read_bytes()


def test_what_had_to_make_room_is_kept_aside(versions, learner):
    """A notebook that is no JSON any more, a file that both changed, and a folder where a file belongs."""
    save(learner, **{NAME: "<<<<<<< HEAD\n{", "course_lib/a.py": "a = 7\n", "course_lib/more/c.py/x": "x"})
    said = lay_out(versions[1], learner)
    assert f"{NAME} could not be read as a notebook, so you have a new one." in said
    kept = [NAME, "course_lib/a.py", "course_lib/more/c.py/x"]
    assert f"Replaced by the new version, and kept in {ASIDE}: {', '.join(sorted(kept))}." in said
    texts = [(learner / ASIDE / name).read_text(encoding="utf-8") for name in kept]
    assert texts == ["<<<<<<< HEAD\n{", "a = 7\n", "x"]
    assert load(learner / NAME) == built([*OLD, *TASK_2])
    assert (learner / "course_lib/a.py").read_text(encoding="utf-8") == "a = 2\n"
    (learner / NAME).write_text("[1, 2]", encoding="utf-8")
    save(versions[1], **{NAME: built([*OLD, *TASK_2, ("markdown", "More.")])})
    lay_out(versions[1], learner)
    assert (learner / ASIDE / f"{NAME}.2").read_text(encoding="utf-8") == "[1, 2]"


def test_a_deleted_file_of_the_course_comes_back(versions, learner):
    (learner / NAME).unlink()
    assert lay_out(versions[0], learner)[-1] == "1 file brought up to date."
    assert load(learner / NAME) == built(OLD)


@pytest.mark.parametrize("damage", ["", "[1]", "{"])
def test_a_folder_that_does_not_know_what_came_loses_nothing(versions, learner, damage):
    """An unpacked ZIP file, in which nobody can tell whether the learner or the course changed a file."""
    (learner / SHIPPED).write_text(damage, encoding="utf-8")
    *said, _ = lay_out(versions[1], learner)
    assert said == [*SAID[:3], f"Replaced by the new version, and kept in {ASIDE}: course_lib/a.py, course_lib/b.py."]
    assert contents(load(learner / NAME)) == KEPT and lay_out(versions[1], learner) == []
    assert (learner / ASIDE / "course_lib/b.py").read_text(encoding="utf-8") == "b = 3\n"


def test_a_run_that_is_cut_off_anywhere_is_finished_by_the_next(versions, learner, tmp_path, monkeypatch):
    """Each time one step further, until it runs through: what was written is there after each, and in the end."""
    written, steps = laying.put, 0

    def cut_off(data, path):
        nonlocal steps
        steps -= 1
        if steps < 0:
            written(data[: len(data) // 2], path.with_name(f"{path.name}.draft"))
            raise KeyboardInterrupt
        written(data, path)

    monkeypatch.setattr(laying, "put", cut_off)
    for count in range(100):
        copied = tmp_path / f"copy {count}"
        shutil.copytree(learner, copied)
        steps = count
        try:
            lay_out(versions[1], copied)
            break
        except KeyboardInterrupt:
            for name in (NAME, next(path for path in ("exercises/07_old.ipynb", "exercises/08_new.ipynb")
                                    if (copied / path).exists())):  # fmt: skip
                assert {ANSWER, SCRATCH} <= set(contents(load(copied / name)))
            steps = 100
            lay_out(versions[1], copied)
            assert_updated(copied)
    assert 5 < count < 20


@pytest.mark.parametrize("where", ["the same", "above", "below", "missing"])
def test_two_folders_that_are_not_apart_are_refused(versions, where):
    new = versions[1]
    new, old = {"the same": (new, new), "above": (new.parent, new), "below": (new, new.parent),
                "missing": (new / "no", new.parent / "learner")}[where]  # fmt: skip
    before = everything(versions[1])
    with pytest.raises(ValueError, match=r"new='.*': expected a folder apart from '"):
        lay_out(new, old)
    assert everything(versions[1]) == before
