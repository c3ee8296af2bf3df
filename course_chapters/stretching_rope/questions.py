"""Questions about repairs of RoPE for longer texts, by arithmetic and by the runs of the course's study."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_chapters.measured import REPAIRS, repaired, rise
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import by_parts, dynamic_ntk, turns, yarn


@claim(
    "YaRN's code computes the equations of its paper.",
    "Both mix the old speed and the divided one. In the equations the share is a straight line over the turns of a "
    "pair, in the code over its number. For Llama 2, stretched sixteen times, a pair turns up to {llama:.2f} times as "
    "fast by the code as by the equations; in our study, eight times, up to {ours:.2f} times.",
    "run: both for 128 channels at 4,096 tokens (Llama 2) and 16 at 128; Peng et al. 2023, section 3.2; "
    "jquesnelle/yarn, issue 60",
)
def yarn_code_is_paper():
    def times(d, s, length):
        return (yarn(d, s, length) / by_parts(frequencies(d), s, length)).max()

    ours, llama = times(16, 8, 128), times(128, 16, 4096)
    return judged(llama < 1.001), dict(ours=ours, llama=llama)


@claim(
    "A larger base lets RoPE read longer texts.",
    "Not by itself. Trained with a base fifty times as large, our models' loss in text rose by {large:.2f} nats up to "
    "eight times the training length, with the usual base by {usual:.2f}. But put in afterwards and trained on with "
    "long texts, it helps: {put_in:.2f} at the longest, against {control:.2f} after the same steps without it.",
    f"{REPAIRS}; 60 further steps at 1,024; Xiong et al. 2023 report it for long texts in training",
)
def larger_base_reads_longer():
    large, usual = rise("rope-base-500000"), rise("rope")
    put_in, control = (repaired(r, further=60, at=1024)[-1] for r in ("base 500,000", "as trained"))
    holds = large <= 0.25, put_in < control - 0.25
    return judged(*holds), dict(large=large, usual=usual, put_in=put_in, control=control)


@question(
    "A head of 16 channels rotates with base 10,000 and was trained on 1,024 tokens. How many of its eight pairs meet "
    "no new angle in longer texts?",
    {
        "None: every later position is new": "The position is new. But a pair that has made a whole turn points where "
        "it has pointed before.",
        "3": "That many made less than a whole turn. These are the pairs that do meet new angles.",
        "5": "Yes: the fifth pair still makes {made[4]:.1f} turns in 1,024 tokens, and the sixth only {made[5]:.1f}.",
        "8: angles repeat": "An angle repeats after a whole turn, and the slowest pairs never got that far.",
    },
)
def closed_pairs():
    made = turns(frequencies(16), 1024)
    return np.sum(made >= 1), dict(made=made)


@question(
    "A decoder writes past its training length, with speeds that fall with every token (dynamic NTK). "
    "Its cache holds each key as it was rotated on arrival. Which scores of the newest query are wrong?",
    {
        "None: a key stays at its position": "Its position stays, but its speeds do not: dynamic NTK lowers them with "
        "every token.",
        "Those with earlier keys, position 0 aside": "Yes: they were rotated at the speeds of a shorter text, so the "
        "cache must keep them unrotated. At position 0 all angles are 0.",
        "Only that with its own key": "Query and key of the newest token are rotated at the same speeds, so this "
        "score is right.",
    },
)
def cached_angles():
    keys, query = np.random.default_rng(0).normal(size=(201, 16))[:-1], np.ones((1, 16))

    def speeds(n):
        return dynamic_ntk(frequencies(16), n, 128)

    cached = np.concatenate([rotate(keys[p : p + 1], past=p, speeds=speeds(p + 1)) for p in range(200)])
    newest = rotate(query, past=199, speeds=speeds(200))[0]
    first, *earlier, own = ~np.isclose(cached @ newest, rotate(keys, speeds=speeds(200)) @ newest)
    return "Those with earlier keys" if all(earlier) and not first and not own else "Only that" if own else "None"
