"""The check of a task against whatever a learner may hand it: it answers in time, in words, and never raises."""

import ctypes
import json
import linecache
import re
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser

import numpy as np
import pytest

from course_lib.tasks import record as memory
from course_lib.tasks.engine import STATUSES, Answer, Axis, Case, Mistake, Property, Task
from course_lib.tasks.engine.faces import AMBER, GREEN, GREY, Code, Note, Result
from course_lib.tasks.engine.judge import judge
from course_lib.tasks.engine.source import Source, untouched
from course_lib.tasks.engine.values import plain

WORDS = ("The", "cat", "sat")


def _slope(n, scale):
    """Slope: B[i, j] = -scale * |j - i|, shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -scale * abs(j - i)


def _slope_given(n, scale):
    """Slope: B[i, j] = -scale * |j - i|, shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -scale * (j - i)


def expected_slope(n, scale):
    return [[-scale * abs(j - i) for j in range(n)] for i in range(n)]


def _centred(x):
    """x without its mean, and the mean."""
    return x - x.mean(), x.mean()


def _softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _tripled(x):
    """Three times x, a tensor."""
    return 3 * x


BASICS = dict(minutes=5, difficulty=1, words="Words.", hints=["first", "second"])


def slope_task(**changes):
    options = dict(
        title="Slope",
        solution=_slope,
        expected=expected_slope,
        cases=[
            Case(3, 0.5, says="three tokens", axes=(Axis("query", WORDS), Axis("key", WORDS))),
            Case(1, 0.5),
            Case(2, 1.0),
        ],
        draw=lambda rng: (int(rng.integers(2, 6)), float(rng.uniform(0.1, 2))),
        mistakes=[Mistake("-scale *", "scale *", "The sign!"), Mistake(lambda n, scale: np.zeros((n, n)), "All zero.")],
        seconds=0.4,
    )
    return Task(**{**BASICS, **options, **changes})


def array_task(solution, returns=(), **changes):
    options = dict(
        title="Array",
        solution=solution,
        expected=solution,
        cases=[Case(np.array([1.0, 2.0, 6.0]), says="three numbers"), Case(np.array([4.0, 4.0, 1.0]))],
        returns=returns,
        seconds=0.4,
    )
    return Task(**{**BASICS, **options, **changes})


SLOPE = slope_task()
CENTRED = array_task(_centred, returns=("rest", "mean"))
TRIPLED = array_task(_tripled, expected=lambda x: 3 * x, tensors=True)


def right(n, scale):
    return np.array(expected_slope(n, scale))


def cell(source, name="slope", number=1):
    """A function from a notebook cell: code with a made-up file name whose lines `linecache` knows."""
    file = f"/tmp/ipykernel_7/{number}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"np": np, "__name__": "__main__"}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def as_texts(result):
    """Both faces of a result, which must be there whatever the learner gave."""
    return repr(result), result._repr_html_()


# ---------------------------------------------------------------- code that does not end


def endless(n, scale):
    while True:
        pass


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


# ---------------------------------------------------------------- code that raises


def broken_in_a_file(n, scale):
    return np.zeros(n) / undefined_name  # noqa: F821


def test_an_error_shows_the_line_of_a_file():
    text = repr(SLOPE.check(broken_in_a_file))
    assert "NameError: name 'undefined_name' is not defined" in text
    assert re.search(r"line \d+: return np\.zeros\(n\) / undefined_name", text)


def test_an_error_shows_the_line_of_a_cell():
    function = cell("def helper(x):\n    return x[7]\n\ndef slope(n, scale):\n    return helper(np.zeros(n))\n")
    text = repr(SLOPE.check(function))
    assert "IndexError" in text
    assert "line 2: return x[7]" in text, "the learner's deepest line, not one inside NumPy"


def test_an_error_inside_a_library_shows_the_learners_own_line():
    function = cell("def slope(n, scale):\n    return np.broadcast_to(np.zeros(3), (n, 7))\n", number=2)
    assert "line 2: return np.broadcast_to(np.zeros(3), (n, 7))" in repr(SLOPE.check(function))


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def raiser(error):
    def function(n, scale):
        raise error

    return function


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        MemoryError(),
        ValueError("é" * 5000),
        Odd(),
        BaseException("x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_kind_of_error_is_reported(error):
    result = SLOPE.check(raiser(error))
    assert result.status == "raised" and type(error).__name__ in repr(result)
    assert len(repr(result)) < 800
    as_texts(result)


def test_endless_recursion_is_an_error_like_others():
    def deeper(n, scale):
        return deeper(n, scale)

    result = slope_task(seconds=2.0).check(deeper)
    assert result.status == "raised" and "RecursionError" in repr(result)


@pytest.mark.parametrize("function", [lambda: 0, lambda n: 0, lambda n, scale, more: 0])
def test_a_wrong_number_of_parameters_is_said(function):
    result = SLOPE.check(function)
    assert result.status == "raised" and "TypeError" in repr(result) and "argument" in repr(result)


# ---------------------------------------------------------------- things that are no answer


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "is there a `return`"),
        (dict, "type"),
        ((x for x in "ab"), "`yield` where `return` was meant"),
        (np.zeros, "are the parentheses missing"),
        ({1, 2}, "a set"),
        ([[1, 2], [3]], "do its rows have the same length"),
        (np.array([None]), "None in it"),
        ([1, None, 2], "None in it"),
        ([[None, 1], [2, 3]], "None in it"),
        (b"ab", "bytes"),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_what_no_array_can_be_made_of_is_called_by_its_name(value, words):
    result = SLOPE.check(lambda n, scale: value)
    assert result.status == "wrong type" and words in repr(result), result


