"""Files of a few bytes, block by block; and the real file, bit by bit equal to the package gguf."""

import struct

import numpy as np
import pytest

from course_lib.released.gguf import Q4_1, q4_1, read


def string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def written(path, tensors, facts, n_facts):
    """A GGUF file of tensors (name, shape as torch writes it, type, bytes), each at a multiple of 32."""
    head, data = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), n_facts) + facts, b""
    for name, shape, kind, content in tensors:
        data += bytes(-len(data) % 32)
        head += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, len(data))
        data += content
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


def test_one_block_of_q4_1_by_hand():
    """20 bytes: step 0.5, smallest number −2, then two numbers in each byte."""
    block = np.frombuffer(struct.pack("<ee", 0.5, -2.0) + bytes([0x10, 0xF2, *[0] * 14]), Q4_1)
    expected = [-2.0] * 32
    expected[1], expected[16], expected[17] = 0.5 * 2 - 2, 0.5 * 1 - 2, 0.5 * 15 - 2
    assert q4_1(block).tolist() == [expected]


def test_a_small_file(tmp_path):
    facts = string("general.architecture") + struct.pack("<I", 8) + string("llama")
    facts += string("numbers") + struct.pack("<IIQ3i", 9, 5, 3, 1, -2, 3)
    facts += string("names") + struct.pack("<IIQ", 9, 8, 2) + string("a") + string("ü")
    facts += string("eps") + struct.pack("<If", 6, 0.5) + string("yes") + struct.pack("<I?", 7, True)
    one, two = np.arange(6, dtype="<f4").reshape(2, 3), np.random.default_rng(0).bytes(20 * 4)
    path = written(tmp_path / "m", [("one", (2, 3), 0, one.tobytes()), ("two", (2, 64), 3, two)], facts, 5)
    metadata, tensors = read(path)
    expected = {"general.architecture": "llama", "numbers": [1, -2, 3], "names": ["a", "ü"], "eps": 0.5, "yes": True}
    assert metadata == expected and [*tensors] == ["one", "two"]
    assert np.array_equal(tensors["one"], one)
    assert np.array_equal(tensors["two"], q4_1(np.frombuffer(two, Q4_1)).reshape(2, 64))


@pytest.mark.slow
def test_the_real_file_equals_the_package_gguf(file):
    gguf = pytest.importorskip("gguf")
    metadata, tensors = read(file)
    reader = gguf.GGUFReader(file)
    assert {*metadata} == {name for name in reader.fields if not name.startswith("GGUF.")}
    assert [*tensors] == [tensor.name for tensor in reader.tensors]
    for name in ("llama.rope.freq_base", "tokenizer.ggml.merges", "tokenizer.ggml.token_type", "general.license"):
        assert metadata[name] == reader.fields[name].contents()
    for tensor in reader.tensors:
        theirs, ours = gguf.dequantize(tensor.data, tensor.tensor_type), tensors[tensor.name]
        assert ours.shape == theirs.shape and np.array_equal(ours.view("u4"), theirs.view("u4")), tensor.name
