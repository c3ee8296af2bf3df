"""Which runs of the study count: the guide, the comparison, the claims, the quiz and the tasks read them from here.

Imports no torch, which most tasks do without.
"""

STEPS = 2_000
STUDY = f"long-{STEPS}"  # the file in course_lib/study/committed
COMPARED = (  # all of these have runs in each task of TASKS, and `course_lib.study.compared` lists the same
    *("none", "learned", "sinusoidal", "log-0.3", "log-1", "t5-256", "t5-64", "shaw-32"),
    *("transformer-xl", "alibi", "rope"),
)
TASKS = ("characters", "copy-back", "flip-flop")  # text, copying, and remembering a bit
