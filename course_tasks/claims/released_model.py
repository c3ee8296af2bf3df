"""Claims about a released model and its file."""

import struct

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
    "A test with any model of grouped keys finds a conversion that splits the rows of $W_k$ into n_heads // n_kv_heads "
    "heads.",
    stated="false",
    verdict=lambda fact: "true" if fact["found"] == fact["models"] else "false",
    otherwise={"models": 4, "found": 4},
    because="Of {fact[models]} models only {fact[found]} show it. In the others, the model of this lesson among them, the "
    "quotient happens to be the number of heads of keys.",
    source="computed for Llama-2-70B, TinyLlama, Mistral-7B and SmolLM2-135M; ggml-org/llama.cpp, pull request 3364",
)
def any_grouped_model_shows_it():
    heads = [(64, 8), (32, 4), (32, 8), (9, 3)]
    return {"models": len(heads), "found": sum(n // kv != kv for n, kv in heads)}
