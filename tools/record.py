"""python -m tools.record TOPIC: what a lesson and its tasks ask the released model, for machines without its file.

Runs the lesson and its solutions with the model, and writes course_lib/released/recorded/TOPIC.xz. Every answer is as
the recording will give it, so an assert that passes here passes there.
"""

import io
import lzma
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from IPython.core.interactiveshell import InteractiveShell
from torch import Tensor

from course_kit.contents import TOPICS
from course_lib import released
from course_lib.released.recorded import FOLDER, Recorded, unpacked

os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"
LARGE = 4096  # a tensor with more numbers than this is kept in half precision


class Recorder(Recorded):
    """A recording that asks the model what it does not know, and keeps the answer."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @contextmanager
    def changed(self, **changes: Any) -> Iterator[None]:
        with self.model.changed(**changes), super().changed(**changes):
            yield

    def unknown(self, name: str, arguments: dict[str, Any], words: str, numbers: list[float]) -> Any:
        answer = packed(getattr(self.model, name)(**arguments))
        self.answers.setdefault(words, []).append((numbers, answer))
        return unpacked(answer)

    def save(self, file: Path) -> None:
        """The same answers give the same bytes."""
        content = io.BytesIO()
        torch.save(self.answers, content)
        file.write_bytes(lzma.compress(content.getvalue()))


def packed(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return tuple(map(packed, answer))
    if not isinstance(answer, Tensor):
        return answer
    large = answer.is_floating_point() and answer.numel() > LARGE
    return answer.half() if large else answer.clone()  # a view would bring all that it is a view of


def main(topic: str) -> None:
    recorder = Recorder(released.load())
    vars(released)["load"] = lambda *args, **kwargs: recorder
    from tools.build import chapter_notebooks  # now, because tasks that import `load` must get this one

    for path, nb in chapter_notebooks(TOPICS[topic]).items():
        if path.parent.name != "exercises":
            shell = InteractiveShell()  # as in a notebook: the tracer and torch look for the code of a cell
            for cell in nb.cells:
                if cell.cell_type == "code":
                    shell.run_cell(cell.source, silent=True).raise_error()
    FOLDER.mkdir(exist_ok=True)
    recorder.save(FOLDER / f"{topic}.xz")
    calls = sum(map(len, recorder.answers.values()))
    print(f"{calls} calls, {(FOLDER / f'{topic}.xz').stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
