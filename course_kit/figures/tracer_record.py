"""Run a function once and write down, line by line, what each line changed, in a form that can be shown.

Python calls a trace function before every line, so what a line did is known when the next one begins (or the function
ends). Every call of the function has its own `_Call`, so recursion stays apart.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.checks import as_numpy

from ..display.colours import painter
from ..display.formatting import decimals, number, one_line
from .frames import Cell
from .statements import Source

LIMIT = 400  # steps that are kept; the function itself always runs to its end
SHOWN = 12  # rows and columns of an array
TEXT = 200  # characters of anything else
ITEMS = 6  # members of a tuple, list or dict that holds arrays


@dataclass(frozen=True)
class Value:
    """A value at its moment: `about` says what it is, and it has members, cells or a text.

    An array has a shape and the cells shown (12 × 12 at most, of the first page). A tuple, list or dict that holds
    arrays has members by their keys. Anything else has a text.
    """

    about: str
    text: str = ""
    shape: tuple[int, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()
    members: tuple[tuple[str, "Value"], ...] = ()


@dataclass
class Step:
    """One line, run once: the variables it changed, and as "returns" what it returned; what it raised."""

    call: int
    chunk: int
    changes: dict[str, Value] = field(default_factory=dict)
    error: str | None = None


@dataclass
class Recording:
    """What happened: `calls` counts the calls, `total` the steps, also those that were not kept."""

    source: Source
    steps: list[Step] = field(default_factory=list)
    calls: int = 0
    total: int = 0
    error: str | None = None


def record(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Recording:
    """Call function(*args, **kwargs) under a trace, and put back whatever trace was there before."""
    recording = Recording(Source.of(function))

    def on_call(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "call" and frame.f_code is recording.source.code:
            return _Call(recording).on_event
        return None  # another function: it runs untraced

    before = sys.gettrace()
    try:
        sys.settrace(on_call)
        function(*args, **kwargs)
    except Exception as error:
        recording.error = f"{type(error).__name__}: {error}"
    finally:
        sys.settrace(before)
    return recording


class _Call:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.number = recording.calls
        self.known: dict[str, Any] = {}  # each variable as it was
        self.error: str | None = None
        self.chunk = 0  # the head of the function: its step shows the arguments
        recording.calls += 1

    def on_event(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception" and not issubclass(arg[0], (StopIteration, GeneratorExit)):
            self.error = f"{arg[0].__name__}: {arg[1]}"
        elif event == "line":
            source = self.recording.source
            chunk = source.chunk_at(frame.f_lineno)
            # A call over several lines, or a comprehension, wakes the trace again and again: it stays one step.
            if chunk is None or (chunk == self.chunk and source.chunks[chunk].one_step and self.error is None):
                return self.on_event
            self.close_step(frame)
            self.chunk = chunk
        elif event == "return":
            # An exception right before the end means that it leaves the function, which then returns nothing.
            self.close_step(frame, {"returns": pack(arg)} if self.error is None else {})
        return self.on_event

    def close_step(self, frame: FrameType, returned: dict[str, Value] | None = None) -> None:
        self.recording.total += 1
        # The end of the outermost call is kept even beyond the limit: it holds the result.
        if len(self.recording.steps) < LIMIT or (self.number == 0 and returned is not None):
            changes = self.changes(frame) | (returned or {})
            self.recording.steps.append(Step(self.number, self.chunk, changes, self.error))
        self.error = None

    def changes(self, frame: FrameType) -> dict[str, Value]:
        """The function's own variables (not those of a function around it) that are new or different now."""
        values, changed = dict(frame.f_locals), {}
        for name in dict.fromkeys((*frame.f_code.co_varnames, *frame.f_code.co_cellvars)):
            if name in values and (now := _state(values[name])) != self.known.get(name):
                self.known[name], changed[name] = now, pack(values[name])
        return changed


# --- any value, small enough to show --------------------------------------------------------------------------------


def pack(value: Any) -> Value:
    """What is shown of a value."""
    array = numbers(value)
    if array is None and isinstance(value, tuple | list | dict):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        members = [(f"[{key!r}]", member) for key, member in pairs]
        arrays = (numbers(member) for _, member in members)
        if any(found is not None and found.ndim for found in arrays):
            cut = f", the first {ITEMS} of {len(members)} shown" if len(members) > ITEMS else ""
            packed = tuple((key, pack(member)) for key, member in members[:ITEMS])
            return Value(f"{type(value).__name__} of {len(members)}{cut}", members=packed)
    if array is None:
        return Value(type(value).__name__, _plain(value))
    kind = "array" if isinstance(value, np.ndarray) else "number" if isinstance(value, np.generic) else "tensor"
    if array.ndim == 0:
        return Value(f"{kind}, {value.dtype}", _plain(array.item()))
    page = array[(0,) * (array.ndim - 2)]
    shown = page[tuple(slice(SHOWN) for _ in page.shape)]
    about = [f"{kind} {array.shape}", str(value.dtype)]
    about += [f"page [{', '.join('0' * (array.ndim - 2))}] shown"] if array.ndim > 2 else []
    about += [f"cut to {'×'.join(map(str, shown.shape))}"] if shown.shape != page.shape else []
    places = decimals(shown.ravel().tolist()) if shown.dtype.kind == "f" else 0
    rows = np.atleast_2d(shown.astype(float).round(places) if shown.dtype.kind == "f" else shown)
    paint = painter(rows.ravel())
    cells = tuple(tuple(Cell(number(x, places), colour=paint(x)) for x in row) for row in rows.tolist())
    return Value(", ".join(about), shape=array.shape, cells=cells)


def numbers(value: Any) -> NDArray | None:
    """A NumPy array or number, or a torch tensor, as an array of numbers; None for everything else."""
    if not isinstance(value, np.ndarray | np.generic) and not (hasattr(value, "detach") and hasattr(value, "numpy")):
        return None
    try:
        array = as_numpy(value)
    except Exception:  # a sparse tensor, or one without storage: shown by its repr, and the watched function runs on
        return None
    return array if array.dtype.kind in "biuf" else None


def _state(value: Any) -> Any:
    """What differs as soon as the value does: of an array all numbers, also those that are not shown."""
    array = numbers(value)
    if array is None:
        return pack(value)
    return array.shape, str(value.dtype), (array + 0).tobytes()  # −0.0 is not a change


def _plain(value: Any) -> str:
    """A short text that is the same in every run: no memory addresses, a function by its name."""
    if isinstance(value, float):
        tiny = math.isfinite(value) and value != 0 and not 0.01 <= abs(value) < 1e9
        return f"{value:.4g}" if tiny else str(round(value, 4)) if math.isfinite(value) else str(value)
    if callable(value) and hasattr(value, "__name__"):
        return f"{'class' if isinstance(value, type) else 'function'} {value.__name__}"
    try:
        return one_line(repr(value), TEXT)
    except Exception:  # a half-built object may refuse; the function being watched must not suffer from it
        return "(cannot be shown)"
