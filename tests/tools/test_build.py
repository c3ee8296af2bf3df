"""The build: what did not change stays as it is, what is wrong is named with file and line, and nothing is lost."""

import shutil
from pathlib import Path

import nbformat
import pytest

import course_chapters
from course_chapters import tasks_of, topics
from course_kit.contents import TOPICS
from course_lib import __version__
from tools import build
from tools.links import next_chapter
from tools.outputs import changed, hashes

TOPIC = "start_here"
NAME = TOPICS[TOPIC].file
LESSON = """\
# %% [markdown]
# # [[title]]

# %%
from course_lib.words import HELLO
print(HELLO)

# %%
x = 1
x + 1
"""


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    """A course with one lesson and no tasks, built once."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(build.ROOT / "pyproject.toml", folder)
    (folder / "course_lib").mkdir()  # what the set-up cell looks for
    (folder / "course_lib" / "__init__.py").touch()
    (folder / "course_lib" / "words.py").write_text('HELLO = "hello"\n', encoding="utf-8")
    (folder / TOPIC).mkdir()
    (folder / TOPIC / "lesson.py").write_text(LESSON, encoding="utf-8")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(build, "ROOT", folder)
        monkeypatch.setattr(course_chapters, "FOLDER", folder)
        assert build.main([]) == 0
    return folder


@pytest.fixture
def built(first_build, tmp_path, monkeypatch):
    """The same course in a folder of the test's own."""
    shutil.copytree(first_build, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(course_chapters, "FOLDER", tmp_path)
    return tmp_path


def notebook(project) -> Path:
    return project / "notebooks" / f"{NAME}.ipynb"


def change(project, old, new):
    source = project / TOPIC / "lesson.py"
    source.write_text(source.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_a_second_build_changes_no_byte(built, capsys):
    first = notebook(built).read_bytes()
    assert build.main(["start_here"]) == 0
    assert notebook(built).read_bytes() == first
    assert capsys.readouterr().out == f"notebooks/{NAME}.ipynb: unchanged\n"
    nb = nbformat.read(notebook(built), as_version=4)
    assert [cell.execution_count for cell in nb.cells[1:]] == [1, 2, 3] and "widgets" not in nb.metadata


def printed(project) -> str:
    return nbformat.read(notebook(project), as_version=4).cells[2].outputs[0].text


def test_a_changed_sentence_runs_nothing(built, capsys, monkeypatch):
    change(built, "[[title]]", "[[title]], in other words")
    monkeypatch.delattr(build, "execute")
    assert build.main([]) == build.main(["--check"]) == 0
    assert capsys.readouterr().out.startswith(f"notebooks/{NAME}.ipynb: written\n")
    assert "in other words" in notebook(built).read_text(encoding="utf-8") and printed(built) == "hello\n"


def test_a_changed_file_that_the_kernel_read_is_named_and_the_notebook_runs_again(built, capsys):
    words, before = built / "course_lib" / "words.py", notebook(built).read_text(encoding="utf-8")
    for text, shown in (('HELLO = "hello"  # kindly\n', "hello\n"), ('HELLO = "good day"\n', "good day\n")):
        words.write_text(text, encoding="utf-8")
        assert build.main(["--check"]) == 1
        said = f"notebooks/{NAME}.ipynb was executed before this changed: course_lib/words.py\n"
        assert capsys.readouterr().out == said
        assert build.main([]) == build.main(["--check"]) == 0
        assert capsys.readouterr().out.startswith(f"notebooks/{NAME}.ipynb: executed\n")
        assert printed(built) == shown
    words.write_text('HELLO = "hello"\n', encoding="utf-8")
    assert build.main([]) == 0 and notebook(built).read_text(encoding="utf-8") == before


PAGE = '''\
"""Double · 5 minutes · ★

Return twice x.
"""

def double(x):
    return 2 * x  # Twice.

CASES = [Case(1), Case(2)]
WRONG = """
return x  # You return x.
"""

def wrong_loop(x):
    """You add x too often."""

HINTS = ["Multiply."]
ON_PASS = "Well done."
'''


@pytest.mark.parametrize("text", ["5 minutes", "twice x", "# Twice", "return 2", "Case(2)", "Well done"])
def test_a_notebook_runs_again_if_a_right_answer_shows_what_changed_on_the_page_of_its_task(tmp_path, text):
    for folder in ("notebooks", "solutions"):
        assert runs_again(tmp_path, folder, text)


@pytest.mark.parametrize("text", ["return x  #", "You return x", "too often", "Multiply"])
def test_solutions_do_not_run_again_for_what_a_page_says_to_wrong_answers(tmp_path, text):
    assert not runs_again(tmp_path, "solutions", text)
    assert runs_again(tmp_path, "notebooks", text), "a lesson may give a wrong answer to show what the check says"


def runs_again(project, folder, text) -> bool:
    assert PAGE.count(text) == 1
    (project / "tasks").mkdir(exist_ok=True)
    page, path = project / "tasks" / "double.py", project / folder / f"{NAME}.ipynb"
    page.write_text(PAGE, encoding="utf-8")
    nb = nbformat.v4.new_notebook()
    nb.metadata["built"] = {"ran_with": hashes(nb, path, ["tasks/double.py"])}
    assert changed(nb, nb, path) == []
    page.write_text(PAGE.replace(text, f"{text} + 0"), encoding="utf-8")
    return changed(nb, nb, path) == ["tasks/double.py"]


def test_check_finds_what_is_old_not_run_or_left_over_until_it_is_built(built, capsys):
    assert build.main(["--check"]) == 0
    change(built, "x + 1", "x + 2")
    nb = nbformat.read(notebook(built), as_version=4)
    nb.cells[2].execution_count = None
    nbformat.write(nb, notebook(built))
    old = shutil.copy(notebook(built), built / "notebooks" / "96_old.ipynb")
    (built / "README.md").write_text("See [chapter 99](notebooks/99_alibi.ipynb).", encoding="utf-8")
    assert build.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"notebooks/{NAME}.ipynb is older than its source",
        f"notebooks/{NAME}.ipynb was not executed from top to bottom",
        "notebooks/96_old.ipynb has no source",
        "README.md has old numbers: `course.py build` writes them",
    ]
    old.unlink()
    with pytest.raises(SystemExit, match="2"):
        build.main(["no_such_topic"])
    assert build.main([]) == 0 and build.main(["--check"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("x + 1", "x + y", f"notebooks/{NAME}.ipynb, cell 4: ", "name 'y' is not defined"),
        ("x = 1", "import os; os._exit(3)", f"notebooks/{NAME}.ipynb, cell 4: ", "Kernel died"),
        (LESSON, "nothing here", f"{TOPIC}/lesson.py: ", "expected a first cell `# %% [markdown]`"),
        ("[[title]]", "Title\n#\n# [[tasks]].", f"{TOPIC}/lesson.py: ", "[[tasks]]: expected one of title, time, "),
        ("[[title]]", "[[title|#]]", f"{TOPIC}/lesson.py: ", "[[title|#]]: expected one of title, "),
    ],
)
def test_a_wrong_source_is_named_and_the_old_notebook_kept(built, capsys, old, new, where, what):
    before = notebook(built).read_bytes()
    change(built, old, new)
    assert build.main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"build stopped: {where}") and what in said
    assert notebook(built).read_bytes() == before


