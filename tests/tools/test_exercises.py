"""The exercises as a learner finds them: every cell runs, from top to bottom, with nothing filled in."""

import json
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

NO_HISTORY = Config({"HistoryManager": {"enabled": False}})
EXERCISES = sorted((Path(__file__).resolve().parents[2] / "exercises").glob("*.ipynb"))


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_every_cell_runs_with_nothing_filled_in(path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("MPLBACKEND", "agg")
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=NO_HISTORY)
    try:
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "code":
                result = shell.run_cell("".join(cell["source"]))
                assert result.success, f"cell {number}: {result.error_before_exec or result.error_in_exec!r}"
    finally:
        InteractiveShell.clear_instance()
