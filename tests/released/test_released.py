"""The released model: equal to transformers, and the numbers that must come out."""

import hashlib

import pytest
import torch

from course_lib.nn.rope import RoPE
from course_lib.released import files, load
from course_lib.released.decoder import Config
from course_lib.released.gguf import read
from course_lib.released.loading import SHA256
from course_lib.released.recorded import Recorded
from course_lib.released.texts import FOLDER, TABLE, excerpt
from course_study.released.measures import reordered

from .test_decoder import llama, put_into
from .tiny import logits

BASE = {"pydoc_a": 2.447, "pydoc_b": 2.195, "licence": 2.891, "course": 2.152}  # an independent forward pass in torch


@pytest.fixture(scope="module")
def theirs(file):
    metadata, tensors = read(file)
    assert metadata["llama.rope.freq_base"] == Config().base
    assert metadata["llama.attention.layer_norm_rms_epsilon"] == pytest.approx(Config().eps)
    return put_into(llama(Config()), {name: torch.from_numpy(tensor) for name, tensor in tensors.items()}, Config())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alice", "pydoc_b"])
@torch.no_grad()
def test_logits_equal_transformers(model, theirs, name):
    for n in (256, 1024):
        numbers = model.encode(excerpt(name))[:n]
        difference = float((logits(model, numbers) - theirs(numbers[None]).logits[0]).abs().max())
        assert difference < 2e-3


@pytest.mark.parametrize("name", BASE)
def test_losses_of_an_independent_program_come_out(model, name):
    losses = model.losses(model.encode(excerpt(name))[:384])
    assert abs(float(losses[192:].mean()) - BASE[name]) < 0.001


def test_the_wrong_pairing_runs_and_ruins(model):
    numbers = model.encode(excerpt("pydoc_a"))[:256]
    right = model.losses(numbers)
    with model.changed(position=RoPE(64, base=100000.0)):
        assert model.losses(numbers).mean() > right.mean() + 2
        torch.testing.assert_close(reordered(model, numbers)[0], right, rtol=0, atol=1e-3)


def test_each_excerpt_is_long_enough_and_has_its_licence(model):
    for name, facts in TABLE.items():
        assert len(model.encode(excerpt(name))) >= (16_500 if name == "alice" else 1024)
        assert {*facts} == {"title", "source", "licence", "sha256"}
        assert hashlib.sha256(excerpt(name).encode()).hexdigest() == facts["sha256"]
    assert {f"{name}.txt" for name in TABLE} | {"table.toml"} == {path.name for path in FOLDER.iterdir()}
    with pytest.raises(ValueError, match="name='moby': expected one of alice, paradise_lost"):
        excerpt("moby")


def test_without_the_file_a_recording_stands_in_and_another_file_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_MODEL", "none")
    assert isinstance(load(), Recorded) and "`python3 course.py model` fetches it" in capsys.readouterr().out
    (tmp_path / files.NAME).write_bytes(b"GGUF")
    with pytest.raises(ValueError, match=f"with the SHA-256 {SHA256}, not .* Is it whole"):
        load(tmp_path / files.NAME)
