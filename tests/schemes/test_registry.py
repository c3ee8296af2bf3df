"""Every entry of the registry of schemes is whole: what it says of a scheme exists, and its module can be made."""

import pytest

from course_kit.contents import TOPICS
from course_lib.schemes import SCHEMES, Sizes

HOOKS = {"input", "bias", "key_vectors", "value_vectors", "rotate", "key_bias", "sink"}


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_an_entry_is_whole(scheme):
    assert scheme.topic in TOPICS and scheme.what and scheme.formula
    assert set(scheme.enters) <= HOOKS
    assert all(run.startswith(scheme.run) for run in scheme.runs)
    assert scheme.module(Sizes()) is not None
