"""Windows, sinks and layers without positions

There are five: a ring by hand, three bugs of a kind that was reported in well-known libraries, and a test of use.
"""

from course_kit.checking.pages import page

ring_by_hand = page(__name__, "ring_by_hand")
seen_keys = page(__name__, "seen_keys")
ring_step = page(__name__, "ring_step")
sink_output = page(__name__, "sink_output")
use_of_far_keys = page(__name__, "use_of_far_keys")

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_chapters.windows_and_sinks import tasks as task"""
