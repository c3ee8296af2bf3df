"""What the comparison needs of a scheme besides the registry: sizes that its probes can ask, and tests to name."""

from course_lib.schemes import SCHEMES, Scheme, Sizes

LEAST, MOST = 16, 4096  # tokens: the probes need a few, and nobody waits for more
WIDEST = 16  # patches along the side of a window
TESTS = {  # where a scheme is compared with its definition, unless it is by the layer
    "learned": "test_nn.py::test_decoding_with_absolute_positions[learned-cpu]",
    "sinusoidal": "test_nn.py::test_sinusoids_equal_the_reference",
    "sliding window": "test_nn.py::test_equals_the_definition[RoPE in a sliding window-cpu]",
    "Swin": "test_windows.py::test_windows_equal_the_definition",
}

__all__ = ["SCHEMES", "Scheme", "Sizes", "checked", "tests_of"]


def checked(sizes: Sizes) -> Sizes:
    """The sizes, if the probes can ask modules of these sizes. Raises ValueError otherwise."""
    for name, least, most in (("n", LEAST, MOST), ("window", 2, WIDEST)):
        if not least <= getattr(sizes, name) <= most:
            raise ValueError(f"{name}={getattr(sizes, name)}: expected a whole number from {least} to {most}")
    return sizes


def tests_of(scheme: Scheme) -> tuple[str, ...]:
    """The tests that compare the module of a scheme with its definition."""
    test = TESTS.get(scheme.name, f"test_nn.py::test_equals_the_definition[{scheme.name}-cpu]")
    return (f"tests/schemes/{test}",)
