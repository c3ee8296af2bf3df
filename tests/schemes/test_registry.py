"""What lists schemes reads the registry. `tests/questions/test_comparison.py` tests what it says of each scheme."""

import subprocess
import sys

import pytest

from course_kit.contents import TOPICS
from course_lib import schemes
from course_lib.schemes import SCHEMES, Scheme


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_an_entry_is_whole(scheme):
    assert scheme.topic in TOPICS and scheme.what and scheme.formula
    assert all(run.startswith(scheme.run) for run in scheme.runs)


NEW = Scheme(
    "square root decay",
    "bias_by_hand",
    "−λ √distance, added to the score",
    "−λ √|j − i|",
    lambda s: schemes.from_nn("bias", "DecayBias", s.strength, "square root"),
    enters={"bias": "square root decay"},
    keeps="4·(2·n − 1)",
    direction="mirror",
    run="root",
    size="strength",
)
ASK = """
import torch
from course_lib import schemes
from tests.schemes.test_registry import NEW
schemes.SCHEMES[NEW.name] = NEW
from course_kit import figures
import course_study as study
from course_chapters.which_one import comparison, guide
assert all(comparison.table()[NEW.name].values())
assert NEW.name in guide.SCHEMES and NEW.name in figures.map_of_schemes()._repr_html_()
settings = study.Settings(length=16, d_model=8, n_heads=2, n_layers=1)
model = study.Model(study.find("root-0.5"), 10, settings)
assert model(torch.zeros(1, 16, dtype=int)).shape == (1, 16, 10)
"""


def test_a_new_scheme_appears_in_map_comparison_guide_and_study_without_further_code():
    """In a process of its own, where it is registered before anything reads the registry."""
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
