"""On one thread small matrices are quicker, and the numbers are the same on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """torch computes with one thread inside, and afterwards with as many as before. Also a decorator: @one_thread()."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
