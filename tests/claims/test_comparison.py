"""The comparison table against what is known by hand; and every piece of evidence it names must exist."""

import ast
import functools
import math
from pathlib import Path

import pytest
import torch

from course_lib import study
from course_lib.figures.map_of_schemes import PLACES
from course_tasks import comparison
from course_tasks.comparison import COLUMNS, SCHEMES, Sizes, columns, probes
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
    assert ends == (name in ("learned", "Music Transformer", "axial RoPE"))


NEAR_THE_BORDER = {"none", "log-0.3"}  # of "breaks", 0.25 nats: their intervals are 0.151 … 0.180 and 0.318 … 0.402


def test_verdicts():
    """The words, by the one rule of the study. From 0.14 to 0.40 nats, only two hang on the limit of "breaks"."""
    runs = {run: verdicts.found(run) for scheme in SCHEMES.values() for run in scheme.runs}
    assert runs.keys() == {row["scheme"] for row in study.committed(STUDY)} >= set(COMPARED)
    assert set(COMPARED) == set(study.compared(128))
    assert {run for run, found in runs.items() if found.near} == NEAR_THE_BORDER
    rises = {run: found.interval for run, found in runs.items() if found.interval}
    for limit in (0.14, 0.19, study.BREAKS, 0.31, 0.40):
        words = {run: study.verdict(rise, limit) for run, rise in rises.items() if run not in NEAR_THE_BORDER}
        broke = {"learned", "sinusoidal", "sinusoidal-scaled", "t5-256"}
        broke |= {"rope", "rope-base-31", "rope-base-500000", "rope+none"}
        assert {run for run, word in words.items() if word == "breaks"} == broke
        level = {"t5-64", "transformer-xl", "alibi", "window-64", "window-64+none", "fox"}
        assert {run for run, word in words.items() if word == "level"} == level
    rope = [row["loss"] for row in study.pick(study.committed(STUDY), task="characters", scheme="rope")]
    assert math.isclose(runs["rope"].mean, sum(loss[3] - loss[0] for loss in rope) / 3)
    assert math.isclose(runs["rope"].mean, verdicts.losses("rope")[1] - verdicts.losses("rope")[0])


def test_one_seed_has_no_verdict(monkeypatch):
    fire = verdicts.runs("fire")
    monkeypatch.setattr(verdicts, "runs", lambda name, task="characters": fire[:1])
    found = verdicts.found("fire")
    assert found.word == "one seed" and found.interval is None and not found.near
    cell = columns.past_training("FIRE", SCHEMES["FIRE"], Sizes())
    assert cell.text == f"one seed +{found.mean:.2f}" and "one seed, so no interval" in cell.note


@every_scheme
def test_direction(name):
    known = {"Music Transformer": "past only", "FoX": "rising"} | dict.fromkeys(["none", "sink", "log scale"], "blind")
    known |= dict.fromkeys(["log decay", "ALiBi", "FIRE"], "mirror")
    assert value(name, "causal only?") == value(name, "causal only?", OTHER) == known.get(name, "both")


@every_scheme
def test_backends(name):
    expected = {"Swin": (), "Shaw": ("eager", "sdpa")}.get(name, ("eager", "sdpa", "flex"))
    assert value(name, "backends") == expected


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


def test_the_table_is_whole_and_the_same_in_every_run():
    assert list(TABLE) == [(scheme, column) for scheme in SCHEMES for column in COLUMNS]
    before = torch.get_rng_state()
    again = _table.__wrapped__(OTHER.sizes)
    assert dict(again) == dict(OTHER) and again is not OTHER
    assert torch.equal(before, torch.get_rng_state())
    text = str(TABLE)
    assert all(cell.text in text for cell in TABLE.values()) and "D = 64, H = 4, d = 16" in text
