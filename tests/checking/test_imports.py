"""What an import costs."""

import subprocess
import sys

import pytest


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module", ["course_lib", "course_lib.reference", "course_lib.checking", "course_tasks.bias_by_hand"]
)
def test_an_import_loads_neither_torch_nor_matplotlib(module):
    heavy = python(
        f"import {module}, sys; print(*{{'torch', 'matplotlib', 'IPython', 'ipywidgets'}} & set(sys.modules))"
    )
    assert heavy == ""


def test_the_imports_cost_little_more_than_numpy():
    timed = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    everything = "numpy, course_lib, course_lib.reference, course_lib.checking"
    pairs = [(float(python(timed.format("numpy"))), float(python(timed.format(everything)))) for _ in range(4)]
    assert min(mine for _, mine in pairs) - min(base for base, _ in pairs) < 0.3
