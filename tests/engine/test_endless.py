"""Code that does not end: it is stopped in time, and the notebook goes on as before."""

import ctypes
import sys
import threading
import time

import pytest

from .common import SLOPE, endless, right, slope_task


def endless_and_deaf(n, scale):
    while True:
        try:
            while True:
                pass
        except:  # noqa: E722
            pass


def endless_in_finally(n, scale):
    try:
        while True:
            pass
    finally:
        time.sleep(0.01)


@pytest.mark.parametrize("function", [endless, endless_and_deaf, endless_in_finally])
def test_an_endless_loop_is_stopped_and_said_so(function):
    start = time.monotonic()
    result = SLOPE.check(function)
    assert time.monotonic() - start < 4
    assert result.status == "raised"
    assert "ran for more than 0.4 seconds and was stopped: does the loop end?" in repr(result)
    start = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - start < 0.1, "nothing goes on in the background"


def test_a_loop_that_ends_for_some_cases_names_the_case_where_it_does_not():
    def sometimes(n, scale):
        while n == 2:
            pass
        return right(n, scale)

    result = SLOPE.check(sometimes)
    assert result.status == "raised" and "slope(n=2, scale=1)" in repr(result)


def test_a_long_call_into_c_is_left_behind_after_the_usual_two_seconds():
    def sleeps(n, scale):
        time.sleep(30)

    start = time.monotonic()
    result = slope_task(seconds=2.0).check(sleeps)
    assert 2 <= time.monotonic() - start < 4.5
    assert "could not be stopped" in repr(result) and "restart the kernel" in repr(result)
    assert SLOPE.check(right).passed, "the next check is none the worse"


def test_what_prints_is_itself_again_after_a_stop(capsys):
    stdout = sys.stdout
    SLOPE.check(endless_and_deaf)
    assert sys.stdout is stdout
    print("still here")
    assert capsys.readouterr().out == "still here\n"


def test_an_interrupt_ends_the_check(monkeypatch):
    def interrupt():
        time.sleep(0.1)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(threading.main_thread().ident), ctypes.py_object(KeyboardInterrupt)
        )

    threading.Thread(target=interrupt).start()
    result = slope_task(seconds=5.0).check(endless)
    assert result.status == "raised" and "Interrupted" in repr(result)
