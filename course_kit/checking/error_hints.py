"""The errors that beginners meet most, explained in plain words below Python's or NumPy's own message."""

import re

from .lines import messages

# A pattern, and behind it what an error means in which it is found. The first pattern that is found counts.
WORDS = r"""
truth value of an array|Boolean value of Tensor with more  # An `if`, an `and` and a chain such as `0 <= x < n` need a
# single True or False, and here is a whole array. Use `np.where`, or `&` between comparisons in parentheses, or loops
# that look at one entry at a time.
^EOFError  # A function gets what it needs as its arguments. Use those, and take the `input` out.
positional arguments? but \d+ (was|were) given|missing \d+ required positional  # The check calls your function with the
# arguments shown above, in this order and without their names. Where a function takes them in another way, as many of
# the library do, write one around it that takes these.
matmul|not aligned|mat1 and mat2|Expected size for first two dimensions|batch1  # In a matrix product, the last axis of
# the left factor must be as long as the last axis but one of the right factor: (n, d) @ (d, m). Check whether a
# transpose is missing.
could not be broadcast|must match the size of tensor|shape mismatch  # Shapes are compared from the right, and two
# lengths fit when they are equal or one of them is 1. Check whether a `[:, None]` or a `keepdims=True` is missing or
# one too many, or whether one of the two arrays has its axes in another order.
could not broadcast input array  # The value to the right of the `=` does not have the shape of the place to the left.
# Print the `.shape` of both.
Cannot interpret '.*' as a data type  # The shape of an array is a single argument, so it needs its own parentheses:
# `np.zeros((n, n))`.
inhomogeneous shape  # Arrays or lists of different lengths cannot become the rows of one array. `np.concatenate` joins
# them end to end.
^AttributeError: '(list|tuple)' object has no attribute  # A list does not have the methods of an array. Make an array
# of it, with `np.array(…)` or `np.concatenate(…)`.
object is not subscriptable  # Square brackets pick an entry of an array or a list. You put them after something else,
# such as a single number.
(only|Only) (length-1|0-dimensional|size-1) arrays  # You gave an array to a function that takes one number, such as
# `math.log` or `math.sqrt`. `np.log` and `np.sqrt` take arrays as well.
^ValueError: (too many|not enough) values to unpack  # The number of names to the left of the `=` (or in the `for`) is
# not the number of values to the right. If you unpack a shape, there may be further axes in front; `x.shape[-2:]` gives
# the last two.
math domain error|expected a (positive|nonnegative) input  # A logarithm needs a number above 0, and a square root needs
# one that is not negative. Check whether a `1 +` or an `abs` is missing.
^IndexError: .*out of (bounds|range)  # The indices of n entries run from 0 to n − 1, and one of yours is outside. Print
# the index, and the `.shape` of what you take it from.
^IndexError: (arrays used as indices|only integers)  # An index must be a whole number, like the numbers that `range`
# gives. Print the index that you use.
can't multiply sequence|unsupported operand.*'list'|bad operand type for .*'list'  # A list or a tuple has no such
# arithmetic. Make an array of it first, with `np.array(…)`.
^NameError: name '(np|task)' is not defined  # A cell further up defines this name. After a restart of the kernel,
# choose *Run All Cells* in the menu *Run*.
^NameError: name '(Q|K|V|LAMBDA|TOKENS|softmax)' is not defined  # If a cell further up imports this name, choose
# *Run All Cells* in the menu *Run*. If none does, use what your function is given, or compute it.
^NameError: name 'math' is not defined  # `math` is not imported. Use the function of `np` with that name,
# or write `import math` first.
^NameError: name '(d_k|lambda_|lam|λ)' is not defined  # Your function knows only its arguments and the names that it
# defines. Compute this one from the arguments.
not supported between instances of .*'NoneType'  # You compare None with a number. Ask `is None` or `is not None` first.
cannot reshape array|is invalid for input of size  # `reshape` keeps every number, so the lengths of the new shape must
# multiply to the number of entries. Count them, and check whether some must be padded, skipped or dropped first.
zero-size array to reduction|max\(\) (arg|iterable argument) is  # There is nothing to take the largest or smallest of,
# because what you selected is empty here. Print it.
slice indices must be integers|'float' object cannot be interpreted as an integer  # Indices and lengths must be whole
# numbers. If you divide, use `//`.
'int' object is not iterable  # A single number is where several are needed. To count up to n, loop over `range(n)`.
only integer scalar arrays can be converted to a scalar index  # You gave an array where a single number is needed.
# Check whether a `len(…)` is missing. If the array picks entries of a list, make an array of the list first, with
# `np.array(…)`.
^OverflowError: Python integer .* out of bounds  # The dtype of this array cannot hold the number. A plain Python `int`
# can.
"""


def explain_error(error: str, words: str = WORDS) -> str:
    """What an error such as "ValueError: …" means, or ""."""
    return next((told for _, pattern, told in messages(words) if re.search(pattern, error)), "")
