"""The errors that beginners meet most, said again in plain words beside Python's and NumPy's own."""

import re

LOOP = "use `np.where`, or two loops that look at one entry at a time"
PRODUCT = (
    "In a matrix product the last axis of the left meets the last but one of the right, (n, d) @ (d, m): "
    "is a transpose missing?"
)
BROADCAST = (
    "Shapes are matched from the right, and two lengths go together when they are equal or one of them is 1: "
    "is a `[:, None]` or a `keepdims=True` missing?"
)
WORDS = {
    r"truth value of an array|Boolean value of Tensor with more": f"An `if` asks one question of one number; {LOOP}.",
    r"^SystemExit": "`exit()` and `quit()` end the whole program. A function ends with `return`.",
    r"matmul|not aligned|mat1 and mat2|Expected size for first two dimensions|batch1": PRODUCT,
    r"could not be broadcast|must match the size of tensor|shape mismatch": BROADCAST,
    r"Cannot interpret '.*' as a data type": "A shape is one argument, in parentheses of its own: `np.zeros((n, n))`.",
    r"(only|Only) (length-1|0-dimensional|size-1) arrays|only one element tensors": (
        "Something that takes one number was given an array: `math.log` takes one, `np.log` takes both."
    ),
    r"math domain error|expected a (positive|nonnegative) input": (
        "There is no logarithm of 0 or of a negative number: is the 1 or the `abs` missing?"
    ),
    r"^IndexError: .*out of (bounds|range)": "Indices run from 0 to n − 1: `range(n)` gives just these.",
    r"^IndexError: (arrays used as indices|only integers)": "An index is a whole number, such as `range` gives.",
    r"can't multiply sequence|unsupported operand.*'list'|bad operand type for .*'list'": (
        "A list does not calculate: make an array of it, `np.array(…)`."
    ),
    r"^NameError: name '(np|Q|K|V|LAMBDA|TOKENS|task)' is not defined": "Run the first cell of the notebook again.",
    r"^NameError: name 'math' is not defined": "Use `np.log`, or write `import math` first.",
    r"^NameError: name '(d_k|lambda_|lam|λ)' is not defined": (
        "The function knows only its arguments and what you make in it: make this one from them."
    ),
    r"^RecursionError": "Your function calls itself without end.",
}


def in_other_words(error: str) -> str:
    """What an error such as "ValueError: …" means here, or ""."""
    return next((text for pattern, text in WORDS.items() if re.search(pattern, error)), "")
