"""The errors that beginners meet most, said again in plain words beside Python's and NumPy's own."""

import re

LOOP = "use `np.where`, or two loops that look at one entry at a time"
PRODUCT = (
    "In a matrix product the last axis of the left meets the last but one of the right, (n, d) @ (d, m): "
    "is a transpose missing?"
)
BROADCAST = (
    "Shapes are matched from the right, and two lengths go together when they are equal or one of them is 1: "
    "is a `[:, None]` or a `keepdims=True` missing, or has one of the two its axes in another order?"
)
TRANSPOSED = "The same lengths in another order: one of the two has its axes swapped, as by a transpose."
WORDS = {
    r"truth value of an array|Boolean value of Tensor with more": f"An `if` asks one question of one number; {LOOP}.",
    r"^SystemExit": "`exit()` and `quit()` end the whole program. A function ends with `return`.",
    r"matmul|not aligned|mat1 and mat2|Expected size for first two dimensions|batch1": PRODUCT,
    r"could not be broadcast|must match the size of tensor|shape mismatch": BROADCAST,
    r"could not broadcast input array": (
        "What stands right of the `=` has another shape than the place it is put into: print the `.shape` of both."
    ),
    r"Cannot interpret '.*' as a data type": "A shape is one argument, in parentheses of its own: `np.zeros((n, n))`.",
    r"input array dimensions except for the concatenation axis": (
        "`np.concatenate` puts blocks together along one axis, and along every other they must be equally long: "
        "is it another axis, or has a block another shape?"
    ),
    r"inhomogeneous shape": (
        "Arrays of different lengths make no table: `np.concatenate` puts them one behind the other."
    ),
    r"need at least one array to concatenate": "There is nothing to put together: did the loop collect nothing?",
    r"^(numpy\.exceptions\.)?AxisError": "There is no such axis: print the `.shape` of what you have there.",
    r"^AttributeError: 'list' object has no attribute '(split|strip|lower|upper|replace|startswith|isidentifier)'": (
        "A word can do that. This is a list of words: take them one by one."
    ),
    r"^AttributeError: '(list|tuple)' object has no attribute": (
        "A list is no array: make one of it, with `np.array(…)` or `np.concatenate(…)`."
    ),
    r"object is not subscriptable": "Square brackets pick from an array or a list, and this is one number.",
    r"(only|Only) (length-1|0-dimensional|size-1) arrays": (
        "Something that takes one number was given an array: `math.log` takes one, `np.log` takes both "
        "(and so for `sqrt`)."
    ),
    r"only one element tensors": (
        "Something that takes one number was given a tensor: `math.log` takes one, `torch.log` takes a tensor (and so "
        "for `sqrt`)."
    ),
    r"^ValueError: (too many|not enough) values to unpack": (
        "Left of the `=` (or in the `for`) there is another number of names than right of it. If it is a shape: "
        "further axes may stand in front, and `x.shape[-2:]` is the last two."
    ),
    r"math domain error|expected a (positive|nonnegative) input": (
        "There is no logarithm of 0 or of a negative number: is the 1 or the `abs` missing?"
    ),
    r"^IndexError: .*out of (bounds|range)": (
        "Indices run from 0 to n − 1, and one of yours runs over the edge: print it, and the `.shape`."
    ),
    r"^IndexError: (arrays used as indices|only integers)": "An index is a whole number, such as `range` gives.",
    r"can't multiply sequence|unsupported operand.*'list'|bad operand type for .*'list'": (
        "A list does not calculate: make an array of it, `np.array(…)`."
    ),
    r"^NameError: name '(np|Q|K|V|LAMBDA|TOKENS|softmax|task)' is not defined": (
        "Run the first cell of the notebook again."
    ),
    r"^NameError: name 'math' is not defined": "Use `np.log`, or write `import math` first.",
    r"^NameError: name '(d_k|lambda_|lam|λ)' is not defined": (
        "The function knows only its arguments and what you make in it: make this one from them."
    ),
    r"not supported between instances of .*'NoneType'": "None is no number: ask `is None` or `is not None` first.",
    r"cannot reshape array|is invalid for input of size": (
        "`reshape` cuts anew what is there: the lengths of the new shape must multiply to just as many numbers. "
        "Count them: are some to be padded, skipped or dropped first?"
    ),
    r"index can't contain negative values": (
        "`np.pad` takes a pair (in front, behind) for each axis, and none can be below 0: `((0, 0), (1, 0))`."
    ),
    r"object too deep for desired array": "`np.bincount` takes a row of numbers: `.ravel()` makes one of a table.",
    r"zero-size array to reduction|max\(\) (arg|iterable argument) is": (
        "There is nothing to take the largest of: what you chose is empty here. Print it."
    ),
    r"negative dimensions are not allowed": "A length came out below 0: is a difference the wrong way round?",
    r"slice indices must be integers|'float' object cannot be interpreted as an integer": (
        "Places and lengths are whole numbers: divide with `//`."
    ),
    r"'int' object is not iterable": "A loop runs over `range(n)`, not over n.",
    r"all input arrays must have the same shape": (
        "`np.stack` takes arrays of one length, and one of yours is shorter: does it run over the edge?"
    ),
    r"only integer scalar arrays can be converted to a scalar index": (
        "A number is wanted where an array was given: is a `len(…)` missing? "
        "Or does the array pick from a list? `np.array(…)` makes an array of the list."
    ),
    r"^OverflowError: Python integer .* out of bounds": "The number is too large for this dtype: plain `int` holds it.",
    r"^UnboundLocalError": "A name is used before it gets its value: look at the order of your lines.",
    r"^RecursionError": "Your function calls itself without end.",
}


def explain_error(error: str) -> str:
    """What an error such as "ValueError: …" means here, or ""."""
    shapes = re.findall(r"\(([\d,]+)\)", error) if "could not be broadcast" in error else []
    if len(shapes) == 2 and shapes[0] != shapes[1] and sorted(shapes[0].split(",")) == sorted(shapes[1].split(",")):
        return TRANSPOSED
    return next((text for pattern, text in WORDS.items() if re.search(pattern, error)), "")
