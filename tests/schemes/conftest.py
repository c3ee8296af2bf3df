"""One thread: two of them wait for each other on a busy machine."""

import torch

torch.set_num_threads(1)