def test_a_generator_function_is_recognised():
    def slope(n, scale):
        yield from right(n, scale)

    assert "`yield` where `return` was meant" in repr(SLOPE.check(slope))


class Slope:
    """A class where a function was asked for."""


@pytest.mark.parametrize("given", [Slope, 7, "slope", [right], right(3, 1.0)], ids=lambda given: type(given).__name__)
def test_what_is_no_function_is_said(given):
    result = SLOPE.check(given)
    assert result.status == "wrong type" and "`check(slope)`, without calling it" in repr(result)


@pytest.mark.parametrize("given", [None, ..., lambda n, scale: ..., lambda n, scale: None])
def test_an_empty_body_is_not_attempted(given):
    assert SLOPE.check(given).status == "not attempted"


def test_a_half_written_body_says_that_a_blank_is_left():
    assert SLOPE.check(lambda n, scale: ... if n else 0).status == "not attempted"


class Hostile:
    """Raises, or never ends, wherever it is touched."""

    def __init__(self, how):
        self.how = how

    def touch(self, *args, **kwargs):
        while self.how == "endless":
            pass
        raise SystemExit("touched")

    __array__ = __repr__ = __str__ = __eq__ = __len__ = __iter__ = __bool__ = __getitem__ = __float__ = touch
    __hash__ = None


@pytest.mark.parametrize("how", ["raises", "endless"])
def test_hostile_objects_do_no_harm(how):
    thing = Hostile(how)
    for given in (thing, lambda n, scale: thing, lambda n, scale: [thing] * n, lambda n, scale: {"x": thing}):
        result = SLOPE.check(given)
        assert not result.passed and result.status in STATUSES
        as_texts(result)


def test_a_hostile_class_does_no_harm():
    class Meta(type):
        def __getattribute__(cls, name):
            raise KeyboardInterrupt

    hostile = Meta("Hostile", (), {})
    for given in (hostile, lambda n, scale: hostile):
        assert not SLOPE.check(given).passed


# ---------------------------------------------------------------- forms of the right answer


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x.tolist(),
        lambda x: tuple(map(tuple, x.tolist())),
        lambda x: list(x),
        np.float32,
        lambda x: x + 0j,
        lambda x: x + 1e-12,
        lambda x: x[None],
        lambda x: np.asfortranarray(x),
        lambda x: np.ma.masked_array(x),
    ],
)
def test_other_forms_of_the_right_array_pass(form):
    assert SLOPE.check(lambda n, scale: form(right(n, scale))).passed


def test_tensors_pass_for_arrays_and_arrays_for_tensors():
    torch = pytest.importorskip("torch")
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale), requires_grad=True)).passed
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale)).half()).passed
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale)).bfloat16()).passed
    assert SLOPE.check(lambda n, scale: [torch.tensor(row) for row in expected_slope(n, scale)]).passed
    assert TRIPLED.check(lambda x: torch.add(x, x) + x).passed
    assert TRIPLED.check(lambda x: x.numpy() * 3).passed
    assert TRIPLED.check(lambda x: [3 * float(v) for v in x]).passed


def test_a_broadcast_serves_only_where_it_is_right():
    twos = array_task(_softmax, expected=lambda x: np.full(3, 2.0))
    assert twos.check(lambda x: 2.0).passed and twos.check(lambda x: [[2.0]]).passed
    assert twos.check(lambda x: 3.0).status == "wrong shape"
    assert SLOPE.check(lambda n, scale: right(n, scale)[0]).status == "wrong shape"


def test_rounding_beyond_the_tolerance_is_wrong_and_named():
    result = SLOPE.check(lambda n, scale: np.round(right(n, scale) * 1.0001, 6))
    assert result.status == "wrong values"
    assert "factor" in result.cause or "rounded" in result.cause


# ---------------------------------------------------------------- wrong answers


def test_truth_values_where_numbers_are_wanted_are_wrong_numbers():
    result = SLOPE.check(lambda n, scale: right(n, scale) < 0)
    assert result.status == "wrong values"
    assert "yours True, expected −0.5000" in repr(result)


