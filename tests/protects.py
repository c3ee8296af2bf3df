"""Which files each group of slow tests protects: while none of them changes, what the group has shown stays true.

A test names its group with @pytest.mark.slow("GROUP"). The patterns are those of Path.glob, from the root of the
course. Left out are the other schemes that a module only imports: if they cannot be imported, quick tests fail too.
"""

from course_lib.contents import TOPICS

EVERY = [  # packages and settings
    *("pyproject.toml", "constraints.txt", "requirements.txt", "tests/requirements.txt"),
    *(f"tests/{name}.py" for name in ("__init__", "conftest", "protects", "unchanged")),
]
ATTENTION = [  # the layer of course_lib.nn and its paths, without the schemes
    "course_lib/__init__.py",
    *(f"course_lib/nn/{name}.py" for name in ("__init__", "attention", "backends", "cache", "fast", "grid", "layer")),
    *(f"course_lib/nn/{name}.py" for name in ("position", "strided_view", "terms", "threads")),
    *(f"course_lib/reference/{name}.py" for name in ("__init__", "absolute", "attention", "grid")),
]
SCHEMES = {  # the files in course_lib/nn and course_lib/reference that make up a scheme, by the first of them
    "alibi": ["alibi", "bias"],
    "axial_rope": ["axial_rope", "absolute", "rope"],
    "bias": ["bias"],
    "fire": ["fire"],
    "fox": ["fox"],
    "music_transformer": ["music_transformer", "absolute"],
    "position": ["rope", "absolute", "sink", "sliding_window"],  # some of those that can be combined
    "query_scale": ["query_scale"],
    "rope": ["rope", "absolute"],
    "shaw": ["shaw"],
    "sink": ["sink"],
    "sliding_window": ["sliding_window"],
    "t5": ["t5"],
    "transformer_xl": ["transformer_xl", "absolute"],
}
STUDY = [*EVERY, *ATTENTION, "course_lib/study/*.py", "course_lib/study/committed/*.jsonl", "tests/study/__init__.py"]
PROCESSES = [f"tests/study/{name}.py" for name in ("common", "forked", "test_kill", "test_processes")]
WORKBENCH = ["course_lib/workbench/*.py", "course_lib/checking/*.py", "course_lib/reference/oracle.py"]
DEFINITIONS = [f"tests/schemes/{name}.py" for name in ("__init__", "definitions")]
TRIED = [f"tests/workbench/{name}.py" for name in ("__init__", "common")]
BACKENDS = [*EVERY, *ATTENTION, *WORKBENCH, *DEFINITIONS, "tests/schemes/test_backends.py"]
BACKENDS += [*TRIED, "tests/workbench/test_against_definition.py"]
BROWSER = [*EVERY, "tests/browser/__init__.py", "course.py", "docs/site/*", "docs/site/templates/*"]
BROWSER += [f"tests/browser/{name}.py" for name in ("conftest", "fonts", "judged", "pages", "site")]
BROWSER += [f"tests/browser/{name}.py" for name in ("test_built", "test_site_pages")]


def scheme(name):
    return [f"course_lib/{house}/{file}.py" for file in SCHEMES[name] for house in ("nn", "reference")]


