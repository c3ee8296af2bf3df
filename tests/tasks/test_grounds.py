"""What tasks rest on: bugs hide where they should, forecasts depend on no seed, and what the words say is so."""

from importlib import import_module

import numpy as np
import pytest
import torch

from course_lib.nn.absolute import sinusoidal
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.reference import oracle
from course_lib.reference.attention import softmax
from course_lib.reference.sliding_window import window_mask
from course_tasks import tasks_of
from course_tasks.guide import OUT, decide
from course_tasks.measured import study_rows
from course_tasks.windows_and_sinks.given import counter, crowded, near_counter
from tests.schemes.definitions import SCHEMES

from .notebook import defined, prepared

LONGER, LAST, WINDOWS = map(tasks_of, ("longer_than_training", "which_one", "windows_and_sinks"))
RISES_MORE = import_module("course_tasks.longer_than_training.1_rises_more")
WITHOUT_FAR_KEYS = import_module("course_tasks.windows_and_sinks.7_without_far_keys")
SITUATIONS = import_module("course_tasks.which_one.1_what_remains").SITUATIONS


def test_the_fused_kernel_takes_a_fixed_mask_of_two_or_four_axes():
    fused = import_module("course_tasks.fast_attention.3_sdpa_traps").fused
    assert fused(torch.zeros(8, 8)) and fused(torch.zeros(1, 3, 8, 8))


# ---------------------------------------------------------------- longer than training


def test_the_untouched_evaluation_is_flat_and_the_repaired_one_rises():
    task = LONGER["loss_by_length"]
    for case in task.spec.cases:
        curve = task.spec.solution(*case.args)
        assert np.ptp(task.starter(*case.args)) < 0.01 and (len(curve) == 1 or curve[-1] > 10 * curve[0])


def test_the_hook_works_in_a_layer():
    task = LONGER["square_root_decay"]

    class SquareRootDecay(Position):
        strengths = torch.tensor([1.0, 0.25])
        bias = defined(task.solution_source(), task.name, prepared(task))

    torch.manual_seed(0)
    layer, x = RelativeAttention(8, 2, SquareRootDecay(), causal=True), torch.randn(1, 6, 8)
    q, k, v = (f(x)[0].unflatten(-1, (2, 4)).transpose(0, 1).tolist() for f in (layer.query, layer.key, layer.value))

    def head(h, strength):
        def bias(r):
            return -strength * abs(r) ** 0.5

        return oracle.attend(oracle.scores_with_bias(q[h], k[h], bias, scale=0.5), v[h], causal=True)[0]

    heads = torch.tensor([head(0, 1.0), head(1, 0.25)])
    assert torch.allclose(layer(x)[0], layer.out(heads.transpose(0, 1).flatten(1)), atol=1e-5)


def test_no_forecast_depends_on_the_choice_of_the_seeds():
    """The answer is the same for every single seed, so it is no chance."""
    rows = study_rows()
    for seed in sorted({row.get("seed") for row in rows}, key=str):
        chosen = [row for row in rows if row.get("seed") == seed]
        for pair, right in LONGER["rises_more"].expected().items():
            assert RISES_MORE.more(chosen, *pair.split(" or ")) == right, (seed, pair)
    for scheme in WITHOUT_FAR_KEYS.SCHEMES:
        found = WITHOUT_FAR_KEYS.changes(scheme)
        assert len(found) > 2 and len({WITHOUT_FAR_KEYS.said(change) for change in found}) == 1, (scheme, found)
        assert max(found) < 0.02, "no model misses the far keys"


# ---------------------------------------------------------------- windows and sinks


def test_the_given_window_has_one_key_too_many():
    assert (WINDOWS["seen_keys"].starter(3, 9, 4) == window_mask(3, 9, w=5, past=6)).all()


@pytest.mark.parametrize("read", range(9))
def test_the_given_ring_is_right_for_one_token_at_a_time(read):
    task, rng = WINDOWS["ring_step"], np.random.default_rng(read)
    ring = rng.normal(size=(4, 2))
    for n, alike in ((1, True), (3, read < 2)):
        new = rng.normal(size=(n, 2))
        (seen, after), (right, ring_after) = (f(ring, read, new) for f in (task.starter, task.spec.solution))
        assert (after == ring_after).all() and seen.shape == right.shape and np.array_equal(seen, right) == alike


