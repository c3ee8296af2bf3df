"""Code that does not end: it is stopped in time, and the notebook goes on as before."""

import time
from hashlib import pbkdf2_hmac

import pytest

from course_kit.checking import runner, stoppable

from .common import SLOPE, endless, right


def endless_and_deaf(n, strength):
    while True:
        try:
            while True:
                pass
        except:  # noqa: E722
            pass


@pytest.fixture(params=["the thread's own clock", "the clock of the process"])
def clock(request, monkeypatch):
    """Linux has a clock for each thread, macOS and Windows only one for the whole process."""
    if request.param == "the clock of the process":
        monkeypatch.setattr(stoppable.sys, "platform", "darwin")


@pytest.mark.parametrize("function", [endless, endless_and_deaf])
def test_an_endless_loop_is_stopped_and_said_so(function, clock):
    result = SLOPE.check(function)
    assert result.status == "did not finish"
    assert "used more than 0.4 seconds of processor time and was stopped: does the loop end?" in repr(result)
    start = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - start < 0.1, "nothing goes on in the background"


def test_a_loop_that_ends_for_some_cases_names_the_case_where_it_does_not():
    def sometimes(n, strength):
        while n == 2:
            pass
        return right(n, strength)

    result = SLOPE.check(sometimes)
    assert result.status == "did not finish" and "slope(n=2, strength=1)" in repr(result)


def test_right_code_passes_however_long_it_takes_by_the_clock(clock):
    """A busy machine, or a short sleep: only processor time tells a loop without end from a slow machine."""

    def slow(n, strength):
        time.sleep(0.15)
        return right(n, strength)

    assert SLOPE.check(slow).passed


def test_what_waits_for_ever_did_not_finish(monkeypatch):
    def sleeps(n, strength):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(runner, "WALL", 0.5)
    result = SLOPE.check(sleeps)
    assert result.status == "did not finish"
    assert "did not finish within 0.5 seconds" in repr(result) and "wait for something" in repr(result)


@pytest.mark.parametrize(
    ("call", "wall", "limit"),
    [
        (lambda: time.sleep(5), 0.6, "did not finish within 0.6 seconds"),
        (lambda: pbkdf2_hmac("sha512", b"", b"", 5_000_000), 60, "used more than 0.4 seconds of processor time"),
    ],
    ids=["waits", "computes"],
)
def test_a_long_call_into_c_is_left_behind(call, wall, limit, monkeypatch):
    monkeypatch.setattr(runner, "WALL", wall)
    monkeypatch.setattr(stoppable, "PATIENCE", 0.3)
    result = SLOPE.check(lambda n, strength: call())
    assert result.status == "did not finish"
    assert f"{limit} and could not be stopped" in repr(result) and "restart the kernel" in repr(result)
    monkeypatch.undo()
    assert SLOPE.check(right).passed, "the next check is none the worse"
