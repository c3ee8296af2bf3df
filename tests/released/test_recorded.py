"""The recording answers what it was asked before, tells calls and changes apart, and refuses everything else."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.rope import RoPE
from course_lib.released.model import Released
from course_lib.released.recorded import FOLDER, METHODS, Recorded
from tools.record import Recorder


class Counts:
    """Every call has another answer, so a replayed one cannot be taken for the answer of another call."""

    asked = 0

    def losses(self, text):
        self.asked += 1
        return torch.arange(3) / 7 + self.asked

    def attention(self, text, layer, head):
        return self.losses(text)[0] + torch.rand(100, 100)

    def queries_and_keys(self, text, layer):
        return self.losses(text), torch.rand(100, 100)

    def tokens(self, text):
        return text.split(" ")

    @contextmanager
    def changed(self, **changes):
        yield


@pytest.fixture
def recorder():
    return Recorder(Counts())


def replayed(recorder, tmp_path):
    recorder.save(tmp_path / "lesson.xz")
    return Recorded(tmp_path / "lesson.xz")


CALLS = [
    lambda model: model.losses("a"),
    lambda model: model.losses("b"),
    lambda model: model.losses(torch.tensor([1, 2])),
    lambda model: model.losses(torch.tensor([[1, 2]])),
    lambda model: model.attention("a", 1, 2)[0, :3],
    lambda model: model.attention("a", 2, 1)[0, :3],
    lambda model: model.queries_and_keys("a", 2)[0],
    lambda model: model.queries_and_keys("a", 2)[1][0, :3],
]
CHANGES = [
    {"window": 3}, {"sinks": [3]}, {"turn_query": 1.0}, {"turn_query": 1.001}, {"stopped_heads": [(1, 2)]},
    {"stopped_heads": [(2, 1)]}, {"position": ALiBi(9)}, {"position": RoPE(64)}, {"position": RoPE(64, base=1e5)},
    {"bias": DecayBias(0.3)}, {"bias": DecayBias(0.31)}, {"bias": torch.zeros(2, 2)}, {"mask": torch.eye(2) > 0},
]  # fmt: skip


def test_calls_and_changes_are_told_apart_and_come_back_as_they_were(recorder, tmp_path):
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

    first, asked = ask(recorder), recorder.model.asked
    assert len(first.unique(dim=0)) == len(first) == asked + 1  # two answers came from one call
    assert torch.equal(ask(recorder), first) and recorder.model.asked == asked  # what is known is not asked again
    again = replayed(recorder, tmp_path)
    assert torch.equal(ask(again), first) and recorder.tokens("a b") == ["a", "b"]
    again.losses("a").zero_()  # what a learner does to an answer stays there
    assert again.losses("a").min() > 0


def test_real_numbers_may_differ_in_their_last_digits(recorder, tmp_path):
    speeds = torch.linspace(0, 1, 32).double()
    with recorder.changed(heads=[(0, 1)], turn_query=0.1 + 0.2, speeds=speeds):
        answer = recorder.attention("a", layer=np.int64(3), head=4)
    again = replayed(recorder, tmp_path)
    with again.changed(turn_query=np.float64(0.3), heads=((0, 1),), speeds=(speeds * (1 + 1e-9)).tolist()):
        assert torch.equal(again.attention("a", 3, 4), answer)


def test_another_call_is_refused_in_a_sentence(recorder, tmp_path):
    recorder.losses("a")
    again = replayed(recorder, tmp_path)
    with pytest.raises(LookupError, match=r"hold this call of losses.*course\.py model` f"), again.changed(window=3):
        again.losses("a")
    assert torch.equal(again.losses("a"), recorder.losses("a"))  # an exception ends the block
    with pytest.raises(AttributeError, match=r"has no 'tokenizer'\. The model's file is not on this machine"):
        again.tokenizer.encode("a")


def test_code_of_ones_own_is_refused(recorder):
    class Mine(ALiBi):
        pass

    for position in (Mine(9), RoPE(64, speeds=lambda n: [1.0] * 32)):
        with pytest.raises(LookupError, match="cannot tell what"), recorder.changed(position=position):
            recorder.losses("a")


def test_it_has_the_methods_and_sizes_of_the_model_and_layers_without_numbers():
    recorded = Recorded()
    model = Released(recorded.decoder, None)
    assert all(callable(getattr(model, name)) and callable(getattr(recorded, name)) for name in METHODS)
    for name in ("n_layers", "n_heads", "n_kv_heads", "d_head", "speeds"):
        assert np.allclose(getattr(recorded, name), getattr(model, name), rtol=1e-12), name
    attention = recorded.decoder.blocks[0].attention
    assert isinstance(attention, RelativeAttention) and attention.key.weight.shape == (192, 576)
    with pytest.raises(NotImplementedError):
        attention.key.weight.tolist()


def test_the_recordings_of_all_lessons_are_small():
    assert 0 < sum(file.stat().st_size for file in FOLDER.glob("*.xz")) <= 3e6
