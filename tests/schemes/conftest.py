"""Every test of a `device` runs on a CPU, and on a GPU where there is one."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(params=["cpu", *["cuda"] * torch.cuda.is_available()])
def device(request):
    return request.param
