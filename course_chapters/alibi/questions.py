"""Questions about ALiBi."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_chapters.measured import SOURCE, right, settings
from course_lib.reference.alibi import alibi_bias
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_lib.reference.shaw import clip_index
from course_lib.reference.t5 import bucket


@claim(
    "ALiBi cannot copy from a fixed distance, because none of its biases is highest there.",
    "In every head the bias is highest at the token itself, but a score also contains the product of query and key. "
    "Our small models learned to name the token three places back: after {steps[0]} steps {share[0]:.0%} of their "
    "answers were right, after {steps[1]:,} steps {share[1]:.0%}, where guessing gives {chance:.0%}. A study that "
    "stops after {steps[0]} steps might come to the wrong conclusion.",
    SOURCE,
)
def alibi_copies():
    presets, chance = ("quick", "long"), 1 / 16
    share = [right("alibi", "copy-back", preset)[0] for preset in presets]
    steps = [settings(preset)["steps"] for preset in presets]
    return judged(share[-1] < 2 * chance), dict(share=share, steps=steps, chance=chance)


@question(
    "An encoder, read both ways. Which of these cannot make a head prefer the word before to the word after?",
    {
        "T5 buckets": "The two neighbours have buckets {buckets[0]} and {buckets[1]}, each with its number.",
        "ALiBi in the form −m |i − j|": "Yes. In a decoder the mask makes up for it. Here nothing does.",
        "RoPE": "A head can turn its keys a little against its queries, so that one side scores higher.",
        "Shaw's key vectors": "Offsets −1 and +1 have a vector each.",
    },
)
def word_before():
    neighbours = np.array([-1, 1])
    before_and_after = {
        "T5 buckets": bucket(neighbours),
        "ALiBi": alibi_bias(3, n_heads=1)[0, 1, [0, 2]],
        "RoPE": scores(rotate(np.ones((3, 4))), rotate(np.tile([1.0, 1.0, 0.5, 1.0], (3, 1))))[1, [0, 2]],
        "Shaw": clip_index(neighbours, 2),
    }
    (blind,) = (scheme for scheme, (before, after) in before_and_after.items() if np.isclose(before, after))
    return blind, dict(buckets=before_and_after["T5 buckets"])
