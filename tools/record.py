"""python tools/record.py TOPIC: what a lesson and its tasks ask the released model, for machines without its file.

Runs the lesson and its solutions with the model, and writes course_lib/released/recorded/TOPIC.npz. Every answer is as
the recording will give it, so an assert that passes here passes there.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"

from course_lib import released  # noqa: E402
from course_lib.released.recorded import FOLDER, Recorded  # noqa: E402


def main(topic: str) -> None:
    recorded = Recorded(model=released.load())
    released.load = lambda *args, **kwargs: recorded
    from tools.build import chapter_notebooks  # now, because tasks that import `load` must get this one

    (source,) = (ROOT / "source").glob(f"??_{topic}.py")
    for path, built in chapter_notebooks(source).items():
        if path.parent.name != "exercises":
            scope = {"__name__": "__main__"}
            for cell in built.nb.cells:
                if cell.cell_type == "code":
                    exec(compile(cell.source, path.name, "exec"), scope)
    FOLDER.mkdir(exist_ok=True)
    recorded.save(FOLDER / f"{topic}.npz")
    print(f"{len(recorded.calls)} calls, {(FOLDER / f'{topic}.npz').stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
