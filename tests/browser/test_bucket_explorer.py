"""The bucket explorer alive: the script decides every bucket as the reference does, and says why."""

import math
import re

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.bucket_explorer import BUCKETS, DISTANCES
from course_lib.reference.t5 import bucket

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# For one setting: the buckets and the words for each distance, as typed into the field.
ASK = """([settings, distances]) => {
  const controls = [...document.querySelectorAll("select")];
  settings.forEach((value, index) => {
    controls[index].value = value;
    controls[index].dispatchEvent(new Event("change"));
  });
  const refused = document.querySelector(".rp-refused");
  if (!refused.hidden) return refused.textContent;
  const field = document.querySelector("input[type=number]"), answer = document.querySelector(".rp-asked");
  return distances.map((d) => {
    field.value = d;
    field.dispatchEvent(new Event("input"));
    return [answer.dataset.buckets.split(" ").map(Number), answer.textContent];
  });
}"""


def control(page, name):
    return page.locator(f'[data-rp-control="{name}"]').locator("input, select")


@pytest.mark.parametrize("bidirectional", [True, False], ids=["both", "causal"])
def test_every_bucket_is_that_of_the_reference(shown, bidirectional):
    page = shown(figures.bucket_explorer(100, 100))
    distances = [*range(0, 600), 1023, 1024, 1025, 2048, 4095, 4096, 4999, 5000]
    checked = refused = 0
    for num_buckets in (*BUCKETS, 100):
        for max_distance in (*DISTANCES, 100):
            sizes = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
            settings = [str(num_buckets), str(max_distance), "both" if bidirectional else "causal"]
            answers = page.evaluate(ASK, [settings, distances])
            try:
                before, after = (bucket([s * d for d in distances], **sizes).tolist() for s in (-1, 1))
            except ValueError as error:
                assert answers == f"{error}."
                refused += 1
                continue
            after[0] = before[0]
            assert [pair for pair, _ in answers] == [list(pair) for pair in zip(before, after)], sizes
            exact = num_buckets // (4 if bidirectional else 2)
            for d, b, (_, words) in zip(distances, before, answers):
                if d >= exact:  # … = 8 + ⌊7.288⌋ = 15. A key …: what is printed leads to the same bucket
                    inside, found = re.search(rf" = {exact} \+ ⌊([\d.]+)⌋ = (\d+)[.,]", words).groups()
                    assert exact + math.floor(float(inside)) == int(found), (sizes, words)
                    assert b == min(int(found), (num_buckets // 2 if bidirectional else num_buckets) - 1)
            checked += 1
    assert checked > 25 and refused >= 1


def test_a_key_says_its_whole_calculation(shown):
    page = shown(figures.bucket_explorer())
    reading = page.locator(".rp-reading").first
    expect(reading).to_contain_text(
        "offset −10, distance 10 ≥ 8 exact buckets: 8 + ⌊ln(10/8) / ln(128/8) · 8⌋ = 8 + ⌊0.644⌋ = 8."
    )
    page.locator('td.rp-cell[data-j="18"]').hover()
    expect(reading).to_contain_text("offset +8")
    expect(reading).to_contain_text("and 16 more because the key comes after: 24")
    assert page.locator("td.rp-same").all_inner_texts() == ["24", "24", "24"]
    page.locator('td.rp-cell[data-j="18"]').click()
    page.locator('td[tabindex="0"]').focus()
    for key in ("Home", "ArrowLeft", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(reading).to_contain_text("key 3, bucket 7: offset −7, distance 7 < 8 exact buckets: 7.")
    control(page, "query position").fill("3")
    expect(reading).to_contain_text("the query itself")


def test_the_facts_are_said_and_what_is_impossible_is_refused_in_words(shown):
    page = shown(figures.bucket_explorer())
    opening = "A key 20 before the query has bucket 10"  # a distance that the tasks do not ask for
    expect(page.locator(".rp-asked")).to_contain_text(opening)
    facts = page.locator(".rp-facts")
    expect(facts).to_contain_text("then 8, 12, 16, 23, 32, 46, 64, 91.")
    expect(facts).to_contain_text("Bucket 16 is never used")
    control(page, "direction").select_option("causal")
    expect(facts).to_contain_text(
        "The last bucket begins at distance 113, before max_distance 128. Every bucket is used."
    )
    page.locator('td.rp-cell[data-j="12"]').hover()
    expect(page.locator(".rp-reading").first).to_contain_text("the mask hides it")
    control(page, "num_buckets").select_option("64")
    control(page, "max_distance").select_option("16")
    expect(page.get_by_role("alert")).to_have_text(
        "num_buckets=64, max_distance=16: max_distance must exceed the 32 exact buckets."
    )
    expect(page.locator(".rp-strip")).to_be_hidden()
    control(page, "max_distance").select_option("128")
    expect(page.locator(".rp-strip")).to_be_visible()
    page.locator("input[type=number]").fill("5001")
    expect(page.locator(".rp-asked")).to_have_text("Expected a whole number from 0 to 5000.")
