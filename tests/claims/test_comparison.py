"""The comparison table against what is known by hand; and every piece of evidence it names must exist."""

import ast
import functools
import math
from pathlib import Path

import pytest
import torch

from course_lib import study
from course_lib.figures.map_of_schemes import PLACES
from course_lib.nn.bias import DecayBias
from course_lib.nn.fire import FIRE
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position, Vectors
from course_tasks import comparison
from course_tasks.comparison import COLUMNS, SCHEMES, Sizes, columns, measures, probes
from course_tasks.comparison import beyond_training as verdicts
from course_tasks.comparison.table import _table
from course_tasks.measured import COMPARED, STUDY

from ..schemes.definitions import SCHEMES as DEFINED

ROOT = Path(__file__).parents[2]
TABLE = comparison.table()
OTHER = comparison.table(d_model=24, n_heads=2, n=20, clip=3, num_buckets=8, max_distance=16, window=3)
every_scheme = pytest.mark.parametrize("name", SCHEMES)


def value(name, column, table=TABLE):
    return table[name, column].value


# --- what is known by hand ----------------------------------------------------------------------------------------


def test_places_are_those_of_the_map():
    assert probes.PLACES == tuple(place.hook for place in PLACES)
    for scheme in SCHEMES.values():
        assert set(value(scheme.name, "where it enters")) == set(scheme.enters)
    assert value("none", "where it enters") == () and columns.WORDS.keys() == set(probes.PLACES)


@every_scheme
def test_relative_or_not(name):
    expected = {"none": None, **dict.fromkeys(["learned", "sinusoidal", "log scale", "FIRE"], False)}.get(name, True)
    assert value(name, "relative?") is value(name, "relative?", OTHER) is expected


@every_scheme
def test_the_formula_counts_the_parameters(name):
    formula = SCHEMES[name].parameters.replace("·", "*").replace("²", "**2").replace("−", "-")
    for table in (TABLE, OTHER):
        assert eval(formula, {"__builtins__": {}}, table.sizes.letters()) == value(name, "parameters", table)
        assert value(name, "learned?", table) == (value(name, "parameters", table) > 0)
    learned = {"learned", "T5 buckets", "Shaw", "Music Transformer", "Transformer-XL", "Swin"}
    learned |= {"sink", "log scale", "FoX", "FIRE"}
    assert (name in learned) == value(name, "learned?")


def test_what_layers_share():
    """The models of the study have as many parameters more than the model without positions as the table says."""
    settings = study.Settings()
    table = comparison.table(n=settings.longest, clip=32)

    def size(run):
        return sum(p.numel() for p in study.Model(study.find(run), 10, settings).parameters())

    for name, scheme in SCHEMES.items():
        for run in scheme.runs:
            times = 1 if scheme.shared else settings.n_layers
            assert size(run) - size("none") == times * value(name, "parameters", table)


BYTES = {  # what is kept, in bytes: 4 for a number, 8 for a row of Swin's table
    "none": lambda n, H, d, k, W: 0,
    "learned": lambda n, H, d, k, W: 4 * n * H * d,
    "sinusoidal": lambda n, H, d, k, W: 4 * n * H * d,
    "log decay": lambda n, H, d, k, W: 4 * (2 * n - 1),
    "T5 buckets": lambda n, H, d, k, W: 4 * H * (2 * n - 1),
    "Shaw": lambda n, H, d, k, W: 2 * 4 * H * (2 * k + 1) * d,
    "Music Transformer": lambda n, H, d, k, W: 4 * H * (2 * n - 1) * d,
    "Transformer-XL": lambda n, H, d, k, W: 4 * H * (2 * n - 1) * (d + 1),
    "ALiBi": lambda n, H, d, k, W: 4 * H * (2 * n - 1),
    "RoPE": lambda n, H, d, k, W: 2 * 4 * n * d // 2,
    "axial RoPE": lambda n, H, d, k, W: 2 * 4 * n * d // 2,
    "M-RoPE": lambda n, H, d, k, W: 2 * 4 * n * d // 2,
    "sliding window": lambda n, H, d, k, W: 2 * 4 * n * d // 2 + 4 * (2 * n - 1),
    "sink": lambda n, H, d, k, W: 4 * H,
    "log scale": lambda n, H, d, k, W: 0,
    "FoX": lambda n, H, d, k, W: 4 * H * n,
    "FIRE": lambda n, H, d, k, W: 4 * H * n**2,
    "Swin": lambda n, H, d, k, W: (8 + 4 * H) * W**4,
}


@every_scheme
def test_what_is_kept_by_hand(name):
    for table in (TABLE, OTHER):
        expected = BYTES[name](**{letter: table.sizes.letters()[letter] for letter in ("n", "H", "d", "k", "W")})
        power = {"none": 0, "Shaw": 0, "sink": 0, "log scale": 0, "Swin": 2, "FIRE": 2}.get(name, 1)
        assert value(name, "keeps for n tokens", table) == (expected, power)


