"""Imports inside a learner's function: they are not counted, never interrupted, and no module is left half imported."""

import ctypes
import sys
import threading
import time

import pytest

from course_kit.checking import runner

from .common import SLOPE, right

BUSY_MODULE = """
import time
start = time.process_time()
while time.process_time() - start < 1.0:
    pass
complete = True
"""


@pytest.fixture
def busy_module(tmp_path, monkeypatch):
    """The name of a module whose import takes a second of processor time, more than twice what the check allows."""
    (tmp_path / "busy_module.py").write_text(BUSY_MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "busy_module"
    sys.modules.pop("busy_module", None)


def importing(name, then=lambda: None):
    def slope(n, strength):
        __import__(name)
        then()
        return right(n, strength)

    return slope


def test_the_time_of_an_import_is_not_counted(busy_module):
    result = SLOPE.check(importing(busy_module))
    assert result.passed, result


def test_a_loop_after_an_import_is_still_found(busy_module):
    def forever():
        while True:
            pass

    result = SLOPE.check(importing(busy_module, forever))
    assert result.status == "did not finish" and "does the loop end?" in repr(result)
    assert sys.modules[busy_module].complete


def test_an_interrupt_waits_until_the_import_is_complete(busy_module):
    def interrupt():
        while busy_module not in sys.modules:
            time.sleep(0.01)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(threading.main_thread().ident), ctypes.py_object(KeyboardInterrupt)
        )

    threading.Thread(target=interrupt).start()
    result = SLOPE.check(importing(busy_module))
    assert result.status == "did not finish" and "Interrupted" in repr(result)
    assert sys.modules[busy_module].complete
    assert SLOPE.check(importing(busy_module)).passed


def test_a_thread_is_never_ended_inside_one_of_many_short_imports(tmp_path, monkeypatch):
    """Ended wherever it happens to be, it would leave a torn module or a locked import behind in most of these runs."""
    monkeypatch.setattr(runner, "WALL", 1.0)
    monkeypatch.syspath_prepend(tmp_path)
    names = [f"short_module_{number}" for number in range(40)]
    for name in names:
        (tmp_path / f"{name}.py").write_text("x = [k for k in range(2000)]\ncomplete = True\n")

    def slope(n, strength):
        while True:
            for name in names:
                __import__(name)
                for name in names:
                    sys.modules.pop(name, None)
                for _ in range(2000):
                    pass

    for _ in range(5):
        assert SLOPE.check(slope).status == "did not finish"
        for name in names:
            assert __import__(name).complete
            del sys.modules[name]