def test_the_first_wrong_entry_is_told_in_the_words_of_the_axes():
    def off(n, scale):
        b = right(n, scale)
        b[0, -1] += 0.125 * (n > 1)
        return b

    result = SLOPE.check(off)
    assert result.status == "wrong values"
    assert 'query "The", key "sat": yours −0.8750, expected −1.0000 (1 of 9 entries differ)' in repr(result)
    assert "three tokens, `slope(n=3, scale=0.5)`" in repr(result)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "nan"), (np.inf, "infinite"), (-np.inf, "infinite")])
def test_what_is_not_a_number_is_named(value, word):
    def odd(n, scale):
        b = right(n, scale)
        b[-1, 0] = value if n > 1 else 0
        return b

    result = SLOPE.check(odd)
    assert f"is {word}" in result.cause and 'query "sat", key "The"' in repr(result)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda b: b * 2, "Every entry is 2 times what it should be"),
        (lambda b: b + 1, "too large by 1"),
        (lambda b: b[::-1], "backwards along the query axis"),
        (lambda b: np.triu(b), "Below the diagonal everything of yours is 0"),
        (lambda b: b[:, 1:], "One too few along the key axis"),
        (lambda b: b.sum(0), "The query axis is missing"),
        (lambda b: b.ravel(), "The right numbers in another shape"),
        (lambda b: np.arange(len(b)) + 0 * b, "the same for every query"),
        (lambda b: 0.0, "a single number"),
    ],
)
def test_what_all_failing_cases_have_in_common_is_said(change, words):
    result = SLOPE.check(lambda n, scale: change(right(n, scale)))
    assert words in result.cause, result


def test_a_known_mistake_gets_its_own_words_however_it_is_written():
    result = SLOPE.check(lambda n, scale: (-right(n, scale)).tolist())
    assert result.cause == "The sign!" and result.known


def test_a_parameter_that_is_never_read_is_named():
    assert "never reads `scale`" in repr(SLOPE.check(lambda n, scale: right(n, 9.0)))


def test_the_argument_that_parts_right_from_wrong_is_named():
    many = [Case(n, past) for n in (3, 4) for past in (0, 1, 2)]

    def _row(n, past):
        """Distances."""
        return np.arange(n) + past * 1.0

    task = array_task(_row, cases=many)
    assert "Right when `past` is 0" in task.check(lambda n, past: np.arange(n) * (past + 1.0)).cause


def _mask(n):
    """True where j is not after i."""
    return np.arange(n) <= np.arange(n)[:, None]


