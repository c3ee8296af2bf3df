"""Whether the cell that should have made an answer failed, so that a check can only judge the answer before it."""

import ast
import re
import sys
import traceback
from typing import Any


def earlier_answer(name: str) -> str:
    """A sentence if the notebook's last cell would have defined `name` but did not get that far, else nothing."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    last = getattr(shell, "last_execution_result", None)  # of the cell before the one that runs now
    if last is None or last.success:
        return ""
    source = last.info.raw_cell
    if error := last.error_before_exec:  # such as a SyntaxError: nothing of it has run
        found = bool(re.search(rf"(?m)^((def|class) +{name}\b|{name} *=)", source))
    else:
        error = last.error_in_exec
        found = stopped_before(source, name, line_of_cell(error, shell.user_ns))
    said = f"Your last cell stopped ({type(error).__name__}), so this is about the answer that you had before."
    return said if found else ""


def stopped_before(source: str, name: str, line: int) -> bool:
    """Whether a cell that stopped at this line had not yet defined the name."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:  # a line for IPython alone
        return False
    return any(name in defined(one) and line <= (one.end_lineno or 0) for one in statements)


def defined(statement: ast.stmt) -> set[str]:
    """The names that a statement of a cell defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def line_of_cell(error: BaseException, names: dict[str, Any]) -> int:
    """The line of the cell itself, not of a function that it called, at which it stopped."""
    lines = (
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_globals is names and frame.f_code.co_name.startswith("<")
    )
    return next(lines, 0)
