"""The recording answers what it was asked before, tells calls and changes apart, and refuses everything else."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.released.model import Inside, Released
from course_lib.released.recorded import FOLDER, Recorded


class Counts(Released):
    """Every call has another answer, so a replayed one cannot be taken for the answer of another call."""

    def __init__(self):
        self.asked, self.active = 0, 0

    def losses(self, text):
        self.asked += 1
        return torch.arange(3) / 7 + self.asked + 100 * self.active

    def attention(self, text, layer, head=None):
        return torch.rand(9, 30, 30) if head is None else self.losses(text)

    def queries_and_keys(self, text, layer):
        return self.losses(text), self.losses(text)

    def inside(self, text):
        yield from (Inside(*torch.full((5, 2), float(layer))) for layer in range(2))

    def tokens(self, text):
        return text.split(" ")

    @contextmanager
    def changed(self, **changes):
        self.active += 1
        yield
        self.active -= 1


@pytest.fixture
def tape():
    return Recorded(model=Counts())


def replayed(tape, tmp_path):
    tape.save(tmp_path / "lesson.npz")
    return Recorded(tmp_path / "lesson.npz")


def test_every_kind_of_answer_comes_back_as_it_was(tape, tmp_path):
    def ask(model):
        layers = [layer.weights for layer in model.inside("a b")]
        return [model.losses("a b"), *model.queries_and_keys("a b", 3), *layers, model.attention("a b", 0)]

    first, tokens = ask(tape), tape.tokens("a b")
    again = replayed(tape, tmp_path)
    assert again.tokens("a b") == tokens == ["a", "b"]
    for new, old in zip(ask(again), first, strict=True):
        assert torch.equal(new, old) and new.dtype == old.dtype
    assert torch.equal(first[0], Counts().losses("")) and torch.equal(first[-1].half().float(), first[-1])


def test_what_a_learner_does_to_an_answer_stays_there(tape, tmp_path):
    tape.losses("a").zero_()
    again = replayed(tape, tmp_path)
    again.losses("a").zero_()
    assert again.losses("a").min() > 0


CALLS = [
    lambda model: model.losses("a"),
    lambda model: model.losses("b"),
    lambda model: model.losses(torch.tensor([1, 2])),
    lambda model: model.losses(torch.tensor([[1, 2]])),
    lambda model: model.attention("a", 1, 2),
    lambda model: model.attention("a", 2, 1),
]
CHANGES = [
    {"window": 3}, {"window": 4}, {"sinks": [3]}, {"turn_query": 1.0}, {"turn_query": 1.001}, {"turn_query": -1.0},
    {"stopped_heads": [(1, 2)]}, {"stopped_heads": [(2, 1)]}, {"position": ALiBi(9)}, {"position": RoPE(64)},
    {"position": RoPE(64, interleaved=True)}, {"position": RoPE(64, base=1e5)}, {"bias": DecayBias(0.3)},
    {"bias": DecayBias(0.31)}, {"bias": torch.zeros(2, 2)}, {"bias": torch.eye(2)},
    {"mask": torch.ones(2, 2, dtype=torch.bool)}, {"mask": torch.eye(2, dtype=torch.bool)},
]  # fmt: skip


def test_calls_and_changes_are_told_apart(tape, tmp_path):
    def ask(model):
        answers = [call(model) for call in CALLS]
        for changes in CHANGES:
            with model.changed(**changes):
                answers.append(model.losses("a"))
                with model.changed(window=5):
                    answers.append(model.losses("a"))
            with model.changed(window=5), model.changed(**changes):
                answers.append(model.losses("a"))
        return torch.stack(answers)

    first = ask(tape)
    assert len(first.unique(dim=0)) == len(first) == tape.model.asked
    assert torch.equal(ask(replayed(tape, tmp_path)), first)
    assert torch.equal(ask(tape), first) and tape.model.asked == len(first)  # what is known is not asked again


def test_one_call_may_be_written_in_several_ways(tape, tmp_path):
    with tape.changed(heads=[(0, 1)], turn_query=0.1 + 0.2, positions=None):
        answer = tape.attention("a", layer=np.int64(3), head=4)
    again = replayed(tape, tmp_path)
    with again.changed(turn_query=np.float64(0.3), heads=((0, n) for n in [1])):
        assert torch.equal(again.attention("a", 3, 4), answer)


def test_another_call_is_refused_in_a_sentence(tape, tmp_path):
    tape.losses("a")
    again = replayed(tape, tmp_path)
    with pytest.raises(LookupError) as error, again.changed(window=3), again.changed(turn_query=1.0):
        again.losses("The cat sat on mat and on something longer.")
    asked = "losses(text='The cat sat ...thing longer.') inside changed(turn_query=1.0) inside changed(window=3)"
    assert asked in str(error.value)
    assert "`python3 course.py model` fetches it (93 MB)" in str(error.value)
    assert torch.equal(again.losses("a"), tape.losses("a"))  # an exception ends the blocks
    with pytest.raises(TypeError, match="text"):
        again.losses()
    with pytest.raises(AttributeError, match=r"has no 'tokenizer'\. The model's file is not on this machine"):
        again.tokenizer.encode("a")


def test_its_layers_can_be_seen_but_hold_no_numbers():
    attention = Recorded().decoder.blocks[0].attention
    assert isinstance(attention, RelativeAttention) and attention.key.weight.shape == (192, 576)
    with pytest.raises(NotImplementedError):
        attention.key.weight.tolist()


def test_code_of_ones_own_is_refused(tape):
    class Mine(ALiBi):
        pass

    for position in (Mine(9), RoPE(64, speeds=lambda n: [1.0] * 32)):
        with pytest.raises(LookupError, match="cannot tell what"), tape.changed(position=position):
            tape.losses("a")


def test_it_stands_in_for_the_model_itself(model, tmp_path):
    """Attributes and answers, small ones exactly and large ones to half precision."""
    text = model.encode("The cat sat on the mat. " * 8)

    def ask(model):
        with model.changed(window=16, sinks=[0]), model.changed(turn_query=1.0, heads=[(16, 0)]):
            return model.losses(text), model.attention(text, 16, 0), *model.queries_and_keys(text[:8], 1)

    tape = Recorded(model=model)
    ask(tape)
    again = replayed(tape, tmp_path)
    for new, old in zip(ask(again), ask(model), strict=True):
        torch.testing.assert_close(new, old, rtol=1e-3 if old.numel() > 4096 else 0, atol=0)
    for name in ("n_layers", "n_heads", "n_kv_heads", "d_head", "speeds"):
        assert np.allclose(getattr(again, name), getattr(model, name), rtol=1e-12), name


def test_the_recordings_of_all_lessons_are_small():
    assert sum(file.stat().st_size for file in FOLDER.glob("*.npz")) <= 3e6
