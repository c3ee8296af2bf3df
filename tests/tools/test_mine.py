"""What a learner wrote survives a new version of the course."""

import copy
import json
import shutil

from course_kit.contents import KINDS
from tools.cells import content, fingerprint
from tools.mine import lay_out

from .. import ROOT

NAMES = [f"{folder}/0{number}_topic.ipynb" for folder in KINDS for number in range(1, 4)]
EDITED = NAMES[::2]  # five


def notebook(*sources):
    cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": []} for text in sources]
    return {"cells": cells, "metadata": {"built": {"fingerprint": fingerprint({"cells": cells})}}}


def publish(course, version):
    """Write the notebooks of this version of the course."""
    for name in NAMES:
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(json.dumps(notebook(f"version = {version}", "...")))


def load(path):
    return json.loads(path.read_text())


def test_every_edited_cell_is_still_there_and_all_else_is_new(tmp_path):
    """A learner edits five notebooks, adds a cell to each, runs all of them, and takes `mine` to the new version."""
    assert "mine" in {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}  # so `git pull` keeps it
    old, course = tmp_path / "old", tmp_path / "new"
    publish(old, 1)
    lay_out(old)
    for name in NAMES:
        nb = load(old / "mine" / name)
        nb["cells"][0]["outputs"] = ["a run"]
        if name in EDITED:
            nb["cells"][1]["source"] = f"answer to {name}"
            nb["cells"].append(copy.deepcopy(nb["cells"][1]))
        (old / "mine" / name).write_text(json.dumps(nb))
    publish(course, 2)
    shutil.copytree(old / "mine", course / "mine")
    beside = lay_out(course)
    assert beside == [(course / "mine" / name).with_suffix(".new.ipynb") for name in sorted(EDITED)]
    for name in NAMES:
        mine = load(course / "mine" / name)
        if name in EDITED:
            assert [text for _, text, _ in content(mine)] == ["version = 1", *[f"answer to {name}"] * 2]
            assert mine["cells"][0]["outputs"] == ["a run"]
        else:
            assert mine == load(course / name)
    assert all(load(path)["cells"][0]["source"] == "version = 2" for path in beside)
    assert lay_out(course) == [], "a second run has nothing to do"


def test_an_answer_in_a_new_notebook_survives_the_next_version_too(tmp_path):
    first = tmp_path / "mine" / NAMES[0]
    places = [first, first.with_suffix(".new.ipynb"), first.with_suffix(".new-2.ipynb")]
    for version, place in enumerate(places):
        publish(tmp_path, version)
        lay_out(tmp_path)
        nb = load(place)
        nb["cells"][1]["source"] = f"answer {version}"
        place.write_text(json.dumps(nb))
    assert [load(place)["cells"][1]["source"] for place in places] == ["answer 0", "answer 1", "answer 2"]


def test_a_copy_shows_no_result_where_the_lesson_asks_for_a_guess(tmp_path):
    publish(tmp_path, 1)
    original = tmp_path / NAMES[0]
    nb = load(original)
    for cell in nb["cells"]:
        cell["outputs"] = ["a result"]
    nb["cells"][1]["metadata"]["tags"] = ["hide-output"]
    nb["metadata"]["built"]["fingerprint"] = fingerprint(nb)
    original.write_text(json.dumps(nb))
    lay_out(tmp_path)
    assert [cell["outputs"] for cell in load(tmp_path / "mine" / NAMES[0])["cells"]] == [["a result"], []]
    assert load(original) == nb
    assert lay_out(tmp_path) == [], "the copy is not taken for an edited one"


def test_a_copy_that_cannot_be_read_and_one_whose_chapter_is_gone_stay(tmp_path):
    publish(tmp_path, 1)
    lay_out(tmp_path)
    broken, gone = (tmp_path / "mine" / name for name in NAMES[:2])
    broken.write_text("{ not a notebook")
    (tmp_path / NAMES[1]).unlink()
    assert lay_out(tmp_path) == [broken.with_suffix(".new.ipynb")]
    assert broken.read_text() == "{ not a notebook" and gone.exists()
