"""The table of a published T5, read over HTTP, and what is said when there is none."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch

from course_lib.nn.pretrained import t5_table

transformers = pytest.importorskip("transformers")
SMALL = {"vocab_size": 20, "d_model": 8, "d_kv": 4, "num_heads": 3, "d_ff": 8, "num_layers": 2}


@pytest.fixture
def hub(tmp_path):
    """A hub with a T5 and a T5 in half precision. Yields its address, the models and the ranges asked for."""
    models = {"t5": transformers.T5Model(transformers.T5Config(**SMALL))}
    models["half"] = transformers.T5Model(transformers.T5Config(**SMALL)).half()
    for name, model in models.items():
        model.save_pretrained(tmp_path / name)
    asked = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            owner, name, *path = self.path.strip("/").split("/")
            if name not in models or path != ["resolve", "main", "model.safetensors"]:
                return self.send_error(404)
            content = (tmp_path / name / "model.safetensors").read_bytes()
            first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
            asked.append((first, last))
            part = content if owner == "whole" else content[first : last + 1]
            self.send_response(200 if owner == "whole" else 206)
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def log_message(self, *_):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}", models, asked
    made.shutdown()
    made.server_close()


def test_only_the_header_and_the_table_travel(hub):
    address, models, asked = hub
    first = models["t5"].encoder.block[0].layer[0].SelfAttention
    assert torch.equal(t5_table("somebody/t5", hub=address), first.relative_attention_bias.weight)
    assert [last + 1 - first for first, last in asked][::2] == [8, 32 * 3 * 4]


def test_what_cannot_be_read_is_an_os_error_and_what_holds_no_table_a_value_error(hub):
    address, *_ = hub
    with pytest.raises(OSError, match="404"):
        t5_table("somebody/else", hub=address)
    with pytest.raises(OSError):
        t5_table("somebody/t5", hub="http://127.0.0.1:9", timeout=2)
    with pytest.raises(OSError, match="sends whole files only"):
        t5_table("whole/t5", hub=address)
    with pytest.raises(ValueError, match=r"somebody/half: expected the tensor encoder\.block\.0.* in float32"):
        t5_table("somebody/half", hub=address)