def test_a_notebook_edited_by_hand_is_never_overwritten(built, capsys):
    edited = notebook(built).read_text(encoding="utf-8").replace("print(HELLO)", "print(HELLO, 1)")
    notebook(built).write_text(edited, encoding="utf-8")
    change(built, "x + 1", "x + 2")
    assert build.main([]) == build.main(["--check"]) == 1
    said = capsys.readouterr()
    assert f"notebooks/{NAME}.ipynb was edited by hand and is left as it is" in said.err
    assert said.out == f"notebooks/{NAME}.ipynb was edited by hand\n"
    assert notebook(built).read_text(encoding="utf-8") == edited


def test_a_notebook_of_a_published_course_opens_in_colab_and_installs_its_version_there(built):
    project, published = built / "pyproject.toml", "https://github.com/you/course"
    text = project.read_text(encoding="utf-8").replace("[project.urls]", f'[project.urls]\nRepository = "{published}"')
    project.write_text(text, encoding="utf-8")
    title, setup, *_ = build.lesson(TOPICS["start_here"]).cells
    colab = "https://colab.research.google.com/github/you/course"
    assert f"[Open in Colab]({colab}/blob/v{__version__}/notebooks/{NAME}.ipynb)" in title.source
    assert setup.source.endswith(f"%pip install --quiet --no-deps git+{published}@v{__version__}")


@pytest.mark.parametrize("topic", topics())
def test_a_page_of_tasks_says_how_to_start_has_its_hints_and_ends_with_what_is_next(topic):
    chapter, tasks = TOPICS[topic], tasks_of(topic)
    asked, solved = (build.task_notebook(folder, chapter).cells for folder in ("exercises", "solutions"))
    lesson = f"](../{chapter.path('notebooks')})"
    assert "choose *Run All Cells* in the menu *Run*" in asked[0].source and lesson in asked[0].source
    assert "in place of the `...`" not in solved[0].source and lesson in solved[0].source
    for name, task in tasks.items():
        at = [cell.source for cell in asked].index(f"task.{name}.check({name})")
        assert all(f"\n\n{hint}\n\n</details>" in asked[at + 1].source for hint in task.hints), "below the check"
    assert f"](../{chapter.path('solutions')})" in asked[-2].source
    assert asked[-1].source.endswith(f'progress("{topic}")')
    after = next_chapter(chapter)
    for end in (asked[-2], solved[-1]):
        assert (f"](../{after.path('notebooks')})" if after else "last chapter") in end.source


def test_the_notebooks_of_the_course_are_up_to_date(capsys):
    assert build.main(["--check"]) == 0, capsys.readouterr().out
