"""Questions about windows and attention sinks."""

import numpy as np

from course_chapters.form import claim, judged, question
from course_chapters.measured import REPAIRS, repaired
from course_chapters.shared import bfloat16
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate
from course_lib.reference.sink import sink_positions, softmax_with_sink


@claim(
    "With StreamingLLM a model can use millions of tokens.",
    "It can read on for millions of tokens without breaking, and that is what its authors claim. But of {read:,} "
    "tokens read, {kept:,} are in the cache: the first four and the most recent. Of all the others it knows only what "
    "these have kept.",
    "run: the cache with four first tokens and 1,020 recent ones; Xiao et al. 2023, appendix A, and the authors' "
    "README: the context window is not expanded",
)
def streaming_uses_all():
    read = 1_000_000
    kept, _ = sink_positions(read, first=4, w=1_020)
    return judged(len(kept) == read), dict(read=read, kept=len(kept))


@claim(
    "A model that loses its first tokens to a window breaks, so these must be kept.",
    "It depends on the model. Without its first four tokens, the perplexity of Llama 2 was {llama:,.0f} times as high "
    "as with them. Our two-layer models with RoPE do without: with a window their loss changed by {ours:+.3f} nats.",
    "Xiao et al. 2023, table 1, Llama-2-13B: 5158.07 in a window of 1,024, 5.40 with the first four tokens; "
    f"{REPAIRS}, text",
)
def first_tokens_must_stay():
    llama = 5158.07 / 5.40  # in the paper
    window = repaired("window")
    ours = window[-1] - window[0]
    return judged(llama > 2, ours > 0.25), dict(llama=llama, ours=ours)


@claim(
    "A rotated key cannot be renumbered, so StreamingLLM must cache its keys unrotated.",
    "A key that was rotated for position a hundred differs from one for position ten by up to {cached:.2f}. Rotated "
    "back by ninety positions it differs by {moved:.2g}. StreamingLLM does cache its keys unrotated, and llama.cpp "
    "rotates cached keys on: both are right, in many bits. Kept in bfloat16, the key differs by {once:.1g} after one "
    "move of ninety, and by {often:.1g} after ninety moves of one, because every move rounds. And above the first "
    "layer a moved key still holds what its token had read in the text that was dropped.",
    "run: a random key of sixteen channels; Xiao et al. 2023, section 3.2; llama.cpp, issues 2060 and 3440",
)
def keys_cannot_move():
    k = np.random.default_rng(0).normal(size=(1, 16))
    wanted, cached = rotate(k, past=10), rotate(k, past=100)
    back = -frequencies(16)
    keys = {"cached": cached, "moved": rotate(cached, past=90, speeds=back), "often": bfloat16(cached)}
    keys["once"] = bfloat16(rotate(keys["often"], past=90, speeds=back))
    for _ in range(90):
        keys["often"] = bfloat16(rotate(keys["often"], past=1, speeds=back))
    differ = {name: abs(key - wanted).max().round(9) for name, key in keys.items()}
    return judged(differ["moved"] > 1e-6), differ


@question(
    "Three keys have the scores ln 1, ln 2 and ln 5. The head has a sink of its own, with the score ln 8. How much "
    "weight do the three keys get together?",
    {
        "All of it: the weights of a row sum to 1": "They do only if the sink's weight is counted, and it has no "
        "value to bring.",
        "One half": "Yes: 1 + 2 + 5 is 8, and the sink adds another 8 to the denominator.",
        "Three quarters: three keys of four": "That would be so if all four scores were equal.",
        "A little less than all: a sink is a small correction": "A sink's score is learned. Here it is larger than "
        "that of any key.",
    },
)
def sink_share():
    share = softmax_with_sink(np.log([1, 2, 5]), np.log(8)).sum()
    return {0.5: "One half", 0.75: "Three quarters", 1: "All of it"}.get(round(share, 9), "A little less")


@question(
    "A cache keeps the first 4 tokens and the last 12, and numbers them by their place in the cache. It has read "
    "1,000 tokens. At which offset does the newest query see the first one?",
    {
        "−15": "Yes: of {kept} places the newest token has place 15 and the first has place 0.",
        "−999": "That is the offset in the text. Training had no such offset, which is why the cache renumbers.",
        "−12": "The 12 recent tokens end at place 15. The 4 first ones have places of their own before them.",
        "0: it is pinned": "The first token keeps place 0. An offset counts from the query, which has another place.",
    },
)
def renumbered():
    _, places = sink_positions(1000, first=4, w=12)
    return places[0] - places[-1], dict(kept=len(places))