def test_truth_values_are_compared_and_told_as_such():
    task = Task("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
    assert task.check(_mask).passed and task.check(lambda n: np.tri(n)).passed
    turned = repr(task.check(lambda n: ~_mask(n)))
    assert "row 0, column 0: yours False, expected True" in turned and "1 minus" in turned
    assert "Yours is the transpose" in repr(task.check(lambda n: _mask(n).T))
    assert "wrong values" in repr(task.check(lambda n: np.ones((n, n), bool)))
    assert "wrong values" in repr(task.check(lambda n: 3.5 * np.ones((n, n))))
    assert "square" not in repr(task.check(lambda n: _mask(n) | (np.arange(n) == 2)))  # 1 is no square of 0


def test_numbers_pass_for_truth_values_with_a_note():
    task = Task("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
    for kind in (int, float):
        result = task.check(lambda n, kind=kind: _mask(n).astype(kind))
        assert result.passed and "True and False, which were wanted" in repr(result)
    assert not task.check(_mask).notes and not task.check(lambda n: _mask(n).tolist()).notes
    assert not task.check(lambda n: 2 * _mask(n)).notes[1:]  # what is wrong has no such note


def test_weights_are_explained_as_weights():
    x = np.array([[1.0, 2.0, 4.0], [0.0, 3.0, 1.0], [5.0, 0.5, 0.0]])
    task = array_task(_softmax, cases=[Case(x, axes=("query", "key")), Case(x + x.T)])
    assert "sums to 1 over the query axis" in task.check(lambda x: _softmax(x.T).T).cause
    assert "the softmax is missing" in task.check(lambda x: x - 1).cause
    assert "do not sum to 1" in task.check(lambda x: np.exp(x)).cause
    assert "wrong sign" in task.check(lambda x: _softmax(-x)).cause
    assert "off by one factor" in task.check(lambda x: _softmax(x / 3)).cause


# ---------------------------------------------------------------- several results


def test_half_precision_is_shown_without_a_warning(recwarn):
    half = np.array([0.5, 2.0], np.float16)
    fault = judge({"": half}, {"": half + np.float16(0.25)}, ())
    assert "yours 0.5000, expected 0.7500" in fault.facts[0] and not recwarn


def test_rounded_weights_are_called_rounded_and_not_badly_summed():
    assert "rounded" in array_task(_softmax).check(lambda x: np.round(_softmax(x), 3)).cause


def test_the_first_head_is_called_as_its_axis_calls_it():
    def _heads(x):
        return x[0] * np.arange(18.0).reshape(2, 3, 3)

    def second_wrong(x):
        found = _heads(x)
        return np.stack([found[0], found[1] ** 1.3])

    for labels, first in (((), "0"), (("1", "2"), "1")):
        task = array_task(_heads, axes=(Axis("head", labels), "query", "key"))
        assert f"Head {first} is right, the others are not" in task.check(second_wrong).cause


def test_too_many_axes_to_unpack_are_explained():
    def by_shape(x):
        n, d = x.shape
        return x / n / d

    assert "`x.shape[-2:]` is the last two" in CENTRED.check(by_shape).cause


def test_a_tuple_is_judged_part_by_part():
    assert CENTRED.check(lambda x: [x - x.mean(), x.mean()]).passed
    assert CENTRED.check(lambda x: {"mean": x.mean(), "rest": x - x.mean()}).passed
    assert "mean: yours" in repr(CENTRED.check(lambda x: (x - x.mean(), x.sum())))
    for odd in (lambda x: x - x.mean(), lambda x: (x,), lambda x: (x, x, x), lambda x: 3.0):
        result = CENTRED.check(odd)
        assert result.status == "wrong type" or "rest" in repr(result)
    assert "of 1; expected a tuple of 2: rest, mean" in repr(CENTRED.check(lambda x: (x,)))
    assert "missing mean" in repr(CENTRED.check(lambda x: {"rest": x}))
    swapped = CENTRED.check(lambda x: (x.mean(), x - x.mean()))
    assert swapped.status == "wrong shape" and "rest: yours has shape ()" in repr(swapped)


# ---------------------------------------------------------------- side effects


def test_writing_into_an_argument_passes_with_a_note_and_spoils_nothing():
    shared = np.array([1.0, 2.0, 6.0])
    task = array_task(_centred, cases=[Case(shared), Case(shared)], returns=("rest", "mean"))

    def in_place(x):
        mean = x.mean()
        x -= mean
        return x, mean

    result = task.check(in_place)
    assert result.passed and "writes into its argument `x`" in repr(result)
    assert shared.tolist() == [1.0, 2.0, 6.0]
    assert not task.check(task.right).notes


def test_later_cases_get_a_fresh_argument_when_the_first_call_changed_its_own():
    calls = []

    def counts(x):
        calls.append(x.copy())
        x[:] = 0
        return calls[-1] - calls[-1].mean(), calls[-1].mean()

    assert CENTRED.check(counts).passed
    assert [list(x) for x in calls] == [[1.0, 2.0, 6.0], [4.0, 4.0, 1.0]]


def test_read_only_arguments_can_be_used():
    fixed = np.array([1.0, 2.0, 3.0])
    fixed.setflags(write=False)
    assert array_task(_centred, cases=[Case(fixed)], returns=("rest", "mean")).check(_centred).passed


def test_a_million_printed_lines_become_one_sentence(capsys):
    def talks(n, scale):
        for k in range(1_000_000 // 6 + 1):
            print(k)
        return right(n, scale)

    result = slope_task(seconds=20.0).check(talks)
    assert result.passed and "1,000,002 lines in all cases together; the first 3: 0 ⏎ 1 ⏎ 2" in repr(result)
    assert capsys.readouterr() == ("", "")
    assert len(repr(result)) < 300


def test_warnings_stay_out_of_sight(recwarn):
    def divides(n, scale):
        with np.errstate(all="warn"):
            np.ones(2) / np.zeros(2)
        return right(n, scale)

    assert SLOPE.check(divides).passed
    assert not list(recwarn)


# ---------------------------------------------------------------- what it looks like


def every_face():
    results = [
        SLOPE.check(given)
        for given in (
            right,
            None,
            broken_in_a_file,
            Slope,
            lambda n, scale: right(n, scale)[0],
            lambda n, scale: -right(n, scale),
        )
    ]
    return [
        *results,
        SLOPE.hint(1),
        SLOPE.solution(),
        SLOPE.compare(lambda n, scale: right(n, scale) + 1),
        SLOPE.compare(right),
    ]


def test_the_same_check_says_the_same_twice_and_tells_no_address():
    for given in (
        right,
        broken_in_a_file,
        lambda n, scale: object(),
        lambda n, scale: right,
        raiser(ValueError(object())),
    ):
        first, second = repr(slope_task().check(given)), repr(slope_task().check(given))
        assert first == second
        assert "0x" not in first


def test_every_result_has_a_word_and_a_symbol():
    for face in every_face()[:6]:
        assert face.status in repr(face) and face.status in face._repr_html_()
        assert repr(face)[0] in "✓✗○" and repr(face)[0] in face._repr_html_()
        assert face.passed == (repr(face)[0] == "✓")


class Reader(HTMLParser):
    """Checks that every tag is closed, and that all text stands on a ground and in an ink that were both chosen."""

    VOID = ("br",)

    def __init__(self):
        super().__init__()
        self.open, self.found, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            style = dict(part.split(":", 1) for part in (dict(attrs).get("style") or "").split(";") if part)
            above = self.open[-1][1] if self.open else {}
            kept = {key: style.get(key, above.get(key)) for key in ("background", "color")}
            self.open.append((tag, kept))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.text += data
        if data.strip():
            self.found.append(self.open[-1][1])


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_all_text_has_opaque_colours_of_its_own_with_enough_contrast():
    for face in every_face():
        reader = Reader()
        reader.feed(face._repr_html_())
        assert not reader.open and reader.found
        for style in reader.found:
            assert re.fullmatch("#[0-9a-f]{6}", style["background"] or "") and re.fullmatch(
                "#[0-9a-f]{6}", style["color"] or ""
            )
            assert contrast(style["background"], style["color"]) >= 4.5
    for ground, ink, _ in (GREEN, AMBER, GREY):
        assert contrast(ground, ink) >= 4.5


def test_the_learners_text_is_escaped():
    evil = "<script>alert(1)</script>&amp;`<b>`"
    function = cell(f"def slope(n, scale):\n    raise ValueError({evil!r})\n", number=3)

    def prints(n, scale):
        print(evil)
        return right(n, scale)

    for face in (
        SLOPE.check(function),
        SLOPE.check(prints),
        Note(evil, evil),
        Code(evil, evil),
        Result("raised", evil, (evil,)),
    ):
        html = face._repr_html_()
        assert "<script" not in html and "<b>`" not in html
        reader = Reader()
        reader.feed(html)
        assert "<script>alert(1)</script>&amp;" in reader.text
    words = array_task(_softmax, expected=lambda x: ["<b>", "b", "c"])
    assert "<b>x</b>" not in words.compare(lambda x: ["<b>x</b>", "b", "c"])._repr_html_()


# ---------------------------------------------------------------- the other verbs


def test_hints_come_one_by_one_and_any_can_be_asked_for():
    task = slope_task()
    last = "Hint 2 of 2 (the last one; after it there is `.solution()`): second"
    assert [repr(task.hint()) for _ in range(3)] == ["Hint 1 of 2: first", "Hint 2 of 2: second", last]
    assert repr(task.hint(1)) == "Hint 1 of 2: first"
    assert repr(task.hint(9)) == last and repr(task.hint(-3)) == "Hint 1 of 2: first"


def test_the_solution_is_shown_under_the_learners_name():
    assert repr(SLOPE.solution()).startswith("def slope(n, scale):\n")
    assert SLOPE.stub() == 'def slope(n, scale):\n    """Slope: B[i, j] = -scale * |j - i|, shape (n, n)."""\n    ...'


def test_compare_sets_yours_beside_the_expected():
    def off(n, scale):
        b = right(n, scale)
        b[0, n - 1] += 1 * (n > 1)
        return b

    lines = repr(SLOPE.compare(off)).splitlines()
    assert lines[0] == "Slope: three tokens, `slope(n=3, scale=0.5)`: 1 of 9 entries differ"
    assert [line.split() for line in lines if line.startswith("  The")] == [
        ["The", "0.0000", "−0.5000", "0.0000", "✗"],
        ["The", "0.0000", "−0.5000", "−1.0000"],
        ["The", "0", "0", "1.0000"],
    ]
    assert "all entries agree" in repr(SLOPE.compare(right))
    assert isinstance(SLOPE.compare(None), Result) and isinstance(SLOPE.compare(broken_in_a_file), Result)
    assert SLOPE.compare(lambda n, scale: right(n, scale)[0]).status == "wrong shape"
    assert not SLOPE.compare(endless).passed


def test_compare_shows_a_window_of_what_is_large():
    task = array_task(_softmax, expected=lambda x: np.zeros((2, 40, 50)), cases=[Case(1)])

    def off(x):
        b = np.zeros((2, 40, 50))
        b[1, 30, 45] = 1
        return b

    text = repr(task.compare(off))
    assert "1 of 4000 entries differ" in text and "rows 26 to 33, columns 41 to 48" in text
    assert len(text) < 4000


# ---------------------------------------------------------------- bug hunts and open tasks


def test_a_bug_hunt_is_not_attempted_while_its_code_is_untouched():
    task = slope_task(given=_slope_given, mistakes=[])
    for before in ("", "import numpy as np\n\n"):
        assert task.check(cell(before + task.stub())).status == "not attempted"
    assert task.check(cell(task.stub().replace("(n, n)", "(n, n)!"))).status == "not attempted", (
        "a docstring is no change"
    )
    changed = cell(task.stub().replace("-scale", "scale"))
    assert task.check(changed).status == "wrong values"
    rewritten = task.check(lambda n, scale: -scale * np.subtract.outer(np.arange(n), np.arange(n)).T)
    assert "the bug is still there" in rewritten.cause
    assert task.check(cell(task.solution_source())).passed


def test_untouched_tells_small_changes_apart():
    def given(n):
        """Words."""
        return [n + 1 for _ in range(n)]

    for source, same in [
        ("def f(n):\n    'Other words.'\n    return [n + 1 for _ in range(n)]", True),
        ("def f(n):\n    return [n + 1.0 for _ in range(n)]", False),
        ("def f(n):\n    return [n + 2 for _ in range(n)]", False),
        ("def f(n):\n    return [n - 1 for _ in range(n)]", False),
        ("def f(m):\n    return [m + 1 for _ in range(m)]", False),
    ]:
        assert untouched(cell(source, "f"), given) is same, source


def test_a_line_moved_out_of_an_if_is_a_change():
    def given(n):
        """Words."""
        total = 0
        for k in range(n):
            if k > 2:
                total += k
                total += 1
        return total

    head = "def f(n):\n    total = 0\n    for k in range(n):\n        if k > 2:\n            total += k\n"
    for indent, same in ((12, True), (8, False), (4, False)):
        source = f"{head}{' ' * indent}total += 1\n    return total"
        assert untouched(cell(source, "f"), given) is same, source


def test_an_open_task_is_decided_by_its_properties():
    task = array_task(
        _softmax,
        expected=None,
        properties=[
            Property("sums to 1", lambda result, x: np.isclose(np.sum(result), 1), "It must sum to 1."),
            Property(
                "keeps the order", lambda result, x: (np.argsort(result) == np.argsort(x)).all(), "Keep the order."
            ),
        ],
    )
    assert task.check(_softmax).passed
    assert task.check(lambda x: x / x.sum()).passed
    assert "It must sum to 1." in repr(task.check(lambda x: x))
    assert task.check(lambda x: "odd").status == "property broken"
    assert "Yours holds nan" in repr(task.check(lambda x: np.log(-x)))


# ---------------------------------------------------------------- answers


ANSWER = Answer(
    "share",
    "A share",
    expected=lambda: {"near": 0.25, "word": "up"},
    mistakes=[Mistake({"near": 0.5}, "Halve it.")],
    **BASICS,
)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"near": 0.25, "word": "up"}, "passed"),
        ({"near": 0.2504, "word": " Up "}, "passed"),
        ({"near": np.float32(0.25), "word": "up"}, "passed"),
        ({"near": ..., "word": ...}, "not attempted"),
        ({"near": 0.25, "word": ...}, "not attempted"),
        ({"near": 0.25}, "not attempted"),
        ({"near": 0.3, "word": "up"}, "wrong values"),
        ({"near": "0.25", "word": "up"}, "wrong type"),
        ({"near": 0.25, "word": 1}, "wrong type"),
        ({"far": 0.25}, "wrong type"),
        (0.25, "wrong type"),
        ([0.25, "up"], "wrong type"),
    ],
    ids=repr,
)
def test_an_answer_is_judged_field_by_field(given, status):
    assert ANSWER.check(given).status == status


