"""What a config.json says about positions, layer by layer and in words, and what it does not say.

Keys moved and changed their names over the years. Old and new ones are read here, and a number that the file does not
give is never taken from somewhere else without saying so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reference import speeds as rules
from ..reference.absolute import frequencies

BY_NAME = {  # families whose file names no scheme
    "bloom": "ALiBi",
    "mpt": "ALiBi",
    "gpt2": "table",
    "opt": "table",
    "llama": "RoPE",
    "gptj": "RoPE",
}
ROTATION = ("rope_parameters", "rope_theta", "rope_scaling", "rotary_emb_base", "rotary_dim", "rotary_pct")
DEFAULT_BASE = 10000.0  # what programs take if the file gives none
LENGTHS = ("original_max_position_embeddings", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor")


@dataclass(frozen=True)
class Layer:
    """One layer: its scheme, and what a query sees."""

    scheme: str  # RoPE, ALiBi, T5 buckets, table, none, unknown
    kind: str = "full_attention"
    speeds: NDArray | None = None  # of RoPE, radians per position; None if the rule is unknown
    window: int | None = None  # keys that a query sees, itself among them
    chunk: int | None = None  # tokens of a chunk, in which a query sees the keys before it


@dataclass(frozen=True)
class Said:
    """What a file says: its layers, sentences for a reader, the length, and the number of heads."""

    layers: Sequence[Layer]
    words: Sequence[str]
    length: int | None
    n_heads: int | None

    @property
    def scheme(self) -> str:
        """The scheme of the layers that have one."""
        return next((layer.scheme for layer in self.layers if layer.scheme != "none"), "none")


def read(config: Mapping[str, Any]) -> Said:
    """The keys of a config.json about positions. Of a model with a picture part, its `text_config` is read.

    Raises ValueError for what is not a config with a number of layers.
    """
    config = config.get("text_config") or config
    n_layers = first(config, "num_decoder_layers", "num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if not isinstance(n_layers, int):
        raise ValueError(f"config={dict(config)}: expected the keys of a config.json, such as num_hidden_layers")
    window = config.get("sliding_window") if config.get("use_sliding_window") is not False else None
    kinds, chunk = kinds_of(config, n_layers, window), config.get("attention_chunk_size")
    scheme, on = scheme_of(config), rotated_layers(config, n_layers, kinds)
    notes: list[str] = []
    layers = []
    for number, kind in enumerate(kinds):
        own = scheme if scheme != "RoPE" or on[number] else "none"
        speeds = speeds_of(config, kind, notes) if own == "RoPE" else None
        seen = window if kind == "sliding_attention" else None
        layers.append(Layer(own, kind, speeds, seen, chunk if kind == "chunked_attention" else None))
    length = first(config, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    heads = first(config, "num_attention_heads", "n_head", "num_heads", "n_heads")
    words = [*described(config, scheme, layers), *dict.fromkeys(notes), unsaid(scheme, layers)]
    return Said(layers, words, length, heads)


def first(config: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of these keys that the file has."""
    return next((config[name] for name in names if config.get(name) is not None), None)


def scheme_of(config: Mapping[str, Any]) -> str:
    """The scheme of the model as a whole."""
    alibi = config.get("alibi") or (config.get("attn_config") or {}).get("alibi")
    if alibi or BY_NAME.get(config.get("model_type", "")) == "ALiBi":
        return "ALiBi"
    if config.get("relative_attention_num_buckets"):
        return "T5 buckets"
    if any(config.get(key) is not None for key in ROTATION):
        return "RoPE"
    return BY_NAME.get(config.get("model_type", ""), "unknown")


def kinds_of(config: Mapping[str, Any], n_layers: int, window: int | None) -> list[str]:
    """The kind of each layer."""
    sliding, full = "sliding_attention", "full_attention"
    every = first(config, "sliding_window_pattern", "_sliding_window_pattern")
    if config.get("layer_types"):
        return list(config["layer_types"])
    if not window:
        return [full] * n_layers
    if isinstance(every, int):  # every so many layers, one sees everything
        return [full if (number + 1) % every == 0 else sliding for number in range(n_layers)]
    whole = config.get("max_window_layers", 0) if "use_sliding_window" in config else 0
    return [full if number < whole else sliding for number in range(n_layers)]  # the first ones see everything


def rotated_layers(config: Mapping[str, Any], n_layers: int, kinds: Sequence[str]) -> list[bool]:
    """True for each layer that rotates."""
    if config.get("no_rope_layers"):  # in spite of its name, 1 means with RoPE
        return [bool(flag) for flag in config["no_rope_layers"]]
    if every := config.get("no_rope_layer_interval"):
        return [(number + 1) % every != 0 for number in range(n_layers)]
    if config.get("model_type") == "cohere2":  # its full layers have no positions
        return [kind == "sliding_attention" for kind in kinds]
    return [True] * n_layers


