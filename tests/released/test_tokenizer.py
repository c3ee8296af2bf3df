"""The tokenizer splits as the pattern that llama.cpp has for this model."""

import pytest
import torch

from course_lib.released.gguf import read
from course_lib.released.texts import TABLE, excerpt
from course_lib.released.tokenizer import tokenizer

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
STRINGS = [
    "x²",
    "½",
    "١٢",
    "12345",
    " 7 and  42",
    "Zoë's café, don't!",
    "naïve 日本語 text",
    "a\n\n  b\t",
    "3.14e-10 <>",
]


@pytest.fixture(scope="module")
def metadata(file):
    return read(file)[0]


def pieces(text):
    """First each \\p{N} alone, then the pattern of GPT-2 in what lies between (llama.cpp, pre-tokenizer smollm)."""
    regex = pytest.importorskip("regex")
    parts = [part for part in regex.split(r"(\p{N})", text) if part]
    return [piece for part in parts for piece in regex.findall(GPT2, part)]


def test_a_text_is_split_as_by_the_pattern_of_llama_cpp(metadata):
    made = tokenizer(metadata)
    for text in [*STRINGS, *(excerpt(name)[:600] for name in TABLE)]:
        places = [place for _, place in made.pre_tokenizer.pre_tokenize_str(text)]
        assert [text[begin:end] for begin, end in places] == pieces(text)
        assert made.decode(made.encode(text).ids) == text


def test_control_tokens_are_one_token_each(metadata):
    made, names = tokenizer(metadata), metadata["tokenizer.ggml.tokens"]
    control = [name for name, kind in zip(names, metadata["tokenizer.ggml.token_type"]) if kind == 3]
    assert len(control) == 17 and [made.encode(name).ids for name in control] == [[n] for n in range(17)]
    assert made.encode("<|im_start|>user\nHi<|im_end|>").tokens == ["<|im_start|>", "user", "Ċ", "Hi", "<|im_end|>"]


def test_tokens_as_strings(model):
    assert model.tokens("In 1865: café<|im_end|>") == ["In", " ", "1", "8", "6", "5", ":", " café", "<|im_end|>"]
    assert model.encode("a b").dtype == torch.int64 and model.tokens(model.encode("a b")) == ["a", " b"]
