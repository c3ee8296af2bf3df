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

NAMES = {  # what files call it; the first name that a file has counts
    "layers": ("num_decoder_layers", "num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "heads": ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    "d_model": ("hidden_size", "n_embd", "d_model"),
    "d_head": ("qk_rope_head_dim", "head_dim"),  # of the rotated part, where a file has a key for that
    "length": ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"),
    "base": ("rope_theta", "rotary_emb_base"),
    "share": ("partial_rotary_factor", "rotary_pct"),
    "one of so many sees all": ("sliding_window_pattern", "_sliding_window_pattern"),
}
FAMILIES = {"bloom": "ALiBi", "mpt": "ALiBi", "gpt2": "table", "opt": "table", "llama": "RoPE", "gptj": "RoPE"}
ROTATION = ("rope_parameters", "rope_theta", "rope_scaling", "rotary_emb_base", "rotary_dim", "rotary_pct")
RULE = ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor")
DEFAULT_BASE = 10000.0  # what many programs take if the file gives none
EXAONE = ("exaone4", "exaone_moe")
SLIDING, FULL = "sliding_attention", "full_attention"


@dataclass(frozen=True)
class Layer:
    """One layer: its scheme, and what a query sees."""

    scheme: str  # RoPE, ALiBi, T5 buckets, table, none, unknown
    kind: str = FULL
    speeds: NDArray | None = None  # of RoPE, radians per position; None if the rule is unknown
    base: float | None = None  # of RoPE, as the file gives it
    window: int | None = None  # keys that a query sees, itself among them
    chunk: int | None = None  # tokens of a chunk, in which a query sees the keys before it


@dataclass(frozen=True)
class Said:
    """What a file says: its layers, sentences for a reader, the length, and the number of heads."""

    layers: Sequence[Layer]
    words: Sequence[str]
    length: int | None = None
    n_heads: int | None = None

    @property
    def scheme(self) -> str:
        """The scheme of the layers that have one."""
        if not self.layers:
            return "unknown"
        return next((layer.scheme for layer in self.layers if layer.scheme != "none"), "none")

    @property
    def windows(self) -> list[int]:
        """The sizes of windows and chunks."""
        return [size for layer in self.layers for size in (layer.window, layer.chunk) if size]


NO_FILE = Said([], ["There is no file, so nothing is compared with one."])


def read(config: Mapping[str, Any]) -> Said:
    """The keys of a config.json about positions. Of a model with a picture part, its `text_config` is read.

    Raises ValueError for what is not a config with a number of layers.
    """
    config = config.get("text_config") or config
    if not isinstance(first(config, "layers"), int):
        raise ValueError(f"config={dict(config)}: expected the keys of a config.json, such as num_hidden_layers")
    scheme, kinds = scheme_of(config), kinds_of(config)
    on = [scheme == "RoPE" and on for on in rotated_layers(config, kinds)]
    rotations = {kind: rotation(config, kind) for kind, rotates in zip(kinds, on) if rotates}
    layers = []
    for kind, rotates in zip(kinds, on):
        own = "none" if scheme == "RoPE" and not rotates else scheme
        speeds, base, *_ = rotations[kind] if rotates else (None, None)
        window = config.get("sliding_window") if kind == SLIDING else None
        chunk = config.get("attention_chunk_size") if kind == "chunked_attention" else None
        layers.append(Layer(own, kind, speeds, base, window, chunk))
    words = ["The file names no scheme." if scheme == "unknown" else f"The file says: {scheme}."]
    words += [sentence for *_, sentence, _ in rotations.values()]
    if scheme == "ALiBi" and any(config.get(key) for key in ROTATION):
        words.append("It has keys of RoPE beside ALiBi, which are not used.")
    notes = [note for *_, notes in rotations.values() for note in notes]
    words += [*of_layers(layers), *dict.fromkeys(notes), unsaid(scheme, layers)]
    return Said(layers, words, first(config, "length"), first(config, "heads"))


def first(config: Mapping[str, Any], what: str) -> Any:
    """What the file gives under any of its names."""
    return next((config[name] for name in NAMES[what] if config.get(name) is not None), None)


def scheme_of(config: Mapping[str, Any]) -> str:
    """The scheme of the model as a whole."""
    of_family = FAMILIES.get(config.get("model_type", ""), "unknown")
    if of_family == "ALiBi" or config.get("alibi") or (config.get("attn_config") or {}).get("alibi"):
        return "ALiBi"
    if config.get("relative_attention_num_buckets"):
        return "T5 buckets"
    return "RoPE" if any(config.get(key) is not None for key in ROTATION) else of_family


def kinds_of(config: Mapping[str, Any]) -> list[str]:
    """The kind of each layer."""
    n_layers, every = first(config, "layers"), first(config, "one of so many sees all")
    if config.get("layer_types"):
        return list(config["layer_types"])
    if not config.get("sliding_window") or config.get("use_sliding_window") is False:
        return [FULL] * n_layers
    if isinstance(every, int):
        return [SLIDING if (number + 1) % every else FULL for number in range(n_layers)]
    whole = config.get("max_window_layers", 0) if "use_sliding_window" in config else 0
    return [FULL if number < whole else SLIDING for number in range(n_layers)]  # the first ones see everything


def rotated_layers(config: Mapping[str, Any], kinds: Sequence[str]) -> list[bool]:
    """True for each layer that rotates, if the scheme is RoPE."""
    if config.get("no_rope_layers"):  # in spite of its name, 1 means with RoPE
        return [bool(flag) for flag in config["no_rope_layers"]]
    if every := config.get("no_rope_layer_interval"):
        return [(number + 1) % every != 0 for number in range(len(kinds))]
    if config.get("model_type") == "cohere2" or (config.get("model_type") in EXAONE and config.get("sliding_window")):
        return [kind == SLIDING for kind in kinds]  # their full layers have no positions
    return [True] * len(kinds)


def rotation(config: Mapping[str, Any], kind: str) -> tuple[NDArray | None, float, str, Sequence[str]]:
    """One kind of layer that rotates: its speeds if they are known, base, a sentence, and notes on their source."""
    keys = keys_of_rotation(config, kind)
    base, rule = keys.get("rope_theta"), keys.get("rope_type") or keys.get("type") or "default"
    d_model, heads, d = (first(config, what) for what in ("d_model", "heads", "d_head"))
    d = d or (d_model // heads if d_model and heads else None)
    share = 1 if config.get("qk_rope_head_dim") else keys.get("partial_rotary_factor", 1)  # d is what rotates
    turning = config.get("rotary_dim") or (d and int(d * share))
    parts = [f"base {base:,.0f}" if base else "base not given", f"{turning} of {d} channels of a head rotate"]
    if turning != d:
        parts.append(f"with the speeds of the {'whole head' if rule == 'proportional' else 'rotated part'}")
    if rule != "default":
        shown = [f"{name} {value}" for name, value in keys.items() if name in RULE]
        parts.append(f"scaling rule {' '.join([rule, *shown])}")
    notes: list[str] = []
    other = config.get("rope_theta")
    if not base:
        notes.append("The file gives no base. Many programs then take 10,000, which need not be this model's.")
        base = DEFAULT_BASE
    if config.get("rope_parameters") and other not in (None, base):
        notes.append(f"The file gives two bases: rope_theta {other:,.0f}, and {base:,.0f} in rope_parameters.")
    length = keys.get("original_max_position_embeddings") or config.get("max_position_embeddings") or 1
    two_rules = "compress" in (config.get("rope_parameters") or {})  # DeepSeek-V4
    speeds = speeds_of(rule, keys, base, length, d, turning) if d and turning and not two_rules else None
    if two_rules:
        notes.append("The file has one rule for compressed layers and one for the others; they are not compared.")
    elif not d:
        notes.append("The file does not give the width of a head, so the speeds are unknown.")
    elif speeds is None:
        notes.append(f"The rule {rule!r} is not known here, so the speeds are not compared.")
    return speeds, base, f"RoPE in {kind.replace('_', ' ')}: {', '.join(parts)}.", notes


def keys_of_rotation(config: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The numbers of one kind of layer under the names of today, from old and new keys."""
    if kind == SLIDING and config.get("rope_local_base_freq"):  # Gemma 3 before rope_parameters
        return {"rope_theta": config["rope_local_base_freq"]}
    old, new = config.get("rope_scaling") or {}, config.get("rope_parameters") or {}
    oldest = {"rope_theta": first(config, "base"), "partial_rotary_factor": first(config, "share")}
    return {name: value for name, value in (oldest | old | new.get(kind, new)).items() if value is not None}


def speeds_of(rule: str, keys: Mapping[str, Any], base: float, length: float, d: int, turning: int) -> NDArray | None:
    """The speeds of the pairs under a scaling rule; None if the rule is not known."""
    theta, s = frequencies(turning, base), keys.get("factor", 1.0)
    match rule:
        case "default" | "dynamic":  # dynamic: unchanged up to the length
            return theta
        case "linear":
            return rules.interpolated(theta, s)
        case "llama3":
            return rules.llama3(theta, s, length, low=keys["low_freq_factor"], high=keys["high_freq_factor"])
        case "yarn":
            ramp = {"fast": keys.get("beta_fast", 32.0), "slow": keys.get("beta_slow", 1.0)}
            return rules.yarn(turning, s, length, base=base, truncate=keys.get("truncate", True), **ramp)
        case "longrope" | "su":
            return rules.by_factors(theta, keys["short_factor"])
        case "proportional":  # the speeds of the whole head, of which the first ones are used
            theta = frequencies(d, base)
            return np.where(np.arange(len(theta)) < turning // 2, theta, 0.0) / s
    return None


def of_layers(layers: Sequence[Layer]) -> list[str]:
    """Sentences on windows, chunks, and layers without positions."""
    words = []
    for what, name in (("window", "a window"), ("chunk", "chunks")):
        sizes = [getattr(layer, what) for layer in layers]
        for size in sorted({*sizes} - {None}):
            words.append(f"{sizes.count(size)} of {len(layers)} layers have {name} of {size:,} tokens.")
    if off := [str(number) for number, layer in enumerate(layers) if layer.scheme == "none"]:
        words.append(f"Layers without positions: {', '.join(off)}.")
    return words


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