def rope_of(config: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The rotation's numbers of one kind of layer under the new names, from old and new keys."""
    new = config.get("rope_parameters") or {}
    new = new.get(kind, new)
    old = {name: value for name, value in (config.get("rope_scaling") or {}).items() if name != "type"}
    if "rope_type" not in old and config.get("rope_scaling"):
        old["rope_type"] = config["rope_scaling"].get("type", "default")
    if kind == "sliding_attention" and config.get("rope_local_base_freq"):  # Gemma 3 before rope_parameters
        return {"rope_theta": config["rope_local_base_freq"]}
    base = {"rope_theta": first(config, "rope_theta", "rotary_emb_base")}
    share = {"partial_rotary_factor": first(config, "partial_rotary_factor", "rotary_pct")}
    return {name: value for name, value in {**base, **share, **old, **new}.items() if value is not None}


def speeds_of(config: Mapping[str, Any], kind: str, notes: list[str]) -> NDArray | None:
    """The speeds of the pairs of one kind of layer; what a reader should know of their source is added to the notes."""
    rope, d = rope_of(config, kind), head_width(config)
    base, rule = rope.get("rope_theta"), rope.get("rope_type", "default")
    if base is None:
        notes.append("The file gives no base. 10,000 is what programs then take, which need not be this model's.")
        base = DEFAULT_BASE
    old = config.get("rope_theta")
    if config.get("rope_parameters") and old not in (None, base):
        notes.append(f"The file gives two bases: rope_theta {old:,.0f}, and {base:,.0f} in rope_parameters.")
    if d is None:
        notes.append("The file does not give the width of a head, so the speeds are unknown.")
        return None
    turning = config.get("rotary_dim") or int(d * rope.get("partial_rotary_factor", 1))
    theta = frequencies(turning, base)
    s = rope.get("factor", 1.0)
    length = first(rope, "original_max_position_embeddings") or config.get("max_position_embeddings") or 1
    if rule in ("default", "dynamic"):  # dynamic: unchanged up to the length
        return theta
    if rule == "linear":
        return rules.interpolated(theta, s)
    if rule == "llama3":
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        return rules.llama3(theta, s, length, low=low, high=high)
    if rule == "yarn":
        ramp = {"fast": rope.get("beta_fast") or 32.0, "slow": rope.get("beta_slow") or 1.0}
        return rules.yarn(turning, s, length, base=base, truncate=rope.get("truncate", True), **ramp)
    if rule in ("longrope", "su"):
        return rules.by_factors(theta, rope["short_factor"])
    if rule == "proportional":  # the speeds of the whole head, of which the first ones are used
        theta = frequencies(d, base)
        return np.where(np.arange(len(theta)) < turning // 2, theta, 0.0) / s
    notes.append(f"The rule {rule!r} is not known here, so the speeds are not compared.")
    return None


def head_width(config: Mapping[str, Any]) -> int | None:
    """The channels of a head, or of its rotated part where the file has a key for that."""
    if width := first(config, "qk_rope_head_dim", "head_dim"):
        return width
    d_model = first(config, "hidden_size", "n_embd", "d_model")
    heads = first(config, "num_attention_heads", "n_head", "num_heads", "n_heads")
    return d_model // heads if d_model and heads else None


def described(config: Mapping[str, Any], scheme: str, layers: Sequence[Layer]) -> list[str]:
    """Sentences on the scheme, the rotation of each kind of layer, windows, and layers without positions."""
    words = [f"The file says: {scheme}." if scheme != "unknown" else "The file names no scheme."]
    for kind in dict.fromkeys(layer.kind for layer in layers if layer.scheme == "RoPE"):
        rope, d = rope_of(config, kind), head_width(config)
        turning = config.get("rotary_dim") or (d and int(d * rope.get("partial_rotary_factor", 1)))
        rule, base = rope.get("rope_type", "default"), rope.get("rope_theta")
        numbers = [f"base {base:,.0f}" if base else "base not given", f"{turning} of {d} channels of a head rotate"]
        if turning != d:
            whole = "of the whole head" if rule == "proportional" else "of the rotated part"
            numbers.append(f"with the speeds {whole}")
        if rule != "default":
            more = [f"{name} {value}" for name, value in rope.items() if name in ("factor", *LENGTHS)]
            numbers.append(f"scaling rule {' '.join([rule, *more])}")
        words.append(f"RoPE in {kind.replace('_', ' ')}: {', '.join(numbers)}.")
    if scheme == "ALiBi" and any(config.get(key) for key in ROTATION):
        words.append("It has keys of RoPE beside ALiBi, which are not used.")
    for what, name in (("window", "a window"), ("chunk", "chunks")):
        for size in sorted({getattr(layer, what) for layer in layers} - {None}):
            words.append(f"{len(at(layers, what, size))} of {len(layers)} layers have {name} of {size:,} tokens.")
    if off := at(layers, "scheme", "none"):
        words.append(f"Layers without positions: {', '.join(map(str, off))}.")
    return words


def at(layers: Sequence[Layer], what: str, value: Any) -> list[int]:
    return [number for number, layer in enumerate(layers) if getattr(layer, what) == value]


def unsaid(scheme: str, layers: Sequence[Layer]) -> str:
    """What no key tells, and only the program knows."""
    missing = ["how padding is numbered"]
    if scheme == "RoPE":
        missing.insert(0, "which channels form a pair")
    if scheme == "ALiBi":
        missing.insert(0, "the rule of the slopes")
    if any(layer.window for layer in layers):
        missing.append("whether a window counts the query itself")
    return f"The file does not say {', '.join(missing)}, or whether there are learned sinks."
