"""Claims about fused kernels."""

from course_tasks.claims.claim import claim


@claim(
    "On a GPU, torch's flash attention takes any bias matrix.",
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
    "No fused kernel of torch can train a bias: its backward pass returns gradients of q, k and v alone.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 3 else "half true" if min(fact.values()) == 3 else "false",
    otherwise={"flash": 3, "memory-efficient": 3, "cuDNN": 3, "flash on a CPU": 3},
    because="The flash kernels return {fact[flash]} gradients on a GPU and {fact[flash on a CPU]} on a CPU, and that of "
    "cuDNN returns {fact[cuDNN]}. But the memory-efficient kernel returns {fact[memory-efficient]}, and the last is that "
    "of the bias. On a CPU the sentence is true, and torch falls back to the formula. On a GPU such a bias can be trained, "
    "with a gradient of n × n numbers.",
    source="run: what the backward passes return, as torch declares them",
)
def kernels_train_no_bias():
    import torch

    kernels = {
        "flash": torch.ops.aten._scaled_dot_product_flash_attention_backward,
        "memory-efficient": torch.ops.aten._scaled_dot_product_efficient_attention_backward,
        "cuDNN": torch.ops.aten._scaled_dot_product_cudnn_attention_backward,
        "flash on a CPU": torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward,
    }
    return {kernel: len(op.default._schema.returns) for kernel, op in kernels.items()}
