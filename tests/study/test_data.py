"""The texts against plain loops: what is asked, and what the right answer is."""

import pytest
import torch
from torch import Generator

from course_study import data
from course_study.data import BACK, IGNORE, KEYS, LONGEST, READ, SHORTEST, TASKS, WRITE, find_task
from course_study.run import TEST_SEED


def draw(task, n, size=5, seed=0, test=False):
    return find_task(task).batch(n, size, Generator().manual_seed(seed), test)


@pytest.mark.parametrize("n", [2, 8, 30])
def test_copy_back_asks_for_the_token_three_places_before(n):
    tokens, answers, back = (tensor.tolist() for tensor in draw("copy-back", n))
    for text, answer, told in zip(tokens, answers, back, strict=True):
        assert told == [BACK * (i >= BACK) for i in range(n)]
        assert all(answer[i] == text[i - BACK] for i in range(BACK, n))


@pytest.mark.parametrize("test", [False, True])
@pytest.mark.parametrize("n", [2, 8, 64])
def test_flip_flop_asks_for_the_bit_written_last(n, test):
    tokens, answers, back = (tensor.tolist() for tensor in draw("flip-flop", n, 20, test=test))
    for text, answer, told in zip(tokens, answers, back, strict=True):
        assert text[0] == WRITE
        for i in range(0, n, 2):
            instruction, bit = text[i : i + 2]
            assert instruction in (WRITE, READ, IGNORE) and bit in (0, 1)
            if instruction == WRITE:
                written = i + 1
            assert told[i : i + 2] == [(i - written) * (instruction == READ), 0]
            assert instruction != READ or answer[i] == text[written]


@pytest.mark.parametrize("n", [16, 50, 128])
def test_retrieval_asks_for_the_token_that_has_the_name(n):
    tokens, answers, back = (tensor.tolist() for tensor in draw("retrieval", n, 20))
    for text, answer, told in zip(tokens, answers, back, strict=True):
        pairs = {token // KEYS - 1: i for i, token in enumerate(text) if KEYS <= token < (KEYS + 1) * KEYS}
        assert sorted(pairs) == list(range(KEYS)) and max(pairs.values()) < n // 2
        for i in range(n):
            assert told[i] == (i - pairs[text[i]] if text[i] < KEYS else 0)
            assert not told[i] or (i >= n // 2 and answer[i] == text[i - told[i]])


def test_a_question_may_need_more_than_a_training_text():
    """More than a fifth of what is asked at 1,024 tokens needs a token 128 or more back, in two of the tasks."""
    for task in ("flip-flop", "retrieval"):
        back = draw(task, 1024, 64, seed=TEST_SEED, test=True)[2][:, -64:]
        assert (back[back > 0] >= 128).float().mean() > 0.2, task


@pytest.mark.parametrize("task", TASKS)
def test_every_token_is_in_the_vocabulary_and_the_same_seed_draws_the_same(task):
    first, again, other = draw(task, SHORTEST), draw(task, SHORTEST), draw(task, SHORTEST, seed=1)
    assert all(tensor.shape == (5, SHORTEST) for tensor in first)
    assert 0 <= min(first[0].min(), first[1].min()) and max(first[0].max(), first[1].max()) < TASKS[task].vocabulary()
    assert all(map(torch.equal, first, again)) and not torch.equal(first[0], other[0])


@pytest.fixture
def places(monkeypatch):
    """A text each of whose characters is its own place, cut as the real one is: the number of the first for testing."""
    training, testing, _ = data.characters()
    n, cut = len(training) + len(testing), len(training)
    monkeypatch.setattr(data, "characters", lambda: (torch.arange(cut), torch.arange(cut, n), n))
    return cut


@pytest.mark.parametrize("n", [2, 64, LONGEST])
def test_characters_asks_for_the_next_one_and_never_trains_on_what_is_tested(places, n):
    for test in (False, True):
        tokens, answers, back = draw("characters", n, 200, test=test)
        assert torch.equal(tokens + 1, answers) and (back == 1).all()
        assert tokens.min() >= places if test else answers.max() < places


def test_at_every_length_the_windows_end_at_the_same_characters(places):
    longest = draw("characters", LONGEST, 50, test=True)
    for n in (2, 64, 512):
        for short, long in zip(draw("characters", n, 50, test=True), longest, strict=True):
            assert torch.equal(short, long[:, -n:])


def test_the_text_is_long_enough_for_the_longest_window():
    training, testing, alphabet = data.characters()
    assert min(len(training), len(testing)) > LONGEST and len(set(data.text())) == alphabet
    assert len(training) + len(testing) == len(data.text())
