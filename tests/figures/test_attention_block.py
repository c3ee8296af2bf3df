"""The attention block: each scheme enters where the registry says, and nowhere else."""

import re
from base64 import b64decode

import pytest

from course_kit import figures
from course_kit.figures.map_of_schemes import PLACES
from course_lib.schemes import SCHEMES


@pytest.mark.parametrize("name", SCHEMES)
def test_the_places_of_a_scheme_are_coloured_and_named(name):
    picture, entered = figures.attention_block(name), SCHEMES[name].enters
    drawing = b64decode(re.search("base64,([^\"]*)", picture._repr_html_())[1]).decode()
    for place in PLACES:
        assert (f'fill="{place.colour}"' in drawing) == (place.where in picture.alt) == (place.hook in entered)
    assert ("nowhere" in picture.alt) == (not entered)


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="scheme='shaw': expected one of 'none', 'learned'"):
        figures.attention_block("shaw")
