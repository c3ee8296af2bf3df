"""Six situations: what remains? · 8 minutes · ★★ · first

A measurement on small models rules nothing out, nor does what a single head cannot do, because a model has several
heads and layers. The way a scheme is made can rule it out, and so can what you have. In each situation at most one of
the four candidates is left, perhaps with a caveat. If none is, write `"no scheme"`. (The candidate `none` is something
else, a model without positions.) Find a reason against each of the others before you settle on a name.

- `memory`: a text read in segments, each numbered from 0, with the segment before as a memory; position may have no
  parameters.
  `sinusoidal`, `Shaw`, `Transformer-XL`, `log decay`
- `encoder`: a text read both ways, without a causal mask, and longer than in training.
  `none`, `learned`, `Shaw`, `Music Transformer`
- `image`: an image in windows; the only available kernel takes no bias.
  `learned`, `Shaw`, `ALiBi`, `Swin`
- `three back`: a decoder must find the token exactly three back, in texts longer than in training; position may
  have no parameters.
  `learned`, `Music Transformer`, `T5 buckets`, `ALiBi`
- `Llama`: the published weights of Llama 3, on texts longer than it was trained on.
  `Transformer-XL`, `T5 buckets`, `ALiBi`, `RoPE`
- `T5`: the published weights of T5; the only available kernel takes no bias.
  `learned`, `T5 buckets`, `ALiBi`, `RoPE`
"""

from course_chapters.measured import COPY, right

LEARNS = "position may have no parameters here, and it learns numbers."
ADDS = "this kernel takes no bias, and it adds to the scores."
OTHERS = "these weights were trained with another scheme."
ENDS = "no text has trained what it would use past the training length."
SITUATIONS = {  # name: what rules each candidate out; nothing does of the one that is left
    "memory": {
        "sinusoidal": "each segment counts from 0, so token t of every segment looks alike.",
        "Shaw": LEARNS,
        "Transformer-XL": LEARNS,
        "log decay": "",
    },
    "encoder": {
        "none": "without a mask it is blind to order: permute the words, and the outputs are permuted alike.",
        "learned": ENDS,
        "Shaw": "",
        "Music Transformer": ENDS,
    },
    "image": {
        "learned": "",
        "Shaw": ADDS,
        "ALiBi": "it counts the distance along the list of patches, where the patch below is far.",
        "Swin": ADDS,
    },
    "three back": {"learned": LEARNS, "Music Transformer": LEARNS, "T5 buckets": LEARNS, "ALiBi": ""},
    "Llama": {"Transformer-XL": OTHERS, "T5 buckets": OTHERS, "ALiBi": OTHERS, "RoPE": ""},
    "T5": {"learned": OTHERS, "T5 buckets": ADDS, "ALiBi": OTHERS, "RoPE": OTHERS},
}
NOTHING = "no scheme"
ANSWER = {
    name: next((scheme for scheme, out in candidates.items() if not out), NOTHING)
    for name, candidates in SITUATIONS.items()
}


def words_of(name):
    return *SITUATIONS[name], NOTHING


def message(name, scheme):
    """What rules a candidate out; or, for the answer that there is none, what does not."""
    if scheme == NOTHING:
        added = " What is added to the input is no bias." * (ADDS in SITUATIONS[name].values())
        return f"{name}: one is left. A scheme is not ruled out because others are better, or must learn less.{added}"
    return f"{name}: `{scheme}` is ruled out, because {SITUATIONS[name][scheme]}"


WRONG = {
    name: {scheme: message(name, scheme) for scheme in words_of(name) if scheme != ANSWER[name]} for name in SITUATIONS
}
HINTS = [
    "Ask in this order: are the weights given? Does the scheme run in the given kernel? Does it have what is "
    "forbidden? Only then ask whether it can do what is needed.",
    "A bias is added to the scores. Which candidates add one, and which leave attention as it is?",
    "Given weights leave one candidate at most. If the kernel rules that one out, you need another kernel.",
]
ON_PASS = (
    "What is left may have a caveat. `Shaw` gives all far keys one vector, and more and more keys share it. In an "
    "image, Swin's table does better than `learned` vectors (Liu et al. 2021, table 4), where the kernel takes it. "
    "`ALiBi` favours the nearest key, so content must make up for it: at 1,024 tokens, small models got "
    f"{right('alibi', COPY)[-1]:.0%} of the copies right. And past its training, `RoPE` needs a rule for its speeds, "
    "which Llama 3.1 has in its file."
)