def test_an_answer_does_not_give_the_right_one_away():
    result = ANSWER.check({"near": 0.9, "word": "up"})
    assert "0.25" not in repr(result)
    assert ANSWER.check({"near": 0.5, "word": "up"}).cause == "Halve it."


COUNTS = Answer(
    "counts",
    "Counts",
    expected=lambda: {"few": 4, "rows": [2, 5], "seen": True, "kind": "past"},
    mistakes=[Mistake({"rows": [5, 2]}, "The rows are swapped."), Mistake({"kind": "future"}, "It lies behind.")],
    digits=0,
    **BASICS,
)
RIGHT_COUNTS = {"few": 4, "rows": [2, 5], "seen": True, "kind": "past"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"few": 5}, "This is 1 too large."),
        ({"few": 8}, "This is twice the right number."),
        ({"few": 6}, ""),  # near enough to several relations, and none of them
        ({"few": 0}, ""),
        ({"few": 4.02}, ""),
        ({"few": 3, "rows": [5, 2]}, "rows, entry 0: 5 is not right (0 of 2 are right)\n  → The rows are swapped."),
        ({"rows": "2, 5"}, "rows: expected 2 numbers in square brackets, without quotes"),
        ({"few": "4"}, "few: expected a number, without quotes"),
        ({"seen": "yes"}, "seen: expected `True` or `False`, without quotes"),
        ({"kind": "futurre"}, 'kind: "futurre" is none of the words: "future", "past"'),
        ({"rows": {5, 2}, "kind": "future"}, "It lies behind."),
    ],
    ids=repr,
)
def test_whole_numbers_words_and_truth_values_are_told_what_they_are(changes, words):
    result = COUNTS.check({**RIGHT_COUNTS, **changes})
    assert not result.passed and words in repr(result)
    assert words or not result.cause


