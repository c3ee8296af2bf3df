"""Claims about time and memory."""

import numpy as np

from course_lib.ledger.claim import claim
from course_lib.reference.alibi import alibi_bias
from course_lib.reference.bias import decay_bias
from course_lib.reference.t5 import t5_bias
from course_lib.reference.window import offsets_2d, window_index


@claim(
    "A relative bias costs less than 5 % of the time of attention.",
    chapter="09",
    stated="unsourced",
    verdict=lambda fact: "unsourced" if fact["factor"] > 2 else "true" if max(fact["reported"]) < 5 else "false",
    otherwise={"reported": [1.8, 2.1, 3.4], "factor": 1.9},
    because="Reported are {fact[reported][0]} %, {fact[reported][1]} % for Shaw's vectors and {fact[reported][2]} % "
    "for a T5 bias in a language model: a factor of {fact[factor]:.0f} between them. The cost depends on code, size "
    "and machine, and no one number can be right. Chapter nine measures it on yours.",
    source="a table that circulates, 0.22 ms of 12.3 ms, without machine or code; Shaw et al. 2018, section 3.3: 7 % "
    "fewer steps a second; Press et al. 2022, section 2.2: 14,400 words a second against 28,500",
)
def less_than_five_percent():
    table, shaw, alibi = 0.22 / 12.3, 0.07 / (1 - 0.07), 28_500 / 14_400 - 1
    reported = [round(100 * more_time, 1) for more_time in (table, shaw, alibi)]
    return {"reported": reported, "factor": round(max(reported) / min(reported), 1)}


@claim(
    "Torch's flash attention takes any bias matrix.",
    chapter="09",
    stated="false",
    verdict=lambda fact: "true" if fact["flash"] > 0 else "false",
    otherwise={"flash": 1, "memory-efficient": 1},
    because="Of the two fast kernels behind scaled_dot_product_attention the flash one has {fact[flash]} arguments "
    "for a bias, the memory-efficient one {fact[memory-efficient]}. A bias that is given as a mask is not refused, "
    "it is computed elsewhere.",
    source="run: the schemas of the two kernels as torch declares them",
)
def flash_takes_any_bias():
    import torch

    kernels = {
        "flash": torch.ops.aten._scaled_dot_product_flash_attention.default,
        "memory-efficient": torch.ops.aten._scaled_dot_product_efficient_attention.default,
    }
    names = {kernel: [a.name for a in op._schema.arguments] for kernel, op in kernels.items()}
    return {kernel: sum("bias" in name for name in found) for kernel, found in names.items()}


@claim(
    "The skew brings the memory of relative vectors down from n²d to nd.",
    chapter="04",
    stated="half true",
    verdict=lambda fact: (
        "true" if fact["products"] <= fact["table"] else "half true" if fact["products"] < fact["gathered"] else "false"
    ),
    otherwise={"gathered": 8192.0, "table": 4.0, "products": 3.0},
    because="What held {fact[gathered]:,.0f} MiB, a vector for every pair, becomes a table of {fact[table]:,.0f} "
    "MiB. But its products with the queries still fill n × n numbers a head, {fact[products]:,.0f} MiB. That is far "
    "less than before, and it still grows with n².",
    source="run: 2,048 words, eight heads of 64, four bytes a number; Huang et al. 2019, section 3.4",
)
def skew_memory():
    n, heads, d = 2048, 8, 64
    sizes = {"gathered": heads * n * n * d, "table": heads * n * d, "products": heads * n * n}
    return {name: size * 4 / 2**20 for name, size in sizes.items()}


@claim(
    "A decoder with a cache needs one new row of the bias for each new word, not the matrix again.",
    chapter="09",
    stated="true",
    verdict=lambda fact: "true" if fact["equal rows"] == fact["rows"] else "false",
    otherwise={"rows": 120, "equal rows": 0},
    because="Of {fact[rows]} rows, made one word at a time, {fact[equal rows]} equal the rows of the whole matrix: "
    "for a log decay, ALiBi and T5. The new row must know how many words came before; without that it is the row of "
    "the first word.",
    source="run: forty words, three biases",
)
def one_new_row():
    n, table = 40, np.random.default_rng(0).normal(size=(32, 1))
    makers = [
        lambda n_q, past: decay_bias(n_q, past=past)[None],
        lambda n_q, past: alibi_bias(n_q, n_heads=1, past=past),
        lambda n_q, past: t5_bias(n_q, table=table, bidirectional=False, past=past),
    ]
    equal = []
    for bias in makers:
        whole = bias(n, 0)[0]
        equal += [np.allclose(bias(1, i)[0, 0], whole[i, : i + 1]) for i in range(n)]
    return {"rows": len(equal), "equal rows": sum(equal)}


@claim(
    "A Swin window of 7 × 7 patches needs 169 numbers a head.",
    chapter="08",
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
