"""An answer to commit to: a number worked out by hand, a prediction in words, or several of them by name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import Array, Outputs, Unusable, as_array
from .axes import Axes, named
from .case import Case
from .difference import number
from .exercise import Exercise
from .results import Result
from .runner import Outcome, run

NEARLY: dict[str, Callable[[Array], Array]] = {
    "The sign is the wrong way round.": lambda e: -e,
    "This is a percentage: give the number itself.": lambda e: 100 * e,
    "This is one divided by the right number.": lambda e: 1 / e,
    "This is twice the right number.": lambda e: 2 * e,
    "This is half the right number.": lambda e: e / 2,
    "This is 1 minus the right number.": lambda e: 1 - e,
    "This is 1 too large.": lambda e: e + 1,
    "This is 1 too small.": lambda e: e - 1,
    "This is the square of the right number.": lambda e: e * e,
    "A logarithm to base 2? `log` in this course is to base e.": lambda e: e / np.log(2),
    "A logarithm to base 10? `log` in this course is to base e.": lambda e: e / np.log(10),
}


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
    """A value the learner assigns to `name`. The check never tells the right one: `solution()` does.

    `expected()` computes it: a number, a word, a truth value, a list of numbers, or a dictionary of these, compared
    field by field. A number is right within one unit of its last of `digits` decimals, or within `about` of it where
    `about` has its field.

    `wrong` are wrong answers with their messages: {value: message}, and for a dictionary {field: {value: message}}.
    The key (field, other) takes pairs of values, in which `...` means any; a list of numbers is written as a tuple.
    Computed ones may also come as a list of (value, message), where a dictionary names some of the fields. `words_of`
    gives the words that a field takes, if they are not those of the right answer and the wrong ones. `nearly=False`
    keeps the check from saying "twice the right number" and the like, which gives a whole number away. `otherwise` has
    messages for all other wrong answers, by field. `on_pass` is added to the result that says all is right. The rest is
    as in Exercise. Raises ValueError for what is not whole.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        expected: Callable[[], Any],
        digits: int = 3,
        wrong: Mapping[Any, Any] | Sequence[tuple[Any, str]] = (),
        about: Mapping[str, float] | None = None,
        axes: Axes = (),
        nearly: bool = True,
        otherwise: Mapping[str, str] | None = None,
        words_of: Callable[[str], Sequence[str]] | None = None,
        on_pass: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(name, title, home=expected, **rest)
        self.need(digits >= 0, "digits", digits, "0 or more decimals")
        self.expected, self.digits, self.axes, self.nearly = expected, digits, axes, nearly
        self.words_of, self.on_pass, self.wrong = words_of, on_pass, wrong
        self.about, self.otherwise = about or {}, otherwise or {}

    @cached_property
    def wrong_answers(self) -> list[tuple[dict[str, Any], str]]:
        """(values by field, message) of every known mistake; the field of a single value is ""."""
        if not isinstance(self.wrong, Mapping):
            return [(values if isinstance(values, dict) else {"": values}, message) for values, message in self.wrong]
        found: list[tuple[dict[str, Any], str]] = []
        by_field = self.wrong if isinstance(self.expected(), Mapping) else {"": self.wrong}
        for fields, messages in by_field.items():
            for value, message in messages.items():
                if isinstance(fields, tuple):
                    values = {field: v for field, v in zip(fields, value, strict=True) if v is not ...}
                else:
                    values = {fields: list(value) if isinstance(value, tuple) else value}
                found.append((values, message))
        return found

    def stub(self) -> str:
        """`name = ...`, with a place for each field, and the choices beside it."""
        right = self.expected()
        if isinstance(right, Mapping):
            return f"{self.name} = {{\n" + "".join(f"    {key!r}: ...,\n" for key in right) + "}"
        if isinstance(right, (list, tuple, np.ndarray)) and np.ndim(right) == 1:
            return f"{self.name} = [{', '.join(['...'] * len(right))}]"
        return f"{self.name} = ..."

    def solution_source(self) -> str:
        return f"{self.name} = {self._literal(self.expected())}"

    def _literal(self, value: Any) -> str:
        if isinstance(value, Mapping):
            return "{\n" + "".join(f"    {key!r}: {self._literal(item)},\n" for key, item in value.items()) + "}"
        if isinstance(value, (list, tuple, np.ndarray)):
            return f"[{', '.join(self._literal(item) for item in value)}]"
        if isinstance(value, (bool, np.bool_, str)):
            return repr(bool(value) if not isinstance(value, str) else str(value)).replace("'", '"')
        return f"{float(value):.{self.digits}f}" if float(value) != int(value) else str(int(value))

    def _check(self, given: Any) -> Result:
        expected = self.expected()
        right = self._fields(expected)
        if isinstance(expected, Mapping) and not (isinstance(given, Mapping) or given is None or given is Ellipsis):
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
            cause, known, about = self._cause(yours, right, bad)
            told = next((key for key in bad if key in about), bad[0])  # the fact the cause speaks of
            facts = (self._told(told, wrong[told], yours[told]), *to_fill)
            return Result("wrong values", self.title, facts, cause, known=known)
        if missing:
            return Result("not attempted", self.title, ("right so far", *to_fill))
        return Result("passed", self.title, ("right",), notes=(self.on_pass,) if self.on_pass else ())

    def _fields(self, value: Any) -> Outputs:
        """The fields by name; those left at `...` are left out. Raises Unusable, naming the field."""
        fields: Outputs = {}
        for key, item in (value if isinstance(value, Mapping) else {"": value}).items():
            if item is None or item is Ellipsis:
                continue
            try:
                fields[str(key)] = as_array(sorted(item) if isinstance(item, (set, frozenset)) else item)
            except Unusable as what:
                raise Unusable(f"a dictionary in which {key!r} is {what}" if key else str(what)) from None
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
            dictionary = f'{self._no_dictionary()}; it has no "{unknown[0]}"'
            return f"`{self.name}` should be one value" if "" in right else dictionary
        for key, value in yours.items():
            at, e = f"{key}: " if key else "", right[key]
            if (value.dtype.kind == "U") != (e.dtype.kind == "U"):
                wanted = {"U": "a word", "b": "`True` or `False`, without quotes"}
                numbers = f"{e.size} numbers in square brackets" if e.size > 1 else "a number"
                return f"{at}expected {wanted.get(e.dtype.kind, f'{numbers}, without quotes')}"
            if value.squeeze().shape != e.squeeze().shape:
                return f"{at}expected {'one value' if e.ndim == 0 else f'{e.size} values'}, got {value.size}"
            words = self._words(key) if key and e.dtype.kind == "U" else ()
            if len(words) > 1 and _bare(str(value)) not in map(_bare, words):
                return f'{at}"{value}" is none of the words: ' + ", ".join(f'"{word}"' for word in words)
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
        shown = f'"{value}"' if yours.dtype.kind == "U" else number(value, 4 if yours.dtype.kind == "f" else 0)
        counted = f" ({wrong.size - int(wrong.sum())} of {wrong.size} are right)" if wrong.size > 1 else ""
        return f"{', '.join(name for name in (key, where) if name) or 'yours'}: {shown} is not right{counted}"

    def _cause(self, yours: Outputs, right: Outputs, bad: list[str]) -> tuple[str, bool, Iterable[str]]:
        """The message of a known mistake, else what it nearly is; whether it is known; and the fields it means."""
        for values, message in self.wrong_answers:
            told = self._fields(values)
            same = (
                key in yours and yours[key].size == v.size and self._near(yours[key], v).all()
                for key, v in told.items()
            )
            if all(same):
                return message, True, told
        if any(right[key].dtype.kind not in "iuf" for key in bad):
            return "", False, bad
        with np.errstate(all="ignore"):
            for message, change in NEARLY.items() if self.nearly else ():
                if all(self._related(yours[key], right[key], change) for key in bad):
                    return message, False, bad
            if all(right[key].dtype.kind == "f" and _close(yours[key], right[key]) for key in bad):
                decimals = f"{self.digits} decimal{'s' * (self.digits != 1)}"
                return f"Close: give {decimals}, and round only at the end.", False, bad
        field = next((key for key in bad if key in self.otherwise), None)
        return ("", False, bad) if field is None else (self.otherwise[field], True, [field])

    def _related(self, yours: Array, right: Array, change: Callable[[Array], Array]) -> bool:
        """Whether yours is `change` of the right value, to the digit where that is a whole number."""
        changed = np.asarray(change(right.astype(float)))
        near = self._near(yours, changed) if right.dtype.kind == "f" else yours.reshape(right.shape) == changed
        return bool(near.all())