PROTECTS = {
    # A study that is killed, interrupted or loses a process keeps every finished run, and the same command resumes it.
    "study.kill": [*STUDY, *scheme("rope"), *PROCESSES],
    # Under torchrun, on one machine and on two, each process does its share and each file gets all runs.
    "study.torchrun": [*STUDY, *scheme("rope"), *PROCESSES, "tests/study/dying.py"],
    # Trained again, the scheme does what its lesson says of it and what the committed results hold.
    "study.alibi": [*STUDY, *scheme("alibi"), "tests/study/test_orderings.py"],
    "study.bias": [*STUDY, *scheme("bias"), *WORKBENCH, *TRIED, "tests/workbench/test_training.py"],
    "study.rope": [*STUDY, *scheme("rope"), "tests/study/test_orderings.py"],
    "study.t5": [*STUDY, *scheme("t5"), "tests/study/test_orderings.py"],
    "study.transformer_xl": [*STUDY, *scheme("transformer_xl"), "tests/study/test_orderings.py"],
    # FlexAttention equals the eager path and the definition, also for schemes that every run leaves out.
    "backends.alibi": [*BACKENDS, *scheme("alibi")],
    "backends.axial_rope": [*BACKENDS, *scheme("axial_rope")],
    "backends.bias": [*BACKENDS, *scheme("bias")],
    "backends.fire": [*BACKENDS, *scheme("fire")],
    "backends.fox": [*BACKENDS, *scheme("fox")],
    "backends.music_transformer": [*BACKENDS, *scheme("music_transformer")],
    "backends.position": [*BACKENDS, *scheme("position")],
    "backends.query_scale": [*BACKENDS, *scheme("query_scale")],
    "backends.rope": [*BACKENDS, *scheme("rope"), "course_lib/reference/speeds.py"],
    "backends.shaw": [*BACKENDS, *scheme("shaw")],
    "backends.sink": [*BACKENDS, *scheme("sink")],
    "backends.sliding_window": [*BACKENDS, *scheme("sliding_window")],
    "backends.t5": [*BACKENDS, *scheme("t5")],
    # Compiled by a C++ compiler, it gives the same numbers.
    "backends.compiled": [*EVERY, *ATTENTION, *DEFINITIONS, "tests/schemes/test_backends.py"],
    # Each live picture follows mouse and keyboard, shows the numbers of the reference, and fits the page in both fonts.
    "browser.pictures": [
        *EVERY, *(f"course_lib/**/*.{kind}" for kind in ("py", "js", "css", "jsonl")), "course_tasks/**/*.py",
        "course.py", "notebooks/*.ipynb", "tests/browser/*.py", "tests/figures/*.py",
        "source/pictures.py", "tools/browser.py", "tools/pictures.py", "tools/slides.py",
    ],
    # In JupyterLab and on the site the built notebooks of a chapter fit the page, and everyone can use them.
    **{f"browser.{topic}": [*BROWSER, f"*/??_{topic}.ipynb"] for topic in TOPICS},
    # The site has every page, each link leads somewhere, and readers can search, choose a theme, and download.
    "site": [
        *BROWSER, "*/??_*.ipynb", "README.md", "docs/*", "course_lib/contents.py", "tests/browser/test_site.py",
    ],
    # On a real hub three learners sign in, answer, and are updated; what they saved is collected and gets its marks.
    "hub": [
        *EVERY, "course.py", ".gitignore", "docs/hub/*", "docs/renamed.json", "tools/*.py", "tools/judge/*.py",
        "course_lib/checking/*.py", "course_tasks/*.py", "course_tasks/alibi/*.py", "course_tasks/bias_by_hand/*.py",
        "*/??_alibi.ipynb", "*/??_bias_by_hand.ipynb", "notebooks/??_start_here.ipynb", "tests/browser/__init__.py",
        *(f"tests/browser/{name}.py" for name in ("conftest", "fonts", "hub", "pages", "site", "test_hub")),
    ],
    # Every cell of a chapter that trains or measures for long gives its committed output again. Not a test: check.py.
    **{
        f"notebooks.{topic}": [
            *EVERY, *(f"course_lib/**/*.{kind}" for kind in ("py", "js", "css", "jsonl")), "course_tasks/*.py",
            *(f"course_tasks/{folder}/**/*.py" for folder in ("claims", "comparison", "guide", "quiz", topic)),
            f"*/??_{topic}.ipynb", "tests/nbval_sanitize.cfg",
        ]
        for topic in ("fast_attention", "longer_than_training", "stretching_rope", "windows_and_sinks", "which_one")
    },
    # Hand-ins run in processes that may do little, and get what they are worth, whatever they try.
    "recheck": [
        *EVERY, "tools/recheck.py", "tools/judge/*.py", "course_tasks/*.py", "course_lib/checking/*.py",
        "course_tasks/bias_by_hand/*.py", "*/??_bias_by_hand.ipynb",
        "tests/tools/__init__.py", "tests/tools/test_recheck.py", "tests/tools/test_recheck_hostile.py",
    ],
    # A check says the same to a function or a class that lives in the process of a hand-in.
    "judge": [
        *EVERY, "tools/judge/*.py", "course_tasks/**/*.py", "course_lib/checking/*.py", "course_lib/nn/*.py",
        "course_lib/reference/*.py", "course_lib/workbench/*.py", "tests/tasks/__init__.py",
        "tests/tasks/transcript.py", "tests/tools/__init__.py", "tests/tools/test_judge_elsewhere.py",
    ],
    # The check of the whole class puts its report into the error.
    "capstone": [
        *EVERY, "course_lib/*.py", "course_lib/nn/*.py", "course_lib/reference/*.py", "course_lib/study/*.py",
        "course_lib/workbench/*.py", "course_tasks/*.py", "course_lib/checking/*.py",
        "course_tasks/which_one/**/*.py", "tools/build.py", "tests/tasks/__init__.py",
        "tests/tasks/mutants.py", "tests/tasks/test_capstone.py",
    ],
    # The fast path needs memory that grows with the length, not with its square.
    "memory": [
        *EVERY, *ATTENTION, *scheme("shaw"), *scheme("t5"), "tests/bench/*.py", "tests/schemes/__init__.py",
        "tests/schemes/definitions.py", "tests/schemes/test_fast.py",
    ],
    # In fresh kernels on a busy machine, an answer may import torch and the like inside its function.
    "imports": [
        *EVERY, "course_lib/__init__.py", "course_tasks/*.py", "course_lib/checking/*.py",
        *(f"course_tasks/{topic}/*.py" for topic in ("absolute_positions", "bias_by_hand", "fast_attention")),
        *(f"tests/checking/{name}.py" for name in ("__init__", "common", "test_imports_inside")),
    ],
    # With the packages that Colab has, the first cell installs the library alone, and two lessons run.
    "colab": [
        *EVERY, *ATTENTION, *scheme("bias"), "course_lib/*.py", "course_lib/display/*", "course_lib/figures/*",
        "course_lib/*/absolute.py", "course_lib/reference/t5.py", "course_tasks/*.py", "course_lib/checking/*.py",
        "course_tasks/bias_by_hand/*.py", "notebooks/??_start_here.ipynb", "notebooks/??_bias_by_hand.ipynb",
        "tools/setup_cell.py", "tools/publish.py", "tests/shared.py", "tests/colab/*", "tests/colab/fake/**/*.py",
    ],
    # One command makes a release: the address is where it belongs, the outputs stay, the tag is in the repository.
    "publish": [
        *EVERY, "tools/*.py", "docs/renamed.json", "docs/site/make.py", "docs/site/pages.py", "course_lib/__init__.py",
        "course_lib/contents.py", "course_tasks/*.py", "course_tasks/**/*.py", "source/*", "*/??_*.ipynb",
        "tests/imports.py", "tests/tools/__init__.py", "tests/tools/test_publish.py",
    ],
    # On a bare machine course.py makes .venv, goes on after an interruption, and puts right what is broken.
    "set-up": [
        *EVERY, "course.py", "tests/shared.py", "tests/tools/__init__.py", "tests/tools/test_course_command.py",
    ],
}  # fmt: skip
