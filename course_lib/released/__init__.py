"""A released language model in the layers of this course: SmolLM2-135M-Instruct, read from a 4-bit GGUF file.

`load()` gives a `Released`; `texts` has excerpts to read with it.
"""

from .files import SHA256, model_file
from .model import Released, load

__all__ = ["SHA256", "Released", "load", "model_file"]