def test_an_answer_may_keep_to_itself_how_far_off_a_number_is():
    quiet = Answer(
        "few", "few", expected=lambda: 4, mistakes=[Mistake(9, "Those are squares.")], nearly=False, **BASICS
    )
    assert not any(quiet.check(wrong).cause for wrong in (2, 3, 5, 8, -4))
    assert quiet.check(9).cause == "Those are squares." and quiet.check(4).passed


def test_an_answer_in_another_form_is_told_the_form():
    for given in ([4, [2, 5], True, "past"], 4, "past"):
        assert "should be a dictionary with few, rows, seen, kind" in repr(COUNTS.check(given))
    assert COUNTS.check({**RIGHT_COUNTS, "rows": {2, 5}}).passed


def test_near_misses_can_be_left_unsaid():
    for nearly, cause in ((True, "This is 1 too large."), (False, "")):
        answer = Answer("product", "Product", **BASICS, expected=lambda: -7, nearly=nearly)
        assert answer.check(-6).cause == cause


def test_keys_with_commas_are_told_apart_by_quotes():
    answer = Answer("both", "Both", **BASICS, expected=lambda: {"q at 1, k at 2": 3, "sum": 4})
    assert 'a dictionary with "q at 1, k at 2", "sum"' in repr(answer.check(3))
    assert 'still to fill in: "q at 1, k at 2"' in repr(answer.check({"sum": 4}))


