"""Run a function once and write down, line by line, what each line changed.

Python calls a trace function before every line, so what a line did is known when the next one begins (or the function
ends). Every call of a watched function has its own `_Call`, so recursion and nested calls stay apart.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from .statements import Source
from .tracer_values import Packed, Snapshot, pack

LIMIT = 400  # steps that are kept; the function itself always runs to its end


@dataclass
class Step:
    """One line, run once: the variables it changed, what it returned or raised."""

    call: int
    chunk: int
    changes: dict[str, Packed] = field(default_factory=dict)
    returned: Packed | None = None
    error: str | None = None


@dataclass
class Recording:
    """What happened: `calls` are (source, depth) in order, `total` counts the steps, also those that were not kept."""

    sources: list[Source]
    calls: list[tuple[int, int]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    total: int = 0
    error: str | None = None


def record(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], into: Sequence[Callable[..., Any]] = ()
) -> Recording:
    """Call function(*args, **kwargs) under a trace, and put back whatever trace was there before."""
    sources = [Source.of("function", function), *(Source.of("into", other) for other in into)]
    recording = Recording(sources)
    codes = {source.code: index for index, source in reversed(list(enumerate(sources)))}
    watch = _Watch(recording, codes)
    before = sys.gettrace()
    try:
        sys.settrace(watch.on_call)
        function(*args, **kwargs)
    except Exception as error:
        recording.error = f"{type(error).__name__}: {error}"
    finally:
        sys.settrace(before)
    return recording


class _Watch:
    def __init__(self, recording: Recording, codes: dict[CodeType, int]) -> None:
        self.recording = recording
        self.codes = codes
        self.depth = 0

    def on_call(self, frame: FrameType, event: str, arg: Any) -> Any:
        index = self.codes.get(frame.f_code)
        if index is None or event != "call":
            return None  # not a watched function: it runs untraced
        self.recording.calls.append((index, self.depth))
        self.depth += 1
        return _Call(self, self.recording.sources[index], frame).on_event


class _Call:
    def __init__(self, watch: _Watch, source: Source, frame: FrameType) -> None:
        self.watch = watch
        self.source = source
        self.number = len(watch.recording.calls) - 1
        self.known: dict[str, Snapshot] = {}
        self.error: str | None = None
        self.chunk: int | None = 0
        self.close_step(frame)  # step 0 stands at the head of the function and shows its arguments
        self.chunk = None

    def on_event(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception" and not issubclass(arg[0], (StopIteration, GeneratorExit)):
            self.error = f"{arg[0].__name__}: {arg[1]}"
        elif event == "line":
            chunk = self.source.chunk_at(frame.f_lineno)
            # A call over several lines, or a comprehension, wakes the trace again and again: it stays one step.
            if chunk is None or (chunk == self.chunk and self.source.chunks[chunk].one_step and self.error is None):
                return self.on_event
            self.close_step(frame)
            self.chunk = chunk
        elif event == "return":
            # An exception right before the end means that it leaves the function, which then returns nothing.
            self.close_step(frame, returned=pack(arg) if self.error is None else None)
            self.watch.depth -= 1
        return self.on_event

    def close_step(self, frame: FrameType, returned: Packed | None = None) -> None:
        if self.chunk is None:
            return
        recording = self.watch.recording
        recording.total += 1
        # The end of the outermost call is kept even beyond the limit: it holds the result.
        if len(recording.steps) < LIMIT or (self.number == 0 and (returned or self.error)):
            step = Step(self.number, self.chunk, self.changes(frame), returned, self.error)
            recording.steps.append(step)
        self.error = None

    def changes(self, frame: FrameType) -> dict[str, Packed]:
        """The function's own variables (not those of a function around it) that are new or different now."""
        values = dict(frame.f_locals)
        changed = {}
        for name in dict.fromkeys((*frame.f_code.co_varnames, *frame.f_code.co_cellvars)):
            if name in values and (name not in self.known or self.known[name].differs(values[name])):
                self.known[name] = Snapshot(values[name])
                changed[name] = self.known[name].packed
        return changed
