"""The comparison table against what is known by hand."""

import pytest
import torch

import course_study as study
from course_kit.figures.map_of_schemes import PLACES
from course_tasks import comparison
from course_tasks.comparison import COLUMNS, SCHEMES, probes
from course_tasks.measured import NAMES, right, rise

TABLE = comparison.table()
OTHER = comparison.table(d_model=24, n_heads=2, n=20, clip=3, num_buckets=8, max_distance=16, window=3)
every_scheme = pytest.mark.parametrize("name", SCHEMES)
LEARNED = {"learned", "T5 buckets", "Shaw", "Music Transformer", "Transformer-XL", "Swin"}
LEARNED |= {"sink", "log scale", "FoX", "FIRE"}
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
    "sliding window": lambda n, H, d, k, W: 2 * 4 * n * d // 2 + 4 * (2 * n - 1),
    "sink": lambda n, H, d, k, W: 4 * H,
    "log scale": lambda n, H, d, k, W: 0,
    "FoX": lambda n, H, d, k, W: 4 * H * n,
    "FIRE": lambda n, H, d, k, W: 4 * H * n**2,
    "Swin": lambda n, H, d, k, W: (8 + 4 * H) * W**4,
    **dict.fromkeys(["RoPE", "axial RoPE", "M-RoPE"], lambda n, H, d, k, W: 2 * 4 * n * d // 2),
}


def found(name, column):
    """The value of a cell, which must be the same for other sizes."""
    assert TABLE[name, column].value == OTHER[name, column].value
    return TABLE[name, column].value


@every_scheme
def test_what_a_scheme_is(name):
    assert set(found(name, "where it enters")) == set(SCHEMES[name].enters)
    not_relative = dict.fromkeys(["learned", "sinusoidal", "log scale", "FIRE"], False)
    assert found(name, "relative?") is {"none": None, "sink": None, **not_relative}.get(name, True)
    directions = {"Music Transformer": "past only", "FoX": "rising"}
    directions |= dict.fromkeys(["none", "sink", "log scale"], "blind")
    directions |= dict.fromkeys(["log decay", "ALiBi", "FIRE"], "mirror")
    assert found(name, "direction") == directions.get(name, "both")
    assert found(name, "fused") == {"Swin": (), "Shaw": ("sdpa",)}.get(name, ("sdpa", "flex"))


@every_scheme
def test_what_it_learns_and_keeps_by_hand(name):
    formula = SCHEMES[name].parameters.replace("·", "*").replace("²", "**2").replace("−", "-")
    for table in (TABLE, OTHER):
        letters = table.sizes.letters()
        assert eval(formula, {"__builtins__": {}}, letters) == table[name, "learns"].value
        assert (table[name, "learns"].value > 0) == (name in LEARNED)
        power = {"none": 0, "Shaw": 0, "sink": 0, "log scale": 0, "Swin": 2, "FIRE": 2}.get(name, 1)
        kept = BYTES[name](**{letter: letters[letter] for letter in ("n", "H", "d", "k", "W")})
        assert table[name, "keeps for n tokens"].value == (kept, power)


def test_what_layers_share():
    """The models of the study have as many parameters more than the model without positions as the table says."""
    settings = study.Settings()
    table = comparison.table(n=settings.longest, clip=32)

    def size(run):
        return sum(p.numel() for p in study.Model(study.find(run), 10, settings).parameters())

    for name, scheme in SCHEMES.items():
        for run in scheme.runs:
            times = 1 if scheme.shared else settings.n_layers
            assert size(run) - size("none") == times * table[name, "learns"].value


def test_longer_texts():
    """The words are those of the study, and no table but three ends."""
    for name in SCHEMES:
        assert TABLE[name, "longer texts"].value[1] == (name in ("learned", "Music Transformer", "axial RoPE"))
    words = f"level {rise('alibi'):+.2f}, finds {right('alibi', NAMES)[-1]:.0%}"
    assert TABLE["ALiBi", "longer texts"].text == words.replace("-", "−")
    assert TABLE["RoPE", "longer texts"].value == (("breaks",) * 4, False)


def test_the_table_is_whole_and_the_picture_shows_it():
    before = torch.get_rng_state()
    assert list(TABLE) == [(scheme, column) for scheme in SCHEMES for column in COLUMNS]
    assert all(cell.text in str(TABLE) and cell.note.endswith(".") for cell in TABLE.values())
    whole = comparison.picture(TABLE, title="Small <one>")._repr_html_()
    assert whole.count("<td ") == len(TABLE) and whole.count("<li>") == len(TABLE) and "Small &lt;one&gt;" in whole
    assert all(f"{scheme}: " in comparison.picture(TABLE).alt for scheme in SCHEMES)
    assert torch.equal(before, torch.get_rng_state())
    assert probes.PLACES == tuple(place.hook for place in PLACES)
    with pytest.raises(ValueError, match="n=3: expected a whole number from 16 to 4096"):
        comparison.table(n=3)
