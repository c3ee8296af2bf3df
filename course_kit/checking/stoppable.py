"""A thread whose processor time others can read and which others can end, but never inside an import.

Python runs a thread's code between the steps of an import too. A thread that is ended there leaves the module half
imported, and from then on every import of it fails. So each import begins at a gate, which is closed while a thread is
being ended, and a thread that is past the gate is left alone until its import is complete.
"""

import _thread
import contextlib
import contextvars
import ctypes
import sys
import time
from collections.abc import Callable
from typing import ClassVar

IMPORT = "<frozen importlib._bootstrap>"  # the file in which every import, of whatever kind, has a frame
SLICE = 0.05  # seconds between two looks at the thread; an interrupt gets through in between, on Windows too
GRACE = 0.3  # seconds of processor time in which a thread should end, or fall asleep
PATIENCE = 3.0  # seconds by the clock for the same, on a busy machine or for a thread that waits


class Gate:
    """The first of Python's finders of modules: finds none, and holds every import up while `closed` is locked."""

    def __init__(self) -> None:
        self.closed = _thread.allocate_lock()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        with self.closed:
            return None

    def __enter__(self) -> "Gate":
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ValueError):  # the learner's code may have set up a list of its own
            sys.meta_path.remove(self)


class Stoppable:
    """Runs `work` in a new thread, in a copy of the caller's context, once it is waited for; imports pass `gate`.

    It is not a threading.Thread, whose last steps are in Python too: what is thrown into it there would be printed.
    """

    def __init__(self, work: Callable[[], None], gate: Gate) -> None:
        self.work, self.gate, self.ident, self.start, self.spent = work, gate, 0, 0.0, 0.0
        self.clock: Callable[[], float] = time.process_time
        self.end = time.monotonic()
        self.begun, self.over = _thread.allocate_lock(), _thread.allocate_lock()
        self.begun.acquire()
        self.over.acquire()

    def _run(self) -> None:
        try:
            self.ident = _thread.get_ident()
            self.clock = clock_of_this_thread()
            self.start = self.clock()  # here, because a thread that has ended has no clock any more
            self.begun.release()
            self.work()
        finally:
            self.over.release()

    def wait(self, processor: float, wall: float) -> str:
        """ "" once the work is done, "late" after that much processor time outside imports, "overdue" by the clock."""
        self.end, used, before = time.monotonic() + wall, 0.0, 0.0
        _thread.start_new_thread(contextvars.copy_context().run, (self._run,))
        self.begun.acquire()
        while not self.over.acquire(timeout=SLICE):
            now = self.processor_time()
            used += 0.0 if self.importing() else now - before
            before = now
            if used > processor:
                return "late"
            if time.monotonic() > self.end:
                return "overdue"
        return ""

    def processor_time(self) -> float:
        """Seconds of processor time so far."""
        with contextlib.suppress(OSError):  # it has just ended
            self.spent = self.clock() - self.start
        return self.spent

    def importing(self) -> bool:
        """Whether the thread is inside an import."""
        frame = sys._current_frames().get(self.ident)
        while frame is not None and frame.f_code.co_filename != IMPORT:
            frame = frame.f_back
        return frame is not None

    def stop(self) -> bool:
        """End the thread, or put it to sleep if its own `except:` keeps it alive; False if a long call prevents both.

        An import may go on for as long as `wait` would have waited.
        """
        usual = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)  # the next error arrives while an `except:` still handles the last
        try:
            for error in (SystemExit, Parked):  # a SystemExit, because a thread that dies of one dies silently
                by_clock, by_processor = time.monotonic() + PATIENCE, self.processor_time() + GRACE
                while time.monotonic() < by_clock and self.processor_time() < by_processor:
                    if self.over.acquire(timeout=1e-4) or self.ident in Parked.asleep or self._gone():
                        return True
                    if not self._throw(error) and time.monotonic() < self.end:
                        by_clock, by_processor = time.monotonic() + PATIENCE, self.processor_time() + GRACE
            self._throw(SystemExit)  # for when that call ends
            return False
        finally:
            sys.setswitchinterval(usual)

    def _gone(self) -> bool:
        return self.ident not in sys._current_frames()

    def _throw(self, error: type[BaseException]) -> bool:
        """Whether it was thrown: not into an import, and at the closed gate none can begin."""
        with self.gate.closed:
            if self.importing():
                return False
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(error))
            return True


class Parked(SystemExit):
    """Thrown into a thread that swallows every SystemExit: making it puts the thread to sleep for good."""

    asleep: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        self.asleep.add(_thread.get_ident())
        while True:
            time.sleep(3600)


def clock_of_this_thread() -> Callable[[], float]:
    """Processor seconds of the calling thread, to be read from any thread.

    Only Linux lets others read a thread's clock. Elsewhere it is the clock of the whole process, in which little else
    runs while a learner's code is checked.
    """
    if sys.platform != "linux":
        return time.process_time
    clock = time.pthread_getcpuclockid(_thread.get_ident())
    return lambda: time.clock_gettime(clock)
