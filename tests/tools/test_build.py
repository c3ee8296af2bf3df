"""The build: what did not change stays as it is, what is wrong is named with file and line, and nothing is lost."""

import shutil
from pathlib import Path

import nbformat
import pytest

from course_kit.contents import TOPICS
from course_tasks import bias_by_hand
from tools import build

NAME = TOPICS["start_here"].file
LESSON = """\
# %% [markdown]
# # [[title]]

# %%
print("hello")

# %%
x = 1
x + 1
"""


def write_project(folder, monkeypatch):
    """A course with one lesson and no tasks."""
    shutil.copy(build.ROOT / "pyproject.toml", folder)
    (folder / "course_lib").mkdir()  # what the set-up cell looks for
    (folder / "source").mkdir()
    (folder / "source" / f"{NAME}.py").write_text(LESSON, encoding="utf-8")
    monkeypatch.setattr(build, "ROOT", folder)
    return folder


@pytest.fixture
def project(tmp_path, monkeypatch):
    return write_project(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        project = write_project(tmp_path_factory.mktemp("project"), monkeypatch)
        assert build.main([]) == 0
    return project


@pytest.fixture
def built(project, first_build):
    """The same course after its first build."""
    shutil.copytree(first_build / "notebooks", project / "notebooks")
    return project


def notebook(project) -> Path:
    return project / "notebooks" / f"{NAME}.ipynb"


def change(project, old, new):
    source = project / "source" / f"{NAME}.py"
    source.write_text(source.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_a_second_build_changes_no_byte(project, capsys):
    assert build.main([]) == 0
    first = notebook(project).read_bytes()
    assert build.main(["start_here"]) == 0
    assert notebook(project).read_bytes() == first
    said = capsys.readouterr().out.splitlines()
    assert said == [f"notebooks/{NAME}.ipynb: {done}" for done in ("written", "unchanged")]
    nb = nbformat.read(notebook(project), as_version=4)
    assert [cell.execution_count for cell in nb.cells[1:]] == [1, 2, 3]
    assert "widgets" not in nb.metadata and build.main(["--check"]) == 0


def test_a_change_of_the_source_is_noticed_and_built(built, capsys):
    change(built, "x + 1", "x + 2")
    assert build.main(["--check"]) == 1
    said = f"notebooks/{NAME}.ipynb differs from source/{NAME}.py at cell 4: older than its source"
    assert said in capsys.readouterr().out
    assert build.main([]) == 0 and build.main(["--check"]) == 0


CELL = f"(cell 4 of notebooks/{NAME}.ipynb)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x + 1", "x + y", f", line 9 {CELL}: NameError: name 'y' is not defined\n    x + y"),
        ("x + 1", "x + (1", ", line 9: '(' was never closed\n    x + (1"),
        ("x = 1", "import os; os._exit(3)", f", line 8 {CELL}: Kernel died"),
        (LESSON, "nothing here", ": expected cells that begin with '# %%'"),
        (
            "# # [[title]]",
            "# # [[title]]\n#\n# See [[tasks]].",
            ", line 4: [[tasks]]: expected one of title, time, next, ",
        ),
        ("# # [[title]]", "# # [[title|chapter #]]", ", line 2: [[title|chapter #]]: expected one of title, "),
    ],
)
def test_a_wrong_source_is_named_and_the_old_notebook_kept(built, capsys, old, new, message):
    before = notebook(built).read_bytes()
    change(built, old, new)
    assert build.main([]) == 1
    assert capsys.readouterr().err.startswith(f"build stopped: source/{NAME}.py{message}")
    assert notebook(built).read_bytes() == before


def test_a_notebook_edited_by_hand_is_never_overwritten(built, capsys):
    edited = notebook(built).read_text(encoding="utf-8").replace("hello", "my own words")
    notebook(built).write_text(edited, encoding="utf-8")
    change(built, "x + 1", "x + 2")
    assert build.main([]) == 1
    assert f"notebooks/{NAME}.ipynb was edited by hand and is left as it is" in capsys.readouterr().err
    assert notebook(built).read_text(encoding="utf-8") == edited
    assert build.main(["--check"]) == 1
    assert "edited by hand" in capsys.readouterr().out


def test_check_finds_what_is_not_run_or_left_over(built, capsys):
    nb = nbformat.read(notebook(built), as_version=4)
    nb.cells[2].execution_count = None
    nbformat.write(nb, notebook(built))
    shutil.copy(notebook(built), built / "notebooks" / "96_old.ipynb")
    assert build.main(["--check"]) == 1
    out = capsys.readouterr().out
    assert f"notebooks/{NAME}.ipynb was not executed from top to bottom" in out
    assert "notebooks/96_old.ipynb has no source" in out


@pytest.mark.parametrize("solved", [False, True])
def test_cells_after_a_check_stand_in_both_notebooks_with_their_tags(solved, monkeypatch):
    def cells():
        return [cell for cell in build.task_notebook(TOPICS["bias_by_hand"], solved=solved).nb.cells]

    before = cells()
    after = '# %% [markdown]\n# ### Further\n\n# %% tags=["nbval-ignore-output"]\nassert True'
    monkeypatch.setattr(bias_by_hand.bias_matrix, "after", after)
    k = next(k for k, cell in enumerate(before) if cell.source == "task.bias_matrix.check(bias_matrix)") + 1
    built = cells()
    assert [cell.source for cell in built] == [
        *(cell.source for cell in before[:k]), "### Further", "assert True", *(cell.source for cell in before[k:])
    ]  # fmt: skip
    assert built[k].cell_type == "markdown" and built[k + 1].metadata == {"tags": ["nbval-ignore-output"]}
    assert len({cell.id for cell in built}) == len(built)


def test_the_notebooks_of_the_course_are_up_to_date(capsys):
    assert build.main(["--check"]) == 0, capsys.readouterr().out