def test_the_given_sink_has_no_effect():
    scores, values = np.random.default_rng(0).normal(size=(2, 5, 5))
    for a in (-2.0, 0.0, 3.0):
        assert np.allclose(WINDOWS["sink_output"].starter(scores, values, a), softmax(scores) @ values)


def test_the_three_models_use_the_far_keys_ignore_them_and_suffer_from_them():
    task = WINDOWS["use_of_far_keys"].spec
    found = {case.args[0]: task.solution(*case.args) for case in task.cases[:3]}
    assert found[counter] > 0.1 and found[near_counter] == 0 and found[crowded] < -0.1
    assert task.solution(*task.cases[3].args) == 0  # a text without far keys


def test_a_model_that_sees_later_keys_is_noticed():
    """Masks that show the same later keys in both calls change every model's loss, but only one's difference."""
    task = WINDOWS["use_of_far_keys"].spec
    model, tokens, near = task.cases[2].args
    offset = np.arange(len(tokens)) - np.arange(len(tokens))[:, None]
    full, masked = (model(tokens, mask)[-near:].mean() for mask in (offset < len(tokens), offset > -near))
    assert abs(masked - full - task.solution(model, tokens, near)) > 0.01


# ---------------------------------------------------------------- which one


def test_each_situation_leaves_one_candidate_at_most_and_its_words_name_all_four():
    words = LAST["what_remains"].words
    for name, (answers, candidates) in SITUATIONS.items():
        line = words.split(f"- `{name}`: ")[1].split("\n- ")[0]
        assert line.split("`")[1::2] == list(candidates)
        assert sum(decide(answers)[scheme].verdict != OUT for scheme in candidates) <= 1
    assert list(LAST["what_remains"].expected().values()).count("no scheme") == 1


LEFT, MIDDLE = [2, 3, 4], [0, 1, 4]  # the places of three tokens in a row of five


def padded(layer, x, places, add=lambda mask: 0):
    """What a causal layer answers to x (1, 3, d) with its tokens at `places` of five; padding is random, and masked.

    add(mask): what absolute positions add to the input, (5, d).
    """
    mask, whole = torch.zeros(5, dtype=torch.bool), torch.randn(1, 5, x.shape[-1], dtype=x.dtype)
    mask[places], whole[:, places] = True, x
    return layer(whole + add(mask), mask=mask)[:, places]


@pytest.mark.parametrize("name", [name for name, scheme in SCHEMES.items() if scheme.relative])
def test_left_padding_changes_nothing_for_a_relative_scheme_and_padding_in_the_middle_does(name):
    torch.manual_seed(0)
    layer, x = SCHEMES[name](2, 4, causal=True).double(), torch.randn(1, 3, 8, dtype=torch.float64)
    assert torch.allclose(padded(layer, x, LEFT), layer(x))
    blind = name in ("none", "T5, cross-attention", "Shaw, shared, clip 0", "sink")  # to this scheme offsets are equal
    assert blind or not torch.allclose(padded(layer, x, MIDDLE), layer(x), atol=1e-3)


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_left_padding_moves_absolute_positions_until_they_are_repaired(scheme):
    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, causal=True).double()
    x, table = torch.randn(1, 3, 8, dtype=torch.float64), torch.randn(5, 8, dtype=torch.float64)

    def add(positions):
        return table[positions] if scheme == "learned" else sinusoidal(positions, 8, dtype=torch.float64)

    def repaired(mask):
        return add(torch.from_numpy(LAST["positions_with_padding"].spec.solution(mask[None].numpy()))[0])

    alone = layer(x + add(torch.arange(3)))
    for places in (LEFT, MIDDLE):
        assert not torch.allclose(padded(layer, x, places, lambda mask: add(torch.arange(5))), alone, atol=1e-3)
        assert torch.allclose(padded(layer, x, places, repaired), alone)
