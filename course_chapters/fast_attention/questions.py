"""Questions about fused kernels and decoding."""

from course_chapters.form import claim, judged, question
from course_lib.reference.grid import offsets


@claim(
    "On a GPU, torch's flash attention takes any bias matrix.",
    "Of torch's fast kernels for a GPU the flash one has {flash} arguments for a bias, the memory-efficient one "
    "{efficient}, that of cuDNN {cudnn}. The flash one for a CPU has {flash_for_cpu}. A bias given as a mask is not "
    "refused: another kernel computes it. (Of the separate packages, flash-attn 2 takes ALiBi's slopes, but no matrix, "
    "and flash-attn 4 takes a function of score and indices.)",
    "run: the schemas of the kernels as torch declares them; flash_attn_func of flash-attn 2 and 4",
)
def flash_takes_any_bias():
    import torch

    kernels = {
        "flash": torch.ops.aten._scaled_dot_product_flash_attention,
        "efficient": torch.ops.aten._scaled_dot_product_efficient_attention,
        "cudnn": torch.ops.aten._scaled_dot_product_cudnn_attention,
        "flash_for_cpu": torch.ops.aten._scaled_dot_product_flash_attention_for_cpu,
    }
    names = {kernel: {a.name for a in op.default._schema.arguments} for kernel, op in kernels.items()}
    found = {kernel: len(arguments & {"attn_bias", "attn_mask"}) for kernel, arguments in names.items()}
    return judged(found["flash"] > 0), found


@claim(
    "No fused kernel of torch can train a bias: its backward pass returns gradients of q, k and v alone.",
    "The flash kernels return {flash} gradients on a GPU and {flash_for_cpu} on a CPU, and that of cuDNN returns "
    "{cudnn}. But the memory-efficient kernel returns {efficient}, and the last is that of the bias. On a CPU the "
    "sentence is true, and torch falls back to the formula. On a GPU such a bias can be trained, with a gradient of n "
    "× n numbers.",
    "run: what the backward passes return, as torch declares them",
)
def kernels_train_no_bias():
    import torch

    kernels = {
        "flash": torch.ops.aten._scaled_dot_product_flash_attention_backward,
        "efficient": torch.ops.aten._scaled_dot_product_efficient_attention_backward,
        "cudnn": torch.ops.aten._scaled_dot_product_cudnn_attention_backward,
        "flash_for_cpu": torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward,
    }
    found = {kernel: len(op.default._schema.returns) for kernel, op in kernels.items()}
    return judged(*(gradients == 3 for gradients in found.values())), found


@question(
    "A decoder with a KV cache has read 100 tokens and reads one more. How many scores are new in each head?",
    {
        "10,201": "That fills the whole grid again. Old queries have had their answers.",
        "1": "One query is new. It looks at every key.",
        "101": "Yes: one row, offsets {first} to {last}. A bias for it is the end of one long row.",
        "201": "The whole 101 × 101 grid has so many offsets. One query meets 101 of them.",
    },
)
def new_row():
    row = offsets(1, 101, past=100)
    return row.size, dict(first=row.min(), last=row.max())


@question(
    "A new decoder. Its kernel takes no bias, position may have no parameters, and a phrase must score the same "
    "wherever it is. Which scheme?",
    {
        "A log decay": "No parameters, but it adds to the scores, and this kernel has no place for that.",
        "Sinusoidal positions": "They leave the kernel alone. But move the phrase, and its scores change.",
        "T5 buckets": "A table is learned, and its numbers are added to the scores.",
        "RoPE": "Yes: it rotates queries and keys before the kernel sees them, and only offsets come out.",
    },
)
def no_bias_kernel():
    from course_lib.schemes import NOTHING, SCHEMES

    schemes = {"A log decay": "log decay", "Sinusoidal": "sinusoidal", "T5 buckets": "T5 buckets", "RoPE": "RoPE"}
    found = {option: SCHEMES[scheme] for option, scheme in schemes.items()}
    fits = [x for x, s in found.items() if s.parameters == NOTHING and "bias" not in s.enters and s.relative]
    return fits[0] if len(fits) == 1 else fits
