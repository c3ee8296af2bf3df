"""What lists schemes reads the registry. `tests/questions/test_comparison.py` tests what it says of each scheme."""

import subprocess
import sys

import pytest

from course_lib import schemes
from course_lib.nn.position import Position
from course_lib.schemes import SCHEMES, Count, Direction, Scheme, Sizes, Use

from .definitions import DEFINED

SIZES = Sizes(d_model=24, n_heads=2, n=20, clip=3, num_buckets=8, max_distance=16, window=3)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_a_formula_that_is_shown_says_what_is_computed(scheme):
    for count in (scheme.parameters, scheme.keeps):
        python = count.text.replace("·", "*").replace("−", "-").replace("²", "**2").replace("⁴", "**4")
        assert count.of(SIZES) == eval(python, {}, SIZES.letters())


def test_every_position_has_a_definition_in_loops():
    assert {name for name, scheme in SCHEMES.items() if isinstance(scheme.module(SIZES), Position)} <= DEFINED.keys()


NEW = Scheme(
    name="linear decay",
    topic="bias_by_hand",
    what="−λ · distance, added to the score",
    formula="−λ · |j − i|",
    make=lambda s: schemes.from_nn("bias", "DecayBias", s.strength, "linear"),
    enters={"bias": "linear decay"},
    keeps=Count("4·(2·n − 1)", lambda s: 4 * (2 * s.n - 1)),
    direction=Direction.MIRROR,
    runs={"linear-0.5": Use({"strength": 0.5})},
)
ASK = """
import torch
from course_lib import schemes
from tests.schemes.test_registry import NEW
schemes.SCHEMES[NEW.name] = NEW
from course_kit import figures
import course_study as study
from course_chapters.which_one import comparison, guide
assert comparison.table()[NEW.name]["keeps for n tokens"] == "508 bytes = 4·(2·n − 1)"
assert comparison.table()[NEW.name]["longer texts"] == "not trained yet"
assert NEW.name in figures.map_of_schemes()._repr_html_()
settings = study.Settings(length=16, d_model=8, n_heads=2, n_layers=1)
model = study.Model(study.find("linear-0.5"), 10, settings)
assert model(torch.zeros(1, 16, dtype=int)).shape == (1, 16, 10)

assert guide.ask(NEW.name).alt.startswith(f"No verdict on {NEW.name}")
"""


def test_a_new_scheme_appears_in_map_comparison_guide_and_study_without_further_code():
    """In a process of its own, where it is registered before anything reads the registry."""
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
