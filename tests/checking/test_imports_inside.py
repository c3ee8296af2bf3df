"""Imports inside a learner's function: they are not counted, never interrupted, and no module is left half imported."""

import ctypes
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from course_lib.checking import runner
from course_tasks import tasks_of

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
    def slope(n, scale):
        __import__(name)
        then()
        return right(n, scale)

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

    def slope(n, scale):
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


# ---------------------------------------------------------------- real imports, in fresh kernels on a busy machine

IMPORTS = {
    "absolute_positions.sinusoidal_table": "import torch",
    "absolute_positions.shift_matrix": "import torch",
    "bias_by_hand.bias_matrix": "import torch, matplotlib.pyplot",
    "bias_by_hand.biased_attention": "import torch",
    "bias_by_hand.causal_weights": "import torch.nn.attention",
    "fast_attention.decode_step": "from torch.nn.attention.bias import causal_lower_right",
}


def with_import(task, line):
    """The published solution with one more line at the head of its body."""
    head, quotes, body = task.solution_source().rpartition('"""\n')
    return f"{head}{quotes}    {line}\n{body}"


@pytest.fixture
def both_cores_busy():
    spin = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    yield
    for process in spin:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_in_twenty_fresh_kernels_an_answer_may_import_what_it_likes(both_cores_busy):
    from jupyter_client.manager import start_new_kernel

    answers = list(IMPORTS.items())
    for number in range(20):
        name, line = answers[number % len(answers)]
        topic, name = name.split(".")
        task = tasks_of(topic)[name]
        code = textwrap.dedent(
            f"""
            import numpy as np
            from course_tasks import {topic}
            exec(getattr({topic}, "PREPARE", ""))
            {{source}}
            result = {topic}.{name}.check({name})
            print(result.status, result.passed)
            """
        ).replace("{source}", with_import(task, line))
        manager, kernel = start_new_kernel(kernel_name="python3")
        said = []
        try:
            kernel.execute_interactive(code, timeout=120, output_hook=said.append)
            kernel.execute_interactive("import torch; print(torch.ones(2).sum())", timeout=120, output_hook=said.append)
        finally:
            kernel.stop_channels()
            manager.shutdown_kernel(now=True)
        text = [message["content"].get("text", message["content"].get("evalue", "")) for message in said]
        assert "passed True\n" in "".join(text) and "tensor(2.)" in "".join(text), (number, name, text)
