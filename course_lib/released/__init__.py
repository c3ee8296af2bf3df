"""A released language model in the layers of this course: SmolLM2-135M-Instruct, read from a 4-bit GGUF file.

`load()` gives a `Released`, and `excerpt(name)` a text to read with it.
"""

from .files import model_file
from .loading import load
from .model import Released
from .texts import excerpt

__all__ = ["Released", "excerpt", "load", "model_file"]