@every_scheme
def test_longer_texts(name):
    _, ends = value(name, "longer than training?")
    said = {name: "length 128: the table ends at max_length=64" for name in ("learned", "Music Transformer")}
    said["axial RoPE"] = "length 128: expected at most 64, the tokens in `positions`"
    assert ends == (name in said)
    assert not ends or said[name] in TABLE[name, "longer than training?"].note


def test_the_n_of_swin_s_square_is_said():
    kept = {name: TABLE[name, "keeps for n tokens"].text for name in SCHEMES}
    assert [name for name, text in kept.items() if "patches in a window" in text] == ["Swin"]
    small, large = (measures.kept(SCHEMES["Swin"], s)["bias"] for s in (Sizes(window=4), Sizes(window=8)))
    assert large.nbytes == (8**2 / 4**2) ** 2 * small.nbytes  # four times the patches, sixteen times the bytes


def test_swin_sees_no_other_window():
    assert "more windows" in TABLE["Swin", "longer than training?"].text
    module = SCHEMES["Swin"].make(Sizes(window=4))
    module.shift = 2  # shifted windows mix what lay in two
    with torch.no_grad():
        assert not measures.stays_inside(module, Sizes(window=4))


NEAR_THE_BORDER = {"none", "log-0.3"}  # of "breaks", 0.25 nats: their intervals are 0.151 … 0.180 and 0.318 … 0.402


def test_verdicts():
    """The words, by the one rule of the study. From 0.14 to 0.40 nats, only two hang on the limit of "breaks"."""
    runs = {run: verdicts.found(run) for scheme in SCHEMES.values() for run in scheme.runs}
    assert runs.keys() == {row["scheme"] for row in study.committed(STUDY)} >= set(COMPARED)
    assert set(COMPARED) == set(study.compared(128))
    assert {run for run, found in runs.items() if found.near} == NEAR_THE_BORDER
    rises = {run: found.interval for run, found in runs.items() if found.interval}
    for limit in (0.14, 0.19, study.BREAKS, 0.31, 0.40):
        words = {run: study.verdict(rise, limit) for run, rise in rises.items()}
        broke = {"learned", "sinusoidal", "sinusoidal-scaled", "t5-256"}
        broke |= {"rope", "rope-base-31", "rope-base-500000", "rope+none"}
        assert {run for run, word in words.items() if word == "breaks"} - NEAR_THE_BORDER == broke
        level = {"t5-64", "transformer-xl", "alibi", "window-64", "window-64+none", "fox"}
        assert {run for run, word in words.items() if word == "level"} == level
        assert words["none"] == ("breaks" if limit < 0.151 else "rises")
        assert words["log-0.3"] == ("breaks" if limit < 0.318 else "rises")
    rope = [row["loss"] for row in study.pick(study.committed(STUDY), task="characters", scheme="rope")]
    assert math.isclose(runs["rope"].mean, sum(loss[3] - loss[0] for loss in rope) / 3)
    assert "rope breaks +2.46" in TABLE["RoPE", "longer than training?"].text
    assert math.isclose(runs["rope"].mean, verdicts.losses("rope")[1] - verdicts.losses("rope")[0])


def test_one_seed_has_no_verdict(monkeypatch):
    fire = verdicts.runs("fire")
    monkeypatch.setattr(verdicts, "runs", lambda name, task="characters": fire[:1])
    found = verdicts.found("fire")
    assert found.word == "one seed" and found.interval is None and not found.near
    cell = columns.past_training("FIRE", SCHEMES["FIRE"], Sizes())
    assert cell.text == f"one seed +{found.mean:.2f}" and "one seed, so no interval" in cell.note


def test_a_word_near_the_border_says_so():
    for name, near in {"none": True, "log decay": True, "Shaw": False, "RoPE": False}.items():
        assert ("near the border: a limit from 0.14 to 0.40" in TABLE[name, "longer than training?"].note) == near


@every_scheme
def test_direction(name):
    known = {"Music Transformer": "past only", "FoX": "rising"} | dict.fromkeys(["none", "sink", "log scale"], "blind")
    known |= dict.fromkeys(["log decay", "ALiBi", "FIRE"], "mirror")
    assert value(name, "causal only?") == value(name, "causal only?", OTHER) == known.get(name, "both")


def test_fire_is_symmetric_around_a_query_past_its_threshold_too():
    with torch.no_grad():
        assert probes.direction(FIRE(4, threshold=2.0).double(), Sizes()) == "mirror"


def test_direction_of_the_other_forms():
    assert "bidirectional=False: yes" in TABLE["T5 buckets", "causal only?"].text
    assert "causal=False: no" in TABLE["Music Transformer", "causal only?"].text


