"""The table of a published T5, read from a folder and over HTTP, and what is said when there is none."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch

from course_lib.nn.pretrained import t5_table

WANTED = "{}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


def file_of(tensors, dtype="F32"):
    """A safetensors file with these tensors, written by hand."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().view(torch.uint8).numpy().tobytes()
        spot = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": spot}
        body += raw
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def folder(path, content):
    """The folder, with these bytes where a checkpoint belongs."""
    (path / "model.safetensors").write_bytes(content)
    return path


def test_both_tables_of_a_published_model(tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.T5Config(vocab_size=20, d_model=8, d_kv=4, num_heads=3, d_ff=8, num_layers=2)
    model = transformers.T5Model(config)
    model.save_pretrained(tmp_path)
    for stack in ("encoder", "decoder"):
        first = getattr(model, stack).block[0].layer[0].SelfAttention
        table = t5_table(tmp_path, stack)
        assert table.shape == (32, 3)
        assert torch.equal(table, first.relative_attention_bias.weight)


@pytest.mark.parametrize(("dtype", "name"), [(torch.float32, "F32"), (torch.float16, "F16"), (torch.bfloat16, "BF16")])
def test_every_precision_comes_as_float32(tmp_path, dtype, name):
    table = torch.arange(8.0).reshape(4, 2).to(dtype)
    content = file_of({"shared.weight": table + 1, WANTED.format("decoder"): table}, name)
    found = t5_table(folder(tmp_path, content), "decoder")
    assert found.dtype == torch.float32 and torch.equal(found, table.float())


@pytest.fixture
def server():
    """A hub with one model; `whole` makes it ignore ranges. Yields its address, the switch and the ranges asked for."""
    content = file_of(
        {"shared.weight": torch.zeros(50_000), WANTED.format("encoder"): torch.arange(64.0).reshape(32, 2)}
    )
    asked, switch = [], {"whole": False}

    class Hub(BaseHTTPRequestHandler):
        def answer(self, status, name, value, body=b""):
            self.send_response(status)
            self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            if self.path.startswith("/moved/"):  # as a hub sends one on to where files lie
                return self.answer(302, "Location", self.path.replace("/moved/", "/somebody/"))
            if self.path != "/somebody/t5/resolve/main/model.safetensors":
                return self.send_error(404)
            first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
            asked.append((first, last))
            part = content if switch["whole"] else content[first : last + 1]
            return self.answer(200 if switch["whole"] else 206, "Content-Length", str(len(part)), part)

        def log_message(self, *_):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}", switch, asked
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize("name", ["somebody/t5", "moved/t5"])
def test_over_http_only_the_table_travels(server, name):
    """From a server that may send one on to another place."""
    address, _, asked = server
    assert torch.equal(t5_table(name, hub=address), torch.arange(64.0).reshape(32, 2))
    assert sum(last + 1 - first for first, last in asked) < 1000


def test_a_server_without_the_table_is_an_os_error(server):
    """It sends whole files only, does not know the name, or is not there."""
    address, switch, _ = server
    with pytest.raises(OSError, match="404"):
        t5_table("somebody/else", hub=address)
    with pytest.raises(OSError):
        t5_table("somebody/t5", hub="http://127.0.0.1:9", timeout=2)
    switch["whole"] = True
    with pytest.raises(OSError, match="sends whole files only"):
        t5_table("somebody/t5", hub=address)


def test_what_holds_no_table_is_refused_with_words(tmp_path):
    whole = file_of({WANTED.format("encoder"): torch.zeros(32, 2)})
    with pytest.raises(ValueError, match=r"holds no model\.safetensors"):
        t5_table(tmp_path)
    with pytest.raises(ValueError, match=r"no tensor decoder\.block\.0"):
        t5_table(folder(tmp_path, whole), "decoder")
    with pytest.raises(ValueError, match="stored as I64"):
        t5_table(folder(tmp_path, file_of({WANTED.format("encoder"): torch.zeros(32, 2, dtype=torch.long)}, "I64")))
    no_json, no_table = (20).to_bytes(8, "little") + b"{ no json in here   ", (2).to_bytes(8, "little") + b"[]"
    for broken in (b"", b"12345678 not a header", no_json, no_table, whole[:-1]):
        with pytest.raises(ValueError, match=r"safetensors|ends too early"):
            t5_table(folder(tmp_path, broken))
    with pytest.raises(ValueError, match="stack='both'"):
        t5_table("somebody/t5", "both")
    with pytest.raises(ValueError, match="name_or_path='no folder'"):
        t5_table("no folder")
