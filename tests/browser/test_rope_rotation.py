"""The rotation alive: the script's scores are the reference's, and moving both changes no angle and no product."""

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.example import K, Q
from course_lib.reference.rope import rotate

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def control(page, name):
    return page.locator(f'[data-rp-control="{name}"]').locator("input, select")


def score(page):
    return float(page.locator(".rp-total").get_attribute("data-score"))


def cells(page, column):
    return page.locator(f"tbody td:nth-child({column})").all_inner_texts()


@pytest.mark.parametrize("base", [10, 10000, 500000])
def test_every_score_is_that_of_the_reference(shown, base):
    page = shown(figures.rope_rotation())
    control(page, "base").select_option(str(base))
    for i, j, both in ((0, 0, 0), (2, 4, 0), (4, 2, 50), (64, 0, 200), (0, 64, 7)):
        for name, value in (("query position i", i), ("key position j", j), ("move both by", both)):
            control(page, name).fill(str(value))
        right = rotate(Q[2:3], past=i, base=base) @ rotate(K[4:], past=j, base=base).T
        assert abs(score(page) - right.item()) < 1e-9, (base, i, j, both)


def test_moving_both_turns_the_arrows_and_not_the_angle_between(shown):
    page = shown(figures.rope_rotation())
    before = cells(page, 5), cells(page, 6), page.locator(".rp-q").get_attribute("style")
    expect(page.locator(".rp-reading")).to_contain_text("q turns by i · θ = 2 · 1.0000 = 2.0000")
    expect(page.locator(".rp-reading")).to_contain_text("plus (j − i) · θ = +2 · 1.0000: 1.6782")
    control(page, "move both by").fill("11")
    expect(page.locator(".rp-reading")).to_contain_text("q turns by i · θ = 13 · 1.0000 = 13.0000")
    assert (cells(page, 5), cells(page, 6)) == before[:2]
    assert page.locator(".rp-q").get_attribute("style") != before[2]
    control(page, "key position j").fill("5")
    assert cells(page, 5) != before[0]


def test_the_arrows_lie_where_the_numbers_say(shown):
    """The tip of the turned query, in pixels from the middle of the circle, points as its numbers do."""
    page = shown(figures.rope_rotation([1, 0], [0, 1], query=0, key=0))
    middle = page.locator(".rp-circle").bounding_box()
    x0, y0 = middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2
    q, k = (page.locator(f".rp-{name}").bounding_box() for name in "qk")
    assert q["x"] > x0 - 5 and q["width"] > 80  # (1, 0) points to the right
    assert k["y"] + k["height"] < y0 + 5 and k["height"] > 80  # (0, 1) points up


def test_another_pair_has_its_own_speed(shown):
    page = shown(figures.rope_rotation())
    control(page, "pair").select_option("1")
    expect(page.locator(".rp-reading")).to_contain_text("pair 1, θ = 0.0100")
    expect(page.locator("tbody tr.rp-same th")).to_have_text("1")
    control(page, "base").select_option("500000")
    expect(page.locator(".rp-reading")).to_contain_text("θ = 0.0014142")
