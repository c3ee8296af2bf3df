"""Claims about a released model and its file."""

import struct

import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import softmax
from course_lib.reference.rope import rotate
from course_tasks.claims.claim import claim


@claim(
    "A file of four-bit weights needs four bits for a weight.",
    stated="false",
    verdict=lambda fact: "true" if fact["bits"] == 4 else "false",
    otherwise={"bits": 4, "bytes": 16, "weights": 32},
    because="A block holds {fact[weights]} weights in {fact[bytes]} bytes, because it also has a step and a smallest number, "
    "both in half precision. That is {fact[bits]} bits for a weight.",
    source="run: the layout of a block, ggml-common.h in ggml-org/ggml",
)
def four_bits():
    size, weights = struct.calcsize("<2e16B"), 32
    return {"bits": size * 8 / weights, "bytes": size, "weights": weights}


@claim(
    "A program that takes n_heads // n_kv_heads for the number of key heads fails with every model of grouped keys.",
    stated="false",
    verdict=lambda fact: "true" if fact["found"] == fact["models"] else "false",
    otherwise={"models": 4, "found": 4},
    because="Of {fact[models]} models only {fact[found]} show the mistake. In the others, the model of this lesson among them, the "
    "quotient happens to be the number of key heads.",
    source="computed for Llama-2-70B, TinyLlama, Mistral-7B and SmolLM2-135M; ggml-org/llama.cpp, pull request 3364",
)
def any_grouped_model_shows_it():
    heads = [(64, 8), (32, 4), (32, 8), (9, 3)]
    return {"models": len(heads), "found": sum(n // kv != kv for n, kv in heads)}


@claim(
    "The pair of channels with the largest norm decides where a head looks.",
    stated="false",
    verdict=lambda fact: (
        "true" if fact["largest pair stopped"] < fact["fastest pair stopped"] < fact["weight on the token before"] else "false"
    ),
    otherwise={
        "share of the norm": 0.7,
        "weight on the token before": 0.98,
        "largest pair stopped": 0.05,
        "fastest pair stopped": 0.97,
    },
    because="This head gives {fact[weight on the token before]:.0%} of its weight to the token before. A slow pair has "
    "{fact[share of the norm]:.0%} of its norm, but adds nearly the same to every score. Without its rotation the weight "
    "is {fact[largest pair stopped]:.0%}, and without that of the fastest pair {fact[fastest pair stopped]:.0%}.",
    source="run: a head made by hand, with the speeds of the model in this lesson; the lesson finds such a head in it",
)
def largest_norm_decides():
    trained = frequencies(64, 100_000)
    arrows = np.ones((1, 64))
    arrows[0, [0, 32]], arrows[0, [25, 57]] = 6, 12  # both channels of pairs 0 and 25
    key = rotate(arrows, past=1, speeds=trained)[0]  # points as the query of the next token does
    norms = arrows[0, :32] ** 2

    def weight(stopped):
        speeds = np.where(np.isin(np.arange(32), stopped), 0, trained)
        score = [rotate(arrows, past=distance, speeds=speeds)[0] @ key / 8 for distance in range(128)]
        return round(float(softmax(np.array(score))[1]), 4)

    return {
        "share of the norm": round(float(norms[25] / norms.sum()), 4),
        "weight on the token before": weight([]),
        "largest pair stopped": weight([25]),
        "fastest pair stopped": weight([0]),
    }


@claim(
    "A head whose queries are rotated by one position more looks one token later.",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["by content"] == fact["by offset"] == 1 else "half true" if 1 in fact.values() else "false"
    ),
    otherwise={"by offset": 1, "by content": 1},
    because="A head that looks at an offset moves by {fact[by offset]}. A head that finds its key by pairs that hardly turn "
    "moves by {fact[by content]}.",
    source="run: two heads made by hand, with the speeds of the model in this lesson",
)
def turned_queries():
    trained = frequencies(64, 100_000)

    def looks_at(channels, special, more):
        query, keys = np.zeros((1, 64)), np.zeros((41, 64))
        query[0, channels] = 4
        keys[:, channels] = rotate(query, past=1, speeds=trained)[0, channels]  # tuned to the token before
        keys[special] *= 2  # by its content, this key fits better
        turned = rotate(query, past=40 + more, speeds=trained)[0]
        return int(np.argmax(rotate(keys, speeds=trained) @ turned))

    heads = {"by offset": (slice(0, 64), []), "by content": ([31, 63], [7])}
    return {name: looks_at(*head, more=1) - looks_at(*head, more=0) for name, head in heads.items()}
