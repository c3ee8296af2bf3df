"""What the prediction of fast attention rests on: the fused kernel is there, and takes some masks."""

from importlib import import_module

import torch

fused = import_module("course_tasks.fast_attention.3_sdpa_traps").fused


def test_the_fused_kernel_takes_a_fixed_mask_of_two_or_four_axes():
    assert fused(torch.zeros(8, 8)) and fused(torch.zeros(1, 3, 8, 8))
