"""What a learner reads after a slip: the words that must be there, and those that would be true by accident."""


import pytest

from course_tasks import tasks_of

CH02 = tasks_of("bias_by_hand")


def test_compare_speaks_of_itself():
    text = repr(CH02["bias_matrix"].compare("x"))
    assert "`compare(bias_matrix)`" in text and "check" not in text


def test_much_printing_is_slow(monkeypatch):
    task = CH02["bias_matrix"]
    monkeypatch.setattr(task.spec, "seconds", 0.3)

    def talks(n, scale):
        for k in range(1_000_000):
            print(k)
        return task.spec.solution(n, scale)

    text = repr(task.check(talks))
    assert "printing so much is slow" in text
    assert "Your code printed more than 10,000 lines; the first 3: 0 ⏎ 1 ⏎ 2" in text


ENDLESS = """
from course_tasks import bias_by_hand as task
task.bias_matrix.spec.seconds = 0.05

def deaf(n, scale):
    while True:
        try:
            while True:
                pass
        except:
            pass

def plain(n, scale):
    while True:
        pass

print({repr(task.bias_matrix.check(f)) for f in (plain, deaf) * 10} == {repr(task.bias_matrix.check(plain))})
"""


def test_a_kernel_stays_silent_when_endless_loops_are_stopped():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = [nbformat.v4.new_code_cell(source) for source in (ENDLESS, "import time; time.sleep(0.5)")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [output.get("text", output.output_type) for made in notebook.cells for output in made.outputs]
    assert shown == ["True\n"]
