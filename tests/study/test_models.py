"""The schemes differ in position alone, and each does what its name says."""

import pytest
import torch

import course_study as study
from course_lib.nn.t5 import T5Bias
from course_study.model import Model
from course_study.run import learning_rates

from .common import SMALL, small

every_scheme = pytest.mark.parametrize("name", study.COMPARED[:-1])  # the window is wider than these texts


def make(name, settings=SMALL, seed=0, vocabulary=11):
    torch.manual_seed(seed)
    return Model(study.find(name), vocabulary, settings)


def draw_text(n, size=2, seed=0):
    return torch.randint(11, (size, n), generator=torch.Generator().manual_seed(seed))


def apart_from_position(model):
    return {n: p for n, p in model.named_parameters() if ".position." not in n and not n.startswith("input.")}


@every_scheme
def test_all_schemes_begin_with_the_same_weights_and_another_seed_with_others(name):
    ours, plain, other = (apart_from_position(m) for m in (make(name), make("none"), make(name, seed=1)))
    assert ours.keys() == plain.keys() and len(ours) > 20
    assert all(torch.equal(ours[part], plain[part]) for part in ours)
    assert not any(torch.equal(ours[part], other[part]) for part in ours if ours[part].dim() > 1)


@every_scheme
@torch.no_grad()
def test_every_scheme_reads_the_longest_text_and_never_looks_ahead(name):
    model, tokens = make(name), draw_text(SMALL.longest)
    before, place = model(tokens), 40
    tokens[:, place] = (tokens[:, place] + 1) % 11
    after = model(tokens)
    assert before.shape == (2, SMALL.longest, 11) and before.isfinite().all()
    torch.testing.assert_close(after[:, :place], before[:, :place])
    assert not torch.allclose(after[:, place], before[:, place])


@every_scheme
def test_a_table_of_biases_belongs_to_the_whole_model_and_learns_faster(name):
    model = make(name)
    first, second = (block.attention.position for block in model.blocks)
    assert (first is second) == isinstance(first, T5Bias)
    fast = [p for group in learning_rates(model, SMALL) if group["lr"] > SMALL.learning_rate for p in group["params"]]
    assert [id(p) for p in fast] == ([id(first.table)] if first is second else [])
    assert sum(len(group["params"]) for group in learning_rates(model, SMALL)) == len(list(model.parameters()))
    assert first.scale is None  # all divide by √d_head, T5 too


def test_layers_take_turns():
    model = make("rope+none", small(n_layers=3))
    assert [type(block.attention.position).__name__ for block in model.blocks] == ["RoPE", "Position", "RoPE"]
    assert model.blocks[0].attention.position is not model.blocks[2].attention.position