@pytest.mark.parametrize("how", ["raises", "endless"])
def test_hostile_answers_do_no_harm(how):
    for given in (Hostile(how), {"near": Hostile(how), "word": "up"}):
        result = ANSWER.check(given)
        assert not result.passed
        as_texts(result)


# ---------------------------------------------------------------- authors


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(hints=[]), "hints=[]"),
        (dict(hints=["one", ""]), "hints="),
        (dict(difficulty=4), "difficulty=4: expected 1, 2 or 3"),
        (dict(minutes=0), "minutes=0"),
        (dict(title=" "), "title="),
        (dict(words=""), "words="),
        (dict(cases=[]), "cases=[]"),
        (dict(expected=None), "expected=None"),
        (dict(seconds=0), "seconds=0"),
    ],
)
def test_an_author_is_told_what_is_not_whole(changes, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        slope_task(**changes)
    assert "Task slope" in str(caught.value)


def test_a_substitution_must_match_exactly_once():
    for old, count in (("j", 2), ("nowhere", 0)):
        with pytest.raises(ValueError, match=rf"old='{old}' is found \d+ times .* expected once") as caught:
            SLOPE.variant(Mistake(old, "x", "Words."))
        assert str(caught.value).startswith("slope") and count != 1
    for wrong in (("old", "new"), ("only",), (right, ""), ("a", "b", "c", "d"), ()):
        if len(wrong) != 2 or not wrong[1]:
            with pytest.raises(ValueError, match="expected \\(old, new, message\\)"):
                Mistake(*wrong)


def test_a_solution_without_docstring_is_refused():
    def bare(x):
        return x

    with pytest.raises(ValueError, match="expected a def with a docstring and a body below it"):
        Source(bare, "bare")


def test_a_random_case_is_the_same_for_the_same_seed():
    assert SLOPE.random_case(5).args == SLOPE.random_case(5).args != SLOPE.random_case(6).args


# ---------------------------------------------------------------- memory of what was passed


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "FILE", tmp_path / ".progress.json")
    monkeypatch.delenv(memory.OFF, raising=False)
    return tmp_path / ".progress.json"


def test_a_passed_task_of_a_chapter_is_remembered_once(file):
    from course_lib.tasks import ch02

    for _ in range(2):
        ch02.bias_matrix.check(ch02.bias_matrix.right)
    assert json.loads(file.read_text()) == ["ch02.bias_matrix"]
    ch02.bias_matrix.check(None)
    ch02.scaled_scores.check(lambda q, k: 0)
    SLOPE.check(right)
    assert memory.passed_tasks() == {"ch02.bias_matrix"}
    ch02.neighbour.check(ch02.neighbour.expected())
    assert memory.passed_tasks() == {"ch02.bias_matrix", "ch02.neighbour"}
    assert [path.name for path in file.parent.iterdir()] == [".progress.json"]


