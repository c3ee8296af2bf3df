"""The benchmark compares what computes the same thing, and says clearly what it cannot do."""

import json

import pytest
import torch

from course_lib import schemes as registry
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.workbench.speed import ratio

from . import learning_table
from .__main__ import main
from .contender import Size
from .contenders import LISTED, SCHEMES
from .contenders import ours as as_ours
from .measure import exponent, peak_memory, step

SIZE = Size(12, heads=2, d=4, dtype=torch.float64)


def share(ours, theirs):
    """Give two contenders the same numbers, whatever order of axes their tables have."""
    for a, b in zip(ours, theirs):
        if a.shape == b.shape:
            b.copy_(a)
        elif b.dim() == 2 and a.shape[-2:] == b.shape:  # one table for all heads
            a.copy_(b.expand_as(a))
        elif b.dim() == 2:  # (heads, d)
            b.copy_(a[:, 0])
        else:  # causal: offsets up to 0, heads first or last
            b.copy_(a[:, : SIZE.n] if b.shape[0] == SIZE.heads else a[:, : SIZE.n].transpose(0, 1))


@pytest.mark.parametrize(
    ("scheme", "peer"), [(name, peer) for name, scheme in SCHEMES.items() for peer in scheme.peers]
)
def test_peers_compute_the_same(scheme, peer):
    torch.manual_seed(0)
    ours, theirs = SCHEMES[scheme].ours(SIZE), SCHEMES[scheme].peers[peer](SIZE)
    inputs = SIZE.inputs()
    with torch.no_grad():
        share(ours.learned, theirs.learned)
        if (scheme, peer) == ("rope", "x-transformers, flash"):  # pairs the channels (2m, 2m + 1)
            ours = as_ours(lambda size: RoPE(size.d, interleaved=True), causal=True)(SIZE)
        # Some packages make biases and frequencies in float32.
        torch.testing.assert_close(theirs.run(*inputs), ours.run(*inputs), rtol=0, atol=1e-5)
    assert len(step(theirs, inputs, True)()) == 3 + len(theirs.learned)


def test_every_scheme_of_the_registry_is_measured():
    """A new entry needs no further code, and those without peers run, too."""
    for name, entry in registry.SCHEMES.items():
        if isinstance(entry.module(registry.Sizes()), Position):
            assert name in LISTED or name.lower() in SCHEMES
    for scheme in SCHEMES.values():
        contender, inputs = scheme.ours(SIZE), SIZE.inputs()
        assert all(grad.isfinite().all() for grad in step(contender, inputs, True)())


def test_a_small_run(tmp_path, capsys):
    files = [tmp_path / name for name in ("a.json", "a.md", "a.png")]
    options = ["--scheme", "shaw", "log", "--n", "8", "16", "--rounds", "1", "--backward"]
    main([*options, "--json", str(files[0]), "--markdown", str(files[1]), "--plot", str(files[2])])
    results = json.loads(files[0].read_text())
    assert {row["contender"] for row in results["rows"]} >= {"limit", "ours", "gather/scatter", "dense mask"}
    assert all(row["ms"].keys() == {"8", "16"} for row in results["rows"])
    assert "| shaw | ours |" in files[1].read_text() and "| shaw | ours |" in capsys.readouterr().out
    assert files[2].stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scheme", "t6"], "--scheme 't6': expected one of 'log', 'alibi', 't5'"),
        (["--n", "0"], "expected whole numbers, 1 or more"),
        (["--device", "cuda"], "--device cuda: torch sees no GPU here"),
    ],
)
def test_what_cannot_be_measured(options, message, capsys):
    if "cuda" in options and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(SystemExit):
        main(options)
    assert message in capsys.readouterr().err


def test_the_learning_table_agrees_with_float64():
    """What can run without a GPU of the GPU part; FlexAttention has no gradients here and says so."""
    for name in ("no position", "dense bias", "ours"):
        for causal in (True, False):
            found = learning_table.largest_error(name, causal, "cpu")
            assert found["output"] < 0.02 and found["gradients"] < 0.06
    lines = learning_table.compare([32], device="cpu", rounds=1, quiet=True)
    assert len(lines) == 16 and all("ms" in line or "no gradients" in line["note"] for line in lines)
    assert "| 32 | forward | " in learning_table.markdown(lines)


def test_statistics():
    assert exponent({1: 1.0, 4: 16.0}) == pytest.approx(2) and exponent({1: 1.0}) is None
    assert ratio({"a": [2.0, 9.0, 6.0], "b": [1.0, 3.0, 2.0]}, "a", "b") == 3


@pytest.mark.slow("memory")
def test_memory_of_the_t5_path_grows_like_n():
    """n = 4096, 8 heads: the dense bias alone would be 512 MiB."""
    size = Size(4096)
    plain, ours = (peak_memory("t5", name, size, False) for name in ("limit", "ours"))
    assert ours - plain < 8 * size.n**2 * 4 / 2**20 / 5
    assert ours < 75
