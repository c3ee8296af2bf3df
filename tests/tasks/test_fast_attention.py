"""What the tasks of fast attention rest on: what the fused kernel takes."""


import warnings

import pytest

from course_tasks import tasks_of

CH09 = tasks_of("fast_attention")


def test_what_the_fused_kernel_takes_is_what_the_answer_says():
    torch = pytest.importorskip("torch")
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def is_fused(mask):
        q = torch.zeros(2, 3, 8, 8)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)
            except RuntimeError:
                return False
        return True

    said = CH09["sdpa_traps"].expected()
    assert is_fused(torch.zeros(2, 3, 8, 8)) and is_fused(torch.zeros(8, 8))
    assert is_fused(torch.zeros(2, 3, 8, 8, requires_grad=True)) == said["a mask that learns is fused"]
    assert is_fused(torch.zeros(3, 8, 8)) == said["a fixed mask of three axes is fused"]
