"""The speeds that `transformers` gives a stretched RoPE, as recorded, and the same by `reference.speeds`."""

import json
from pathlib import Path

from course_lib.reference import speeds
from course_lib.reference.absolute import frequencies

CASES = json.loads((Path(__file__).parent / "data" / "rope_speeds.json").read_text(encoding="utf-8"))["cases"]
TOLERANCE = 1e-6  # relative: the recorded numbers are float32


def name_of(case):
    given = {name: value for name, value in case["parameters"].items() if not isinstance(value, list)}
    sizes = {name: case[name] for name in ("d", "base", "length", "n")}
    return "-".join([case["rope_type"], *(f"{name}={value}" for name, value in {**sizes, **given}.items())])


def by_reference(case):
    """Speeds and factor of a case, whose parameters have the names that `transformers` gives them."""
    kind, d, base, given = case["rope_type"], case["d"], case["base"], case["parameters"]
    theta, s = frequencies(d, base), given.get("factor", 1.0)
    length = given.get("original_max_position_embeddings", case["length"])
    n = length if case["n"] is None else case["n"]
    if kind == "linear":
        return speeds.interpolated(speeds.partial_rope(d, given.get("partial_rotary_factor", 1.0), base=base), s), 1.0
    if kind == "dynamic":
        return speeds.dynamic_ntk(theta, n, length, strength=s), 1.0
    if kind == "llama3":
        low, high = given["low_freq_factor"], given["high_freq_factor"]
        return speeds.llama3(theta, s, length, low=low, high=high), 1.0
    if kind == "longrope":
        lists = {"short": given["short_factor"], "long": given["long_factor"]}
        return speeds.longrope(theta, n, length, **lists), speeds.longrope_factor(s, length)
    if kind == "proportional":
        return speeds.interpolated(speeds.p_rope(theta, given["partial_rotary_factor"]), s), 1.0
    assert kind == "yarn"
    names = {"beta_fast": "fast", "beta_slow": "slow", "truncate": "truncate"}
    options = {ours: given[theirs] for theirs, ours in names.items() if theirs in given}
    return speeds.yarn(d, s, length, base=base, **options), given.get("attention_factor", yarn_factor(s, given))


def yarn_factor(s, given):
    if "mscale" not in given:
        return speeds.yarn_factor(s)
    return speeds.yarn_factor(s, mscale=given["mscale"]) / speeds.yarn_factor(s, mscale=given["mscale_all_dim"])
