"""The bucket explorer's static body: the reference's buckets and boundaries, and refusals that name the argument."""

import re

import pytest

from course_lib import figures
from course_lib.figures.bucket_explorer import never_used
from course_lib.reference.t5 import bucket, bucket_starts

from .test_figures import static


def rows(picture):
    """The rows of all tables: name → cells."""
    found = re.findall(r'<tr [^>]*><th scope="row">(.*?)</th>(.*?)</tr>', static(picture))
    return {name: re.findall(r"<t[dh][^>]*>(?:<b>)?(.*?)(?:</b>)?</t[dh]>", cells) for name, cells in found}


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_buckets, max_distance", [(32, 128), (8, 16), (16, 512), (12, 100)])
def test_the_body_holds_the_buckets_of_the_reference(num_buckets, max_distance, bidirectional):
    sizes = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    table = rows(figures.bucket_explorer(**sizes, query=12, n=20))
    assert table["key j"] == [str(j) for j in range(20)]
    assert table["bucket"][-20:] == [str(b) for b in bucket([j - 12 for j in range(20)], **sizes)] or not bidirectional
    starts = bucket_starts(**sizes)
    assert table["from distance"] == [str(d) for d in starts[len(starts) // 2 :]]


def test_the_boundaries_of_the_default():
    text = static(figures.bucket_explorer())
    assert rows(figures.bucket_explorer())["from distance"] == ["8", "12", "16", "23", "32", "46", "64", "91"]
    assert "begins at distance 91. Bucket 16 is never used." in text
    assert "begins at distance 113." in static(figures.bucket_explorer(bidirectional=False))
    assert "never" not in static(figures.bucket_explorer(bidirectional=False))


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_buckets, max_distance", [(32, 128), (32, 32), (64, 64), (64, 32), (8, 16), (64, 512)])
def test_never_used_means_never_used(num_buckets, max_distance, bidirectional):
    sizes = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    if max_distance <= num_buckets // (4 if bidirectional else 2):
        return
    used = set(bucket(range(-2000, 2001), **sizes).tolist())
    said = never_used(bucket_starts(**sizes), bidirectional).partition("begins at distance")[2].split(". ", 1)
    named = set(map(int, re.findall(r"\d+", said[1]))) if len(said) > 1 else set()
    assert named == set(range(num_buckets)) - used


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"num_buckets": 3}, "num_buckets=3: expected a whole number from 4 to 128"),
        ({"num_buckets": 9}, "num_buckets=9: expected an even number"),
        ({"max_distance": 8}, "num_buckets=32, max_distance=8: max_distance must exceed the 8 exact buckets"),
        ({"max_distance": 12.5}, r"max_distance=12\.5: expected a whole number"),
        ({"bidirectional": "no"}, "bidirectional='no': expected True or False"),
        ({"n": 26}, "n=26: expected a whole number from 2 to 25"),
        ({"query": 21}, "query=21: expected a whole number from 0 to 20"),
        ({"query": -1}, "query=-1: expected a whole number from 0 to 20"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.bucket_explorer(**wrong)
