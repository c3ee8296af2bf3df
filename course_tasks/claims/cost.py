"""Claims about time and memory."""

import numpy as np

from course_lib.contents import TOPICS
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import t5_bias
from course_lib.reference.window import offsets_2d, window_index
from course_tasks.claims.claim import claim


@claim(
    "A relative bias makes training less than 5 % slower.",
    chapter="fast_attention",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) < 5 else "half true" if min(fact.values()) < 5 else "false",
    otherwise={"ALiBi": 1.0, "Shaw's vectors": 2.1, "T5's bias": 3.4, "T5's bias, other code": 3.1},
    because="The papers time whole models in training, in percent more: ALiBi at most {fact[ALiBi]}, added to a mask "
    "that is added anyway, Shaw's vectors {fact[Shaw's vectors]}, T5's bias {fact[T5's bias]} in one code and "
    "{fact[T5's bias, other code]} in another. As a share of attention alone, the same extra time is more. It depends on the "
    f"scheme and on its code; the chapter “{TOPICS['fast_attention'].title}” times attention on your machine.",
    quoted=True,
    source="Press et al. 2022, figure 2: within 1 %, and appendix table 1, 512 tokens: 14,400 words a second against "
    "28,500; its footnote 8, from Narang et al. 2021: 8.7 %; Shaw et al. 2018, section 3.3: 7 % fewer steps a second",
)
def less_than_five_percent():
    alibi, shaw, t5 = 0.01, 0.07 / (1 - 0.07), 28_500 / 14_400 - 1
    other = {"T5's bias, other code": 0.087}
    more_time = {"ALiBi": alibi, "Shaw's vectors": shaw, "T5's bias": t5, **other}
    return {scheme: round(100 * more, 1) for scheme, more in more_time.items()}


@claim(
    "On a GPU, torch's flash attention takes any bias matrix.",
    chapter="fast_attention",
    stated="false",
    verdict=lambda fact: "true" if fact["flash"] > 0 else "false",
    otherwise={"flash": 1, "memory-efficient": 1, "cuDNN": 1, "flash on a CPU": 1},
    because="Of torch's fast kernels for a GPU the flash one has {fact[flash]} arguments for a bias, the "
    "memory-efficient one {fact[memory-efficient]}, that of cuDNN {fact[cuDNN]}. The flash one for a CPU has "
    "{fact[flash on a CPU]}. A bias given as a mask is not refused: another kernel computes it. (The separate package "
    "flash-attn takes ALiBi's slopes, but no matrix.)",
    source="run: the schemas of the kernels as torch declares them; flash_attn_func of the package flash-attn",
)
def flash_takes_any_bias():
    import torch

    kernels = {
        "flash": torch.ops.aten._scaled_dot_product_flash_attention.default,
        "memory-efficient": torch.ops.aten._scaled_dot_product_efficient_attention.default,
        "cuDNN": torch.ops.aten._scaled_dot_product_cudnn_attention.default,
        "flash on a CPU": torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,
    }
    names = {kernel: {a.name for a in op._schema.arguments} for kernel, op in kernels.items()}
    return {kernel: len(found & {"attn_bias", "attn_mask"}) for kernel, found in names.items()}


@claim(
    "The skew brings the memory of relative vectors down from n²d to nd.",
    chapter="diagonals",
    stated="true",
    verdict=lambda fact: "true" if fact["gathered"] == fact["words"] * fact["table"] else "false",
    otherwise={"words": 256, "gathered": 16_384, "table": 16_384, "products": 256},
    because="A vector for every pair of {fact[words]} words takes {fact[gathered]:,} KiB a head, the table that the "
    "skew works with {fact[table]} KiB: n times less. The sentence is about the vectors: the products with the queries "
    "are still n × n numbers, {fact[products]} KiB.",
    source="run: one head of 64, four bytes a number; Huang et al. 2019, section 3.4",
)
def skew_memory():
    n, d = 256, 64
    q, table = np.ones((2, n, d), np.float32)  # a row of the table for each offset from −255 to 0
    gathered = table[np.minimum(offsets(n), 0) + n - 1]
    sizes = {"gathered": gathered, "table": table, "products": q @ table.T}
    return {"words": n, **{name: x.nbytes // 1024 for name, x in sizes.items()}}


@claim(
    "Offsets never change, so a learned bias can be computed once and cached.",
    chapter="t5_buckets",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"in use": 0.0, "after a step of training": 0.0},
    because="In use a cached bias differs from a new one by {fact[in use]}. After one step of training it is wrong by up "
    "to {fact[after a step of training]}, because the table has moved. What never changes is the bucket of each offset: "
    "cache that one.",
    source="run: T5's bias for forty words; a step of 0.01 against the gradient of a random loss",
)
def a_cached_bias():
    rng = np.random.default_rng(0)
    table, gradient = rng.normal(size=(2, 32, 1))
    cached = t5_bias(40, table=table)
    tables = {"in use": table, "after a step of training": table - 0.01 * gradient}
    wrong = {name: abs(t5_bias(40, table=now) - cached).max() for name, now in tables.items()}
    return {name: round(float(x), 4) for name, x in wrong.items()}


@claim(
    "Transformer-XL's relative positions add only O(d) parameters to a layer.",
    chapter="transformer_xl",
    stated="false",
    verdict=lambda fact: "true" if fact["times"] < 3 else "false",
    otherwise={"channels": [256, 512], "numbers": [512, 1_024], "times": 2.0},
    because="With {fact[channels][0]} channels a layer learns {fact[numbers][0]:,} numbers for position, with "
    "{fact[channels][1]} it learns {fact[numbers][1]:,}: twice the channels, {fact[times]} times the numbers. The "
    "vectors u and v are O(d), but the map of the distances has d × d numbers.",
    source="run: the parameters of the course's module counted; Dai et al. 2019, section 3.3",
)
def xl_adds_few_numbers():
    from course_lib.nn.transformer_xl import TransformerXL

    channels = [256, 512]
    numbers = [sum(p.numel() for p in TransformerXL(d, 8).parameters()) for d in channels]
    return {"channels": channels, "numbers": numbers, "times": round(numbers[1] / numbers[0], 2)}


@claim(
    "A Swin window of 7 × 7 patches needs 169 numbers a head.",
    chapter="two_dimensions",
    stated="true",
    verdict=lambda fact: "true" if fact["numbers"] == 169 else "false",
    otherwise={"pairs": 2401, "numbers": 2401, "each way": 49},
    because="The {fact[pairs]:,} pairs of patches have {fact[numbers]} different offsets in two dimensions: "
    "{fact[each way]} up and down times {fact[each way]} left and right.",
    source="run: the index of a window counted; Liu et al. 2021, section 3.2",
)
def swin_numbers():
    index, rows = window_index(7), offsets_2d(7)[..., 0]
    numbers, each_way = np.unique(index).size, np.unique(rows).size
    return {"pairs": index.size, "numbers": numbers, "each way": each_way}
