"""An answer to commit to: numbers worked out by hand and predictions in words, by name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..display.formatting import any_number
from .arrays import Array, Outputs, Unusable, as_array
from .axes import Axes, named
from .case import Case
from .exercise import Exercise
from .results import Result
from .runner import Outcome, run


def _truth(value: Array) -> Array:
    """The words 'True' and 'False' as truth values; anything else as it is."""
    if value.dtype.kind != "U" or not np.isin(value, ("True", "False")).all():
        return value
    return value == "True"


def _bare(words: str) -> str:
    """Words without case, stops and spacing: "Rises, then falls." is an answer too."""
    return " ".join(re.sub(r"[,.;!]", " ", words.lower()).split())


def _close(yours: Array, right: Array) -> bool:
    """Within two percent."""
    return np.allclose(yours.reshape(right.shape), right, rtol=0, atol=0.02 * (1 + abs(right).max()))


def _listed(names: Iterable[str]) -> str:
    """Names in a row, in quotes where one of them has a comma of its own."""
    names = list(names)
    return ", ".join(f'"{name}"' if any("," in other for other in names) else name for name in names)


class Prediction(Exercise):
    """A dictionary the learner assigns to `name`. The check never tells the right one.

    `expected()` computes it: numbers, words, truth values and lists of numbers by field. A number is right within one
    unit of its last of `digits` decimals, or within `about` of it where `about` has its field.

    `wrong` are wrong answers with their messages: {field: {value: message}}. The key (field, other) takes pairs of
    values; a list of numbers is written as a tuple. Computed ones may also come as a list of (values by field,
    message). `words_of` gives the words that a field takes, if they are not those of the right answer and the wrong
    ones. `otherwise` has messages for all other wrong answers, by field. `on_pass` is added to the result that says all
    is right. The rest is as in Exercise.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        expected: Callable[[], Mapping[str, Any]],
        digits: int = 3,
        wrong: Mapping[Any, Mapping[Any, str]] | Sequence[tuple[dict[str, Any], str]] = (),
        about: Mapping[str, float] | None = None,
        axes: Axes = (),
        otherwise: Mapping[str, str] | None = None,
        words_of: Callable[[str], Sequence[str]] | None = None,
        on_pass: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(name, title, **rest)
        self.expected, self.digits, self.axes = expected, digits, axes
        self.words_of, self.on_pass, self.wrong = words_of, on_pass, wrong
        self.about, self.otherwise = about or {}, otherwise or {}

    @cached_property
    def wrong_answers(self) -> list[tuple[dict[str, Any], str]]:
        """(values by field, message) of every known mistake."""
        if not isinstance(self.wrong, Mapping):
            return list(self.wrong)
        found: list[tuple[dict[str, Any], str]] = []
        for fields, messages in self.wrong.items():
            for value, message in messages.items():
                if isinstance(fields, tuple):
                    values = dict(zip(fields, value, strict=True))
                else:
                    values = {fields: list(value) if isinstance(value, tuple) else value}
                found.append((values, message))
        return found

    def stub(self) -> str:
        """`name = {…}`, with a place for each field."""
        return self._written(lambda value: "...")

    def solution_source(self) -> str:
        return self._written(self._literal)

    def _written(self, text_of: Callable[[Any], str]) -> str:
        lines = (f"    {key!r}: {text_of(value)},\n" for key, value in self.expected().items())
        return f"{self.name} = {{\n{''.join(lines)}}}"

    def _literal(self, value: Any) -> str:
        if isinstance(value, (list, tuple, np.ndarray)):
            return f"[{', '.join(self._literal(item) for item in value)}]"
        if isinstance(value, (bool, np.bool_, str)):
            return repr(bool(value) if not isinstance(value, str) else str(value)).replace("'", '"')
        return f"{float(value):.{self.digits}f}" if float(value) != int(value) else str(int(value))

    def _check(self, given: Any) -> Result:
        right, given = self._fields(self.expected()), {} if given is None or given is Ellipsis else given
        if not isinstance(given, Mapping):
            return Result("wrong type", self.title, (self._no_dictionary(),))
        outcomes = run(lambda: given, [Case()], self._fields, 2.0).outcomes  # the object's own code may never end
        outcome = outcomes[0] if outcomes else Outcome(unusable="no answer in time")
        if outcome.blank or outcome.value == {}:
            return Result("not attempted", self.title, (f"Put your answer in place of `...`: `{self.name} = …`",))
        if outcome.value is None:
            return Result("wrong type", self.title, (f"`{self.name}` is {outcome.unusable or outcome.error}",))
        truths = {key for key, value in right.items() if value.dtype.kind == "b"}
        yours = {key: _truth(value) if key in truths else value for key, value in outcome.value.items()}
        if strange := self._strange(yours, right):
            return Result("wrong type", self.title, (strange,))
        wrong = {key: ~self._near(value, right[key], key) for key, value in yours.items()}
        bad = [key for key in right if key in wrong and wrong[key].any()]
        missing = [key for key in right if key not in yours]
        to_fill = [f"still to fill in: {_listed(missing)}"] if missing else []
        if bad:
            cause, is_named, about = self._cause(yours, right, bad)
            told = next((key for key in bad if key in about), bad[0])  # the fact the cause speaks of
            facts = (self._told(told, wrong[told], yours[told]), *to_fill)
            return Result("wrong values", self.title, facts, cause, named=is_named)
        if missing:
            return Result("not finished", self.title, ("right so far", *to_fill))
        return Result("passed", self.title, ("right",), notes=(self.on_pass,) if self.on_pass else ())

    def _fields(self, value: Mapping[str, Any]) -> Outputs:
        """The fields by name; those left at `...` are left out. Raises Unusable, naming the field."""
        fields: Outputs = {}
        for key, item in value.items():
            if item is None or item is Ellipsis:
                continue
            try:
                fields[str(key)] = as_array(sorted(item) if isinstance(item, (set, frozenset)) else item)
            except Unusable as what:
                raise Unusable(f"a dictionary in which {key!r} is {what}") from None
        return fields

    def _no_dictionary(self) -> str:
        return f"`{self.name}` should be a dictionary with {_listed(self._fields(self.expected()))}"

    def _words(self, key: str) -> Sequence[str]:
        """The words that a field takes: all that the right answer and the known wrong ones use."""
        if self.words_of:
            return self.words_of(key)
        values = [self.expected(), *(value for value, _ in self.wrong_answers)]
        arrays = [array for value in values for array in self._fields(value).values()]
        return sorted({str(word) for array in arrays if array.dtype.kind == "U" for word in array.ravel()})

    def _strange(self, yours: Outputs, right: Outputs) -> str:
        unknown = [key for key in yours if key not in right]
        if unknown:
            return f'{self._no_dictionary()}; it has no "{unknown[0]}"'
        for key, value in yours.items():
            e = right[key]
            if (value.dtype.kind == "U") != (e.dtype.kind == "U"):
                wanted = {"U": "a word", "b": "`True` or `False`, without quotes"}
                numbers = f"{e.size} numbers in square brackets" if e.size > 1 else "a number"
                return f"{key}: expected {wanted.get(e.dtype.kind, f'{numbers}, without quotes')}"
            if value.squeeze().shape != e.squeeze().shape:
                return f"{key}: expected {'one value' if e.ndim == 0 else f'{e.size} values'}, got {value.size}"
            words = self._words(key) if e.dtype.kind == "U" else ()
            if len(words) > 1 and _bare(str(value)) not in map(_bare, words):
                return f'{key}: "{value}" is none of the words: ' + ", ".join(f'"{word}"' for word in words)
        return ""

    def _near(self, yours: Array, right: Array, key: str = "") -> Array:
        """Where an answer counts as right: whole numbers exactly, others within one unit of the last decimal."""
        if right.dtype.kind == "U":
            return np.vectorize(_bare)(yours) == np.vectorize(_bare)(right)
        unit = self.about.get(key, 10.0**-self.digits if right.dtype.kind == "f" else 0.0)
        rate = 1e-6 if yours.dtype == np.float32 else 1e-9
        return np.isclose(
            yours.reshape(right.shape).astype(float), right.astype(float), rtol=rate, atol=unit, equal_nan=True
        )

    def _told(self, key: str, wrong: Array, yours: Array) -> str:
        """Which entry is not right, and how many are, without giving the number away."""
        first = tuple(int(k) for k in np.argwhere(wrong)[0]) if wrong.ndim else ()
        value = yours.reshape(wrong.shape)[first]
        where = ", ".join(axis.at(k, n) for axis, k, n in zip(named(self.axes, key, wrong.ndim), first, wrong.shape))
        shown = f'"{value}"' if yours.dtype.kind == "U" else any_number(value, 4 if yours.dtype.kind == "f" else 0)
        counted = f" ({wrong.size - int(wrong.sum())} of {wrong.size} are right)" if wrong.size > 1 else ""
        return f"{', '.join(filter(None, (key, where)))}: {shown} is not right{counted}"

    def _given(self, yours: Outputs, told: Outputs) -> bool:
        """Whether the answer has all these values."""
        return all(
            key in yours and yours[key].size == v.size and self._near(yours[key], v).all() for key, v in told.items()
        )

    def _cause(self, yours: Outputs, right: Outputs, bad: list[str]) -> tuple[str, bool, Iterable[str]]:
        """The message of a known mistake, else that it is close; whether it is named; and the fields it means.

        Of several known ones, the first of those that explain most of what is wrong: one number may be a coincidence.
        """
        known = [(self._fields(values), message) for values, message in self.wrong_answers]
        found = [(told, message) for told, message in known if self._given(yours, told)]
        if found:
            told, message = max(found, key=lambda one: len(one[0].keys() & set(bad)))
            return message, True, told
        if all(right[key].dtype.kind == "f" and _close(yours[key], right[key]) for key in bad):
            decimals = f"{self.digits} decimal{'s' * (self.digits != 1)}"
            return f"Close, but not right to {decimals}. Is something rounded on the way?", False, bad
        field = next((key for key in bad if key in self.otherwise), None)
        return ("", False, bad) if field is None else (self.otherwise[field], True, [field])