@pytest.mark.parametrize("damage", [b"", b"{", b"7", b'{"a": [1]}', b"[[1]]", b"[1, null]", b"\xff\xfe", b"null"])
def test_a_damaged_file_is_harmless(file, damage):
    file.write_bytes(damage)
    memory.record("course_lib.tasks.ch02.scores", "bias_matrix")
    assert "ch02.bias_matrix" in memory.passed_tasks()
    assert all(isinstance(name, str) for name in memory.passed_tasks())


def test_a_place_where_nothing_can_be_written_is_harmless(tmp_path, monkeypatch):
    monkeypatch.delenv(memory.OFF, raising=False)
    (tmp_path / "a file").write_text("")
    for place in (tmp_path / "a file" / "progress.json", tmp_path / "missing" / "progress.json", tmp_path):
        monkeypatch.setattr(memory, "FILE", place)
        memory.record("course_lib.tasks.ch02", "bias_matrix")
        assert memory.passed_tasks() == set()


# ---------------------------------------------------------------- what an import costs


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module", ["course_lib", "course_lib.reference", "course_lib.tasks.engine", "course_lib.tasks.ch02"]
)
def test_an_import_loads_neither_torch_nor_matplotlib(module):
    heavy = python(
        f"import {module}, sys; print(*{{'torch', 'matplotlib', 'IPython', 'ipywidgets'}} & set(sys.modules))"
    )
    assert heavy == ""


def test_the_imports_cost_little_more_than_numpy():
    timed = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    everything = "numpy, course_lib, course_lib.reference, course_lib.tasks.engine"
    pairs = [(float(python(timed.format("numpy"))), float(python(timed.format(everything)))) for _ in range(4)]
    assert min(mine for _, mine in pairs) - min(base for base, _ in pairs) < 0.3


def test_plain_leaves_an_array_as_it_is():
    x = np.arange(6.0).reshape(2, 3)
    assert plain(x) is x


def test_stress_and_code_in_a_message():
    html = Result("wrong values", "*Sums*", ("`a * b` and 2*m*x stay, *this* is stressed",))._repr_html_()
    assert "<em>Sums</em>" in html and ">a * b</code> and 2*m*x stay, <em>this</em> is" in html


# ---------------------------------------------------------------- a hook of a module


class Module:
    """Stands for a module that holds a tensor."""

    def __init__(self):
        import torch

        self.strengths = torch.ones(2)

    def __array__(self, dtype=None, copy=None):
        return self.strengths.numpy()


def hook_task():
    def _hook(self, n):
        """The strengths times n."""
        return n * self.strengths

    return array_task(
        _hook, expected=lambda self, n: 1.0 * n * np.ones(2), cases=[Case(Module(), 2)], hook="self.strengths"
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda self, n: (n * self.strengths).numpy(), "an ndarray; a hook returns a torch tensor: `torch.from_numpy"),
        (lambda self, n: (n * self.strengths).tolist(), "a list; a hook returns a torch tensor: `torch.tensor(…)`"),
        (lambda self, n: list(n * self.strengths), "a list of tensors; a hook returns a torch tensor: `torch.stack"),
        (lambda self, n: print(end=""), "nothing (None)"),
        (lambda self, n: self.strengths.mul_(n), "your function writes into `self.strengths`"),
        (lambda self, n: self.strengths.unsqueeze_(0) * n, "your function writes into `self.strengths`"),
    ],
)
def test_a_hook_returns_a_tensor_and_leaves_its_module_as_it_is(wrong, words):
    pytest.importorskip("torch")
    assert hook_task().check(hook_task().right).passed
    for _ in range(2):
        result = hook_task().check(wrong)
        assert not result.passed and words in repr(result)


def test_a_result_in_some_cases_and_none_in_others_is_told():
    result = SLOPE.check(lambda n, scale: right(n, scale) if n > 2 else None)
    assert "Other cases have a result: in this one no `return` was reached." in result.cause
    assert not SLOPE.check(lambda n, scale: print(end="")).cause


def test_a_label_that_is_a_negative_number_stands_bare():
    axis = Axis("offset", ("−1", "0"))
    assert (axis.at(0, 2), Axis("token", ("−", "0")).at(0, 2)) == ("offset −1", 'token "−"')


def test_what_is_told_once_all_is_right():
    assert array_task(_softmax, then="And now?").check(_softmax).notes == ("And now?",)
    answer = Answer("product", "Product", **BASICS, expected=lambda: -7, then=lambda: "As measured: −7.")
    assert answer.check(-7).notes == ("As measured: −7.",) and not answer.check(7).notes


def test_words_of_one_field_and_a_key_that_there_is_not():
    pairs = Answer("pairs", "Pairs", **BASICS, expected=lambda: {"a or b": "a", "c or d": "c"}, words_of=str.split)
    assert '"c" is none of the words: "a", "or", "b"' in repr(pairs.check({"a or b": "c"}))
    assert 'a dictionary with a or b, c or d; it has no "a or d"' in repr(pairs.check({"a or d": "a"}))
