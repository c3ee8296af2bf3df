"""Two of a page's wrong programs as one, for an answer with two slips."""

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

OF_ONE_SLIP = re.compile(r"\b(is|are) right\b|\b(Your|Every)\w* (\w+ )?(is|are) nan\b")  # untrue beside another one
Program = tuple[str, str]  # a message, and the source of the wrong program that it describes


class Clash(Exception):
    """Two changes meet in one place."""


def pairs(right: str, wrong: Sequence[Program]) -> Iterator[Program]:
    """Each two of the wrong programs that change different places of the right one, made one."""
    base = tree(right)
    made = [(message, tree(text)) for message, text in wrong if not OF_ONE_SLIP.search(message)]
    for n, (message, one) in enumerate(made):
        for other_message, other in made[n + 1 :]:
            if other_message != message:
                with suppress(Clash):
                    yield f"{message} And: {other_message}", ast.unparse(merged(base, one, other))


def merged(base: Any, one: Any, other: Any) -> Any:
    """A part of a program with the changes of both to it. Raises Clash, also for a change that both have."""
    was, here, there = map(as_text, (base, one, other))
    if here == was:
        return other
    if there == was:
        return one
    if isinstance(base, list) and len(base) == len(one) == len(other):
        return [merged(*parts) for parts in zip(base, one, other)]
    if isinstance(base, list) and len(base) > 1:  # one of them has a statement more, or less
        return list(chain(*merged(*(in_places(base, made) for made in (base, one, other)))))
    if not isinstance(base, ast.AST) or not type(base) is type(one) is type(other):
        raise Clash
    both = copy.copy(base)
    for field in base._fields:
        setattr(both, field, merged(getattr(base, field), getattr(one, field), getattr(other, field)))
    return both


def in_places(base: list[Any], made: list[Any]) -> list[list[Any]]:
    """What a list has where the base has each of its items, and, between two of these, what it has in addition."""
    places: list[list[Any]] = [[] for _ in range(2 * len(base) + 1)]
    alike = SequenceMatcher(None, [str(as_text(one)) for one in base], [str(as_text(one)) for one in made], False)
    for _, begin, end, first, last in alike.get_opcodes():
        if end - begin == last - first:
            places[2 * begin + 1 : 2 * end : 2] = [[one] for one in made[first:last]]
        else:
            places[2 * begin] = made[first:last]
    return places


def tree(source: str) -> ast.Module:
    """A function without docstring and annotations; each node keeps its own text, which is slow to make."""
    module = ast.parse(source)
    function: Any = module.body[0]
    function.returns = None
    if ast.get_docstring(function) is not None:
        del function.body[0]
    for argument in function.args.args:
        argument.annotation = None
    for node in ast.walk(module):
        node.text = ast.dump(node)  # type: ignore[attr-defined]
    return module


def as_text(part: Any) -> Any:
    """What a node, a list of nodes, a name or a number says."""
    return [as_text(one) for one in part] if isinstance(part, list) else getattr(part, "text", part)
