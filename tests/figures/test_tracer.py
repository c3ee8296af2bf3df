"""The line tracer: the values of every step are those after its line ran, and its picture says so."""

import inspect
import sys

import numpy as np
import torch

from course_kit import figures
from course_kit.figures.tracer_record import LIMIT, Value, record
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, scores

from .pictures import BIAS, WEIGHTS
from .reading import elements, static, text, unpooled


def fill(n, strength):
    """Fill a matrix cell by cell.

    Two more lines of docstring."""
    out = np.zeros((n, n))

    # a comment
    for i in range(n):
        for j in range(n):
            out[i, j] = -strength * abs(j - i)
    if n > 100:
        print("large")
    return (
        out,
        n,
    )


def steps_at(recording, text):
    """The steps at the line which contains this text."""
    wanted = {n for n, chunk in enumerate(recording.source.chunks) if text in recording.source.text(chunk)}
    return [step for step in recording.steps if step.chunk in wanted]


def numbers(value):
    """The numbers of an array as they are shown."""
    return np.array([[float(cell.text.replace("−", "-")) for cell in row] for row in value.cells])


def test_the_values_at_a_line_are_those_after_it_ran():
    recording = record(attention, Q, K, V, bias=BIAS)
    assert set(recording.steps[0].changes) == {"q", "k", "v", "bias", "scale", "mask"}
    np.testing.assert_allclose(numbers(steps_at(recording, "s = scores(")[0].changes["s"]), scores(Q, K))
    weights = steps_at(recording, "weights = softmax(")[0].changes["weights"]
    np.testing.assert_allclose(numbers(weights), WEIGHTS, atol=5e-5)
    assert weights.about == "array (5, 5), float64"
    (first, output), (second, _) = recording.steps[-1].changes["returns"].members
    assert (first, second) == ("[0]", "[1]")
    np.testing.assert_allclose(numbers(output), WEIGHTS @ V, atol=5e-5)
    assert not steps_at(recording, "raise ValueError") and recording.error is None


def test_a_loop_has_its_visits_and_arrays_are_copied_at_the_time():
    recording = record(fill, 3, 2.0)
    visits = steps_at(recording, "out[i, j]")
    assert len(visits) == 9
    assert visits[0].changes == {}  # −2 · 0 leaves the zero there as it was
    assert numbers(visits[1].changes["out"]).tolist() == [[0, -2, 0], [0, 0, 0], [0, 0, 0]]
    assert numbers(visits[-2].changes["out"]).tolist() == [[0, -2, -4], [-2, 0, -2], [-4, -2, 0]]
    assert [s.changes["j"].text for s in steps_at(recording, "for j in") if "j" in s.changes] == list("012" * 3)
    assert len(steps_at(recording, "return (")) == 1  # four lines, one statement, one step
    picture = figures.trace(fill, 3, 2.0, tokens=("a", "b", "c"))
    assert "(9 times, the last shown)" in static(picture) and static(picture).count("(not reached)") == 1
    lines = [line for _, text, _ in picture._data["chunks"] for line in text.split("\n")]
    assert lines == inspect.getsource(fill).rstrip().split("\n") and "# a comment" in text(picture)
    shown = [changes for _, chunk, changes, _ in unpooled(picture) if chunk == visits[0].chunk]
    name, value = shown[1][0]
    found = elements("<tr".join(map(">".join, value)))
    rows = [[cell.text for cell in row.find_all(["td", "th"])] for row in found if row.name == "tr"]
    assert (name, rows) == ("out", [["", "a", "b", "c"], ["a", "0", "−2", "0"], ["b", *"000"], ["c", *"000"]])


def test_an_exception_is_shown_at_its_line_and_the_former_trace_function_comes_back():
    def broken(x):
        try:
            y = x / 0
        except ZeroDivisionError:
            y = x * np.ones((2, 2))
        return y @ np.ones((7, 7))

    def mine(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        recording, after = record(broken, 1), sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is mine
    assert steps_at(recording, "y = x / 0")[0].error == "ZeroDivisionError: division by zero"
    assert recording.error.startswith("ValueError: matmul") and "returns" not in recording.steps[-1].changes
    assert steps_at(recording, "return y @")[-1].error == recording.error
    picture = figures.trace(broken, 1)
    assert "stopped with ValueError" in picture.alt and "raised ValueError" in static(picture)


def test_recursion_keeps_its_calls_apart():
    def factorial(n):
        if n <= 1:
            return 1
        rest = factorial(n - 1)
        return n * rest

    recording = record(factorial, 4)
    assert recording.calls == 4
    assert {s.call: s.changes["rest"].text for s in steps_at(recording, "rest =")} == {0: "6", 1: "2", 2: "1"}
    returned = [step.changes["returns"].text for step in recording.steps if "returns" in step.changes]
    assert returned == ["1", "2", "6", "24"] and len(recording.steps[-1].changes) == 1


def test_the_steps_are_capped_and_the_run_is_not():
    reached = []

    def long(n):
        total = 0
        for i in range(n):
            total += i
        reached.append(total)
        return total

    recording = record(long, 1000)
    assert len(recording.steps) <= LIMIT + 1 < recording.total and reached == [499500]
    assert recording.steps[-1].changes["returns"] == Value("int", "499500")
    picture = figures.trace(long, 1000)
    assert f"keeps {LIMIT + 1} of the steps (at most {LIMIT})" in static(picture)
    assert len(picture._repr_html_()) < 60_000


def test_values_of_every_kind_are_readable():
    class Odd:
        def __repr__(self):
            raise RuntimeError("half built")

    def values(tensor):
        large, cube, row = np.arange(400.0).reshape(20, 20), np.ones((2, 3, 4)), np.array([1.0, -np.inf, np.nan])
        mask, empty, number, small = np.tri(2) > 0, np.zeros((0, 3)), np.float64(0.12345678), 1e-7
        pair, function, thing, odd = (1, "a", None, True), fill, object(), Odd()
        arrays, half, nothing = {"q": mask, "n": 3}, tensor.to(torch.bfloat16), torch.empty(2, device="meta")
        parts = [x + 1 for x in (1, 2, 3)]
        return locals()

    recording = record(values, torch.ones(2, 2, requires_grad=True))
    shown = {name: value for step in recording.steps for name, value in step.changes.items()}
    assert shown["large"].about == "array (20, 20), float64, cut to 12×12"
    assert numbers(shown["large"]).shape == (12, 12) and numbers(shown["large"])[11, 11] == 231
    assert shown["cube"].about.endswith("page [0] shown") and numbers(shown["cube"]).shape == (3, 4)
    arrays = {"row": [["1", "−∞", "nan"]], "mask": [["True", "False"], ["True", "True"]], "half": [["1", "1"]] * 2}
    assert {name: [[cell.text for cell in row] for row in shown[name].cells] for name in arrays} == arrays
    assert shown["half"].about == "tensor (2, 2), torch.bfloat16" and shown["number"].about == "number, float64"
    assert [key for key, _ in shown["arrays"].members] == ["['q']", "['n']"] and shown["empty"].shape == (0, 3)
    texts = {"small": "1e-07", "pair": "(1, 'a', None, True)", "function": "function fill", "parts": "[2, 3, 4]"}
    texts |= {"number": "0.1235", "odd": "(cannot be shown)"}
    assert {name: shown[name].text for name in texts} == texts and "0x" not in shown["thing"].text
    assert "meta" in shown["nothing"].text and len(steps_at(recording, "parts = ")) == 1
