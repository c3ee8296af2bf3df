"""A thread whose processor time others can read and which others can end."""

import _thread
import contextlib
import contextvars
import ctypes
import sys
import time
from collections.abc import Callable
from typing import ClassVar

SLICE = 0.05  # seconds between two looks at the thread; an interrupt gets through in between, on Windows too
GRACE = 0.3  # seconds of processor time in which a thread should end, or fall asleep
PATIENCE = 3.0  # seconds by the clock for the same, on a busy machine or for a thread that waits


class Stoppable:
    """Runs `work` in a new thread, in a copy of the caller's context, once it is waited for.

    It is not a threading.Thread, whose last steps are in Python too: what is thrown into it there would be printed.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work, self.ident, self.start, self.spent = work, 0, 0.0, 0.0
        self.clock: Callable[[], float] = time.process_time
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
        """ "" once the work is done, "late" after that much processor time, "overdue" by the clock."""
        end = time.monotonic() + wall
        _thread.start_new_thread(contextvars.copy_context().run, (self._run,))
        self.begun.acquire()
        while not self.over.acquire(timeout=SLICE):
            if self.processor_time() > processor:
                return "late"
            if time.monotonic() > end:
                return "overdue"
        return ""

    def processor_time(self) -> float:
        """Seconds of processor time so far."""
        with contextlib.suppress(OSError):  # it has just ended
            self.spent = self.clock() - self.start
        return self.spent

    def stop(self) -> bool:
        """End the thread, or put it to sleep if its own `except:` keeps it alive; False if a long call prevents it."""
        usual = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)  # the next error arrives while an `except:` still handles the last
        try:
            for error in (SystemExit, Parked):  # a SystemExit, because a thread that dies of one dies silently
                by_clock, by_processor = time.monotonic() + PATIENCE, self.processor_time() + GRACE
                while time.monotonic() < by_clock and self.processor_time() < by_processor:
                    if self.over.acquire(timeout=1e-4) or self.ident in Parked.asleep or self._gone():
                        return True
                    self._throw(error)
            self._throw(SystemExit)  # for when that call ends
            return False
        finally:
            sys.setswitchinterval(usual)

    def _gone(self) -> bool:
        return self.ident not in sys._current_frames()

    def _throw(self, error: type[BaseException]) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(error))


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
