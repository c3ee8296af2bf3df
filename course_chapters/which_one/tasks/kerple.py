"""The capstone: KERPLE as a class, checked against its definition, timed and trained."""

import ast
import inspect
from functools import partial
from itertools import chain
from textwrap import dedent
from typing import Any

import numpy as np

from course_kit.checking import Case, Exercise, Result
from course_kit.checking.arrays import describe_type
from course_kit.checking.error_hints import explain_error
from course_kit.checking.runner import run
from course_kit.checking.solution_source import blank_class, methods_of

from .kerple_messages import ERRORS


def solution():
    """The class, in a function because it needs torch, and the tasks are read without it."""
    import torch
    from torch import nn

    from course_lib.nn.grid import row_offsets
    from course_lib.nn.position import Position

    class Kerple(Position):
        """b_h(r) = -a_h * log(1 + c_h * |r|), with an a and a c for each head, learned and always positive.

        Source: Chi et al. 2022, the logarithmic variant.
        """

        def __init__(self, n_heads):
            super().__init__()
            self.table = nn.Parameter(torch.zeros(2, n_heads))  # log a and log c

        @property
        def a(self):
            """The strength of each head, (n_heads,), above 0 whatever is learned; 1 at the start."""
            return self.table[0].exp()

        @property
        def c(self):
            """What each head multiplies distance by, (n_heads,), above 0 whatever is learned; 1 at the start."""
            return self.table[1].exp()

        def bias(self, n_q, n_k, past):
            """A number per head and offset, (n_heads, n_q + n_k - 1), offsets ascending, on its parameters' device."""
            distance = row_offsets(n_q, n_k, past, self.table.device).abs()
            return -self.a[:, None] * (self.c[:, None] * distance).log1p()

    return Kerple


WORDS = """KERPLE (Chi et al., 2022) is a family of learned decays. Its logarithmic one is

$$b_h(r) = -a_h \\log(1 + c_h |r|), \\qquad a_h, c_h > 0.$$

It is the log decay of [[bias_by_hand|chapter #]] with two numbers for each head: a strength $a_h$, and $c_h$, which
sets the unit in which distance is counted. The paper writes $r_1$ and $r_2$ for them. Write the whole scheme, as a
class that a layer can use and an optimizer can train, in which every head *learns* its $a_h$ and its $c_h$.

- Both are 1 at the start. Whatever the optimizer does, they are above 0 and go on learning, and any number above 0 is
  within reach. (The authors' code clips the numbers from below at each step. If you learn something of which $a$ and
  $c$ are a positive function, nothing has to be clipped.)
- `a` and `c` are properties, each a tensor with a number per head. Gradients reach what they are made of.
- `bias` is the hook: one number per head and offset, in the order of `row_offsets(n_q, n_k, past)`, as a tensor. It is
  computed in each call, with torch only, from the current a and c, in the precision and on the device of the parameters
  (`row_offsets(n_q, n_k, past, device)` takes one). Hiding keys is the job of the mask.

How you keep the numbers is up to you. One hint from the study: it lets a parameter of the name `table` learn ten times
as fast as the rest, since Adam moves a number by at most the learning rate, and a bias is one number. `(2, n_heads)`
has room for both.

Three cells follow the check: the oracle, the clock and the study."""
HINTS = [
    "What is positive for every number x? e^x is, and it is 1 at x = 0.",
    "`self.table = nn.Parameter(torch.zeros(2, n_heads))` in `__init__`, after `super().__init__()`. Then "
    "`self.table[0].exp()` is `a`.",
    "In `bias`, the distance is `row_offsets(n_q, n_k, past, self.table.device).abs()`, and log(1 + x) is "
    "`x.log1p()`. The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), as with `self.c[:, None]`.",
]
THEN = (
    "A paper's formula is now a scheme that any layer of the course takes. With c = 1 in every head it is the log "
    "decay, of strength a. With a tiny c and a large a it is nearly ALiBi's straight line, of slope a · c, because "
    "log(1 + x) is about x. So this is one family, and training chooses a member for each head. Run the three cells "
    "below."
)
AFTER = """\
# %% [markdown]
# ### The same oracle as for the course's own schemes
#
# `own_scheme.agrees` checks any `Position` against plain Python loops. You say what it adds to a score, a number for
# each head and offset, in code that shares nothing with the class. It tries one head and many, as many keys as
# queries and others, near and far, a cache, one token at a time, causal and not, in two precisions, by
# the formula and by torch's kernel.

# %%
def make(n_heads, d_head):
    return Kerple(n_heads)


def number(module, head, r):
    return -module.a[head] * math.log(1 + module.c[head] * abs(r))


agreement = own_scheme.agrees(make, own_scheme.with_bias(number))
assert agreement.passed or not agreement.attempted, agreement
agreement

# %% [markdown]
# ### What it costs
#
# This compares it with attention without position, in turns, as in [[fast_attention|chapter #]]. Your numbers differ
# from those printed here. A bias that learns costs more in training: its gradient has to make blocks of the grid
# again.

# %% tags=["nbval-ignore-output"]
speed = own_scheme.benchmark(make)
assert not speed.attempted or (speed.forward < 4 and speed.backward < 6), speed
speed

# %% [markdown]
# ### What it learns
#
# The study of [[longer_than_training|chapter #]] trains it on 128 characters and tests it on up to 1,024, in 300
# steps. Before you run the cell: log-1 has a = 1 and c = 1 for good, and its loss rises with length. Yours begins
# there. Which of the two numbers will training move, and will the loss still rise? The control, log-3, has a strength
# of 3 in every head, learns nothing, and is trained here beside yours.

# %% tags=["nbval-ignore-output"]
training = own_scheme.train(make, against=["log-1", "log-3", "alibi"])
if training.attempted:
    for layer, block in enumerate(training.model.blocks):
        learned = block.attention.position
        print(f"layer {layer}: a", *(f"{a:.2f}" for a in learned.a), "· c", *(f"{c:.2f}" for c in learned.c))
    yours, fixed = training.loss["Kerple"], training.loss["log-1"]
    assert yours[0] < fixed[0] and yours[-1] < fixed[-1], training
    assert training.loss["log-3"][0] - yours[0] < (fixed[0] - yours[0]) / 2, training  # the control
training

# %% [markdown]
# Look at a. Above a strength of 1 the span of a log decay settles, however long the text is
# ([[longer_than_training|chapter #]]), and a loss that settles with it is no surprise. And look at the control: most
# of what was gained is gained by a fixed strength of 3. Learning found it, so nobody had to choose it.
#
# Is the second number worth anything, then? `own_scheme.train(make, task="copy-back", against=["log-3", "alibi"])`
# asks for one exact distance: print a and c again, and compare what they make of a short distance with ALiBi's
# straight line.
#
# ### Your own idea
#
# Now try a scheme of your own: another shape of decay, a bias that looks at parity, vectors for a few offsets and a
# number for the rest. Write a `Position`, write in plain Python what it adds (`own_scheme.with_bias`,
# `with_vectors(key=…, value=…, bias=…)` or `with_rotation`), and run the same three checks. `own_scheme.train` also
# takes `task="copy-back"` and `task="flip-flop"`. One seed is a hint, not a result: for a claim, take three."""


