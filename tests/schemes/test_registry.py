"""The registry of schemes is what everything that lists schemes reads: a new entry appears everywhere."""

import subprocess
import sys

import pytest

from course_kit.contents import TOPICS
from course_lib import schemes
from course_lib.schemes import SCHEMES, Scheme, Sizes

HOOKS = {"input", "bias", "key_vectors", "value_vectors", "rotate", "key_bias", "sink"}


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_an_entry_is_whole(scheme):
    assert scheme.topic in TOPICS and scheme.what and scheme.formula
    assert set(scheme.enters) <= HOOKS
    assert all(run.startswith(scheme.run) for run in scheme.runs)
    assert scheme.module(Sizes()) is not None


NEW = (
    Scheme(
        "square root decay",
        "bias_by_hand",
        "−λ √distance, added to the score",
        "−λ √|j − i|",
        lambda s: schemes.from_nn("bias", "DecayBias", s.strength, "square root"),
        enters={"bias": "square root decay"},
        run="root",
        size="strength",
    ),
    Scheme(
        "half a rotation",
        "rope",
        "half of the channels turned",
        "(R_i q_i) · (R_j k_j)",
        lambda s: schemes.from_nn("rope", "RoPE", s.d_head, speeds=[1.0] * max(1, s.d_head // 4)),
        enters={"rotate": "half a rotation"},
        run="half-rope",
    ),
)
ASK = """
import torch
from course_lib import schemes
from course_kit import figures
import course_study as study
from course_tasks import comparison, guide
from tests.schemes.test_registry import NEW
names = [scheme.name for scheme in NEW]
table = comparison.table(n=16)
assert all(table[name, column].text for name in names for column in comparison.COLUMNS)
assert all(name in guide.SCHEMES for name in names)
page = figures.map_of_schemes()._repr_html_()
assert all(name in page for name in names)
for run in ("root-0.5", "half-rope"):
    settings = study.Settings(length=16, tests=(16,), d_model=8, n_heads=2, n_layers=1)
    model = study.Model(study.find(run), 10, settings)
    assert model(torch.zeros(1, 16, dtype=int)).shape == (1, 16, 10)
"""


def test_two_new_schemes_appear_in_map_comparison_guide_and_study_without_further_code(tmp_path):
    """In a process of its own, where they are registered before anything reads the registry."""
    register = "from course_lib import schemes\nfrom tests.schemes.test_registry import NEW\n"
    register += "schemes.SCHEMES.update({scheme.name: scheme for scheme in NEW})\n"
    done = subprocess.run([sys.executable, "-c", register + ASK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