@every_scheme
def test_backends(name):
    expected = {"Swin": (), "Shaw": ("eager", "sdpa")}.get(name, ("eager", "sdpa", "flex"))
    assert value(name, "backends") == expected


# --- the probes notice what the schemes of the course do not do -----------------------------------------------------


class ByPast(Position):
    """A bias that depends on where the text stands, not on offsets alone."""

    def bias(self, n_q, n_k, past):
        return row_offsets(n_q, n_k, past)[None].double() * (1 + past)


class Added(Position):
    """An angle's cosine added to the queries: it depends on the position."""

    def rotate(self, q, k, past, first_key=None):
        return q + (past + torch.arange(q.shape[-2]).double()).cos()[:, None], k


class ValuesByPast(Position):
    def value_vectors(self, n_q, n_k, past):
        return Vectors(row_offsets(n_q, n_k, past)[None, :, None].double().expand(-1, -1, 16) + past)


class Silent(Position):
    """Overrides hooks and says nothing."""

    def bias(self, n_q, n_k, past):
        return None

    def rotate(self, q, k, past, first_key=None):
        return q * 2, k


def test_the_probes_tell_what_is_not_relative():
    with torch.no_grad():
        for module, places in [(ByPast(), ["bias"]), (Added(), ["rotate"]), (ValuesByPast(), ["value_vectors"])]:
            assert probes.places(module, Sizes()) == places
            assert not probes.relative(module, Sizes())
        assert probes.places(Silent(), Sizes()) == [] and probes.relative(DecayBias().double(), Sizes())


def test_a_backend_with_another_answer_is_named(monkeypatch):
    monkeypatch.setattr("course_lib.nn.backends.fast_attention", lambda q, k, v, terms: 0 * q)
    with torch.no_grad():
        assert measures.backends(DecayBias().double(), Sizes())["sdpa"] == "another answer"


# --- the evidence, and the table as a whole -------------------------------------------------------------------------


@functools.cache
def functions_of(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_cell_names_evidence_that_exists():
    runs = {(row["task"], row["scheme"], str(row["seed"])) for row in study.committed(STUDY)}
    for (name, column), cell in TABLE.items():
        assert cell.text and cell.note.endswith(".") and cell.evidence, (name, column)
        assert len(set(cell.evidence)) == len(cell.evidence)
        for piece in cell.evidence:
            if piece.startswith(f"study:{STUDY}/"):
                assert tuple(piece.removeprefix(f"study:{STUDY}/").split("/")) in runs
                continue
            path, test = piece.split("::")
            function, _, case = test.partition("[")
            assert function in functions_of(path), piece
            # The cases are those of `every_scheme` here and in test_nn, and a few of test_fast and test_backends.
            known = SCHEMES.keys() | DEFINED.keys() | {"learned", "bias-False", "key_vectors-False", "clipped-False"}
            assert not case or case.removeprefix("False-dtype0-1e-10-").removesuffix("]").removesuffix("-cpu") in known


def test_every_scheme_of_the_study_names_its_runs():
    for name, scheme in SCHEMES.items():
        found = [piece for piece in TABLE[name, "longer than training?"].evidence if piece.startswith("study:")]
        seeds = [row for row in study.committed(STUDY) if row["task"] == "characters" and row["scheme"] in scheme.runs]
        assert len(found) == len(seeds)


def test_the_table_is_whole_and_the_same_in_every_run():
    assert list(TABLE) == [(scheme, column) for scheme in SCHEMES for column in COLUMNS]
    before = torch.get_rng_state()
    again = _table.__wrapped__(OTHER.sizes)
    assert dict(again) == dict(OTHER) and again is not OTHER
    assert torch.equal(before, torch.get_rng_state())
    text = str(TABLE)
    assert all(cell.text in text for cell in TABLE.values()) and "D = 64, H = 4, d = 16" in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"d_model": 10, "n_heads": 4}, "d_model=10, n_heads=4: expected an even number of channels a head"),
        ({"d_model": 12, "n_heads": 4}, "d_model=12, n_heads=4: expected an even number of channels a head"),
        ({"d_model": 63}, "d_model=63: expected an even number"),
        ({"n_heads": 0}, "n_heads=0: expected a whole number, 1 or more"),
        ({"n": 15}, "n=15: expected a whole number from 16 to 4096"),
        ({"n": 5000}, "n=5000: expected a whole number from 16 to 4096"),
        ({"window": 1}, "window=1: expected a whole number from 2 to 16"),
        ({"clip": 2.0}, r"clip=2\.0: expected a whole number"),
        ({"max_distance": 8}, "num_buckets=32, max_distance=8: max_distance must exceed"),
        ({"heads": 4}, "heads: expected one of d_model, n_heads, n, scale, clip"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        comparison.table(**wrong)