class Capstone(Exercise):
    """A whole class to write: demands are made of it one by one, and the first that it does not meet is told."""

    seconds = 20.0
    after = AFTER

    def solution_source(self) -> str:
        text = dedent(inspect.getsource(solution))
        return dedent(ast.get_source_segment(text, class_in(text), padded=True) or "")

    def stub(self) -> str:
        """The class with `...` in place of every body; a docstring and `super().__init__()` stay."""
        lines = self.solution_source().splitlines()
        methods = [node for node in class_in("\n".join(lines)).body if isinstance(node, ast.FunctionDef)]
        for method in reversed(methods):
            lines[method.body[0].end_lineno : method.end_lineno] = [" " * method.body[0].col_offset + "..."]
        return "\n".join(lines)

    def _check(self, given: Any) -> Result:
        if given is None or given is Ellipsis or blank_class(given):
            text = "Write the class: put your code in place of each `...`, run the cell, then check again."
            return Result("not attempted", self.title, (text,))
        if not issubclass(type(given), type):
            text = f"`check` was given {describe_type(given)}; it takes the class itself: `check({self.name})`."
            return Result("wrong type", self.title, (text,))
        found: list[tuple[str, str]] = []
        written = next(iter(methods_of(given).values()), None)
        done = run(partial(look, given, found), [Case()], lambda nothing: {"": np.zeros(1)}, self.seconds, written)
        notes = (done.printed(),) if done.printed() else ()
        if done.stopped:
            return Result("did not finish", self.title, (done.why(),), notes=notes)
        if error := done.outcomes[0].error:
            named = explain_error(error, ERRORS)
            cause, line = named or explain_error(error), done.outcomes[0].line
            return Result("raised", self.title, (error,), cause, line, notes, named=bool(named))
        for fact, cause in found:
            return Result("property broken", self.title, (fact,), cause, notes=notes, named=bool(cause))
        return Result("passed", self.title, ("right in all demands",), notes=(*notes, THEN))


def class_in(text: str) -> ast.ClassDef:
    return next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))


def look(cls: type, found: list[tuple[str, str]]) -> None:
    """Add the fact and the cause of the first demand that the class does not meet."""
    from .kerple_check import hook, numbers  # torch is imported when a check needs it

    for broken, fact, cause in chain(numbers(cls), hook(cls)):
        if broken:
            found.append((fact.replace("-", "−").replace("inf", "∞"), cause))
            return


TITLE = "Capstone: a new scheme, from the formula to the trained model"
Kerple = Capstone("Kerple", TITLE, module=__name__, minutes=30, difficulty=3, words=WORDS, hints=HINTS)
