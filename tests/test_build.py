"""The build: what did not change stays as it is, what is wrong is named with file and line, and nothing is lost."""

import shutil
from pathlib import Path

import nbformat
import pytest

from course_lib.tasks import ch02
from tools import build

LESSON = """\
# %% [markdown]
# # 97 · A small lesson

# %%
print("hello")

# %%
x = 1
x + 1
"""


def write_project(folder, monkeypatch):
    """A course with one lesson and no tasks."""
    for name in ("tools/setup_cell.py", "pyproject.toml"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(build.ROOT / name, folder / name)
    (folder / "course_lib").mkdir()  # what the set-up cell looks for
    (folder / "source").mkdir()
    (folder / "source" / "97_small.py").write_text(LESSON, encoding="utf-8")
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
    return project / "notebooks" / "97_small.ipynb"


def change(project, old, new):
    source = project / "source" / "97_small.py"
    source.write_text(source.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_a_second_build_changes_no_byte(project, capsys):
    assert build.main([]) == 0
    first = notebook(project).read_bytes()
    assert build.main(["97"]) == 0
    assert notebook(project).read_bytes() == first
    assert capsys.readouterr().out.splitlines() == [
        f"notebooks/97_small.ipynb: {done}" for done in ("written", "unchanged")
    ]
    nb = nbformat.read(notebook(project), as_version=4)
    assert [cell.execution_count for cell in nb.cells[1:]] == [1, 2, 3]
    assert "widgets" not in nb.metadata and build.main(["--check"]) == 0


def test_a_change_of_the_source_is_noticed_and_built(built, capsys):
    change(built, "x + 1", "x + 2")
    assert build.main(["--check"]) == 1
    assert (
        "notebooks/97_small.ipynb differs from source/97_small.py at cell 4: older than its source"
        in capsys.readouterr().out
    )
    assert build.main([]) == 0 and build.main(["--check"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "x + 1",
            "x + y",
            "source/97_small.py, line 9 (cell 4 of notebooks/97_small.ipynb): NameError: name 'y' is not defined"
            "\n    x + y",
        ),
        ("x + 1", "x + (1", "source/97_small.py, line 9: '(' was never closed\n    x + (1"),
        (
            "x = 1",
            "import os; os._exit(3)",
            "source/97_small.py, line 8 (cell 4 of notebooks/97_small.ipynb): Kernel died",
        ),
        (
            LESSON,
            "nothing here",
            "source/97_small.py: expected cells that begin with '# %%', a markdown cell with the title first",
        ),
    ],
)
def test_a_wrong_source_is_named_and_the_old_notebook_kept(built, capsys, old, new, message):
    before = notebook(built).read_bytes()
    change(built, old, new)
    assert build.main([]) == 1
    assert capsys.readouterr().err.startswith(f"build stopped: {message}")
    assert notebook(built).read_bytes() == before


def test_a_source_that_is_no_text_is_refused(project, capsys):
    (project / "source" / "97_small.py").write_bytes(b"# %% [markdown]\n# \xff\n")
    assert build.main([]) == 1
    assert "source/97_small.py: not UTF-8 text" in capsys.readouterr().err
    assert not notebook(project).exists()


def test_a_notebook_edited_by_hand_is_never_overwritten(built, capsys):
    edited = notebook(built).read_text(encoding="utf-8").replace("hello", "my own words")
    notebook(built).write_text(edited, encoding="utf-8")
    change(built, "x + 1", "x + 2")
    assert build.main([]) == 1
    assert "notebooks/97_small.ipynb was edited by hand and is left as it is" in capsys.readouterr().err
    assert notebook(built).read_text(encoding="utf-8") == edited
    assert build.main(["--check"]) == 1
    assert "edited by hand" in capsys.readouterr().out


def test_a_file_that_is_no_notebook_is_never_overwritten(project, capsys):
    notebook(project).parent.mkdir()
    notebook(project).write_text("{ half a", encoding="utf-8")
    assert build.main([]) == 1
    assert "notebooks/97_small.ipynb is not a notebook" in capsys.readouterr().err
    assert notebook(project).read_text(encoding="utf-8") == "{ half a"


def test_a_folder_that_cannot_be_made_is_named(project, capsys):
    (project / "notebooks").write_text("a file in the way", encoding="utf-8")
    assert build.main([]) == 1
    assert capsys.readouterr().err.startswith("build stopped: notebooks cannot be made: ")


def test_a_file_that_cannot_be_written_is_named_and_the_old_one_kept(built, capsys, monkeypatch):
    before = notebook(built).read_bytes()
    change(built, "x + 1", "x + 2")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refuse)
    assert build.main([]) == 1
    assert (
        "notebooks/97_small.ipynb cannot be written: Permission denied. Nothing was changed." in capsys.readouterr().err
    )
    assert notebook(built).read_bytes() == before


def test_check_finds_what_is_missing(project, capsys):
    assert build.main(["--check"]) == 1
    assert "notebooks/97_small.ipynb is missing" in capsys.readouterr().out


def test_check_finds_what_is_not_run_or_left_over(built, capsys):
    nb = nbformat.read(notebook(built), as_version=4)
    nb.cells[2].execution_count = None
    nbformat.write(nb, notebook(built))
    shutil.copy(notebook(built), built / "notebooks" / "96_old.ipynb")
    assert build.main(["--check"]) == 1
    out = capsys.readouterr().out
    assert "notebooks/97_small.ipynb was not executed from top to bottom" in out
    assert "notebooks/96_old.ipynb has no source" in out


def test_an_unknown_chapter_is_refused(project):
    with pytest.raises(SystemExit):
        build.main(["42"])


@pytest.mark.parametrize("solved", [False, True])
def test_cells_after_a_check_stand_in_both_notebooks_with_their_tags(solved, monkeypatch):
    def cells():
        return [cell for cell in build.task_notebook("02_a_bias_by_hand", solved=solved).nb.cells]

    before = cells()
    after = '# %% [markdown]\n# ### Further\n\n# %% tags=["nbval-ignore-output"]\nassert True'
    monkeypatch.setattr(ch02.bias_matrix, "after", after)
    k = next(k for k, cell in enumerate(before) if cell.source == "task.bias_matrix.check(bias_matrix)") + 1
    built = cells()
    assert [cell.source for cell in built] == [
        *(cell.source for cell in before[:k]), "### Further", "assert True", *(cell.source for cell in before[k:])
    ]  # fmt: skip
    assert built[k].cell_type == "markdown" and built[k + 1].metadata == {"tags": ["nbval-ignore-output"]}
    assert len({cell.id for cell in built}) == len(built)


def test_the_notebooks_of_the_course_are_up_to_date(capsys):
    assert build.main(["--check"]) == 0, capsys.readouterr().out
