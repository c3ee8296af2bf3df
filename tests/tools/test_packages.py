"""The two packages: the library never needs the tasks, and reading it needs neither torch nor matplotlib."""

import ast
import subprocess
import sys

from .. import ROOT


def test_the_library_never_imports_the_tasks():
    for path in ROOT.glob("course_lib/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            assert not any(name.split(".")[0] == "course_tasks" for name in names), path


def test_reading_the_library_needs_neither_torch_nor_matplotlib():
    code = "import sys, pkgutil, course_kit.checking, course_tasks.bias_by_hand, course_lib.reference as folder\n"
    code += "for module in pkgutil.iter_modules(folder.__path__, f'{folder.__name__}.'): __import__(module.name)\n"
    code += "print('course_lib.reference.grid' in sys.modules, {'torch', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True set()\n", done.stdout + done.stderr
