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

from ..guide import CAVEAT, OUT, QUESTIONS, decide

ATTENDED, LENGTH, FIND, WEIGHTS, COMPUTED, PARAMETERS = QUESTIONS
FLASH = {COMPUTED: "a flash kernel without a bias"}
LONGER = {LENGTH: "longer than in training"}
THREE_BACK = {FIND: "an exact distance: “three back”", PARAMETERS: "no parameters"}
SITUATIONS = {  # name: (answers to the questions of the guide, candidates)
    "memory": (
        {ATTENDED: "text in segments, with a memory", PARAMETERS: "no parameters"},
        ("sinusoidal", "Shaw", "Transformer-XL", "log decay"),
    ),
    "encoder": ({ATTENDED: "text, read both ways", **LONGER}, ("none", "learned", "Shaw", "Music Transformer")),
    "image": ({ATTENDED: "an image, in windows", **FLASH}, ("learned", "Shaw", "ALiBi", "Swin")),
    "three back": (
        {ATTENDED: "text, left to right", **LONGER, **THREE_BACK},
        ("learned", "Music Transformer", "T5 buckets", "ALiBi"),
    ),
    "Llama": (
        {WEIGHTS: "Llama 3, Mistral 7B v0.3, SmolLM2", **LONGER},
        ("Transformer-XL", "T5 buckets", "ALiBi", "RoPE"),
    ),
    "T5": ({WEIGHTS: "T5", **FLASH}, ("learned", "T5 buckets", "ALiBi", "RoPE")),
}
NOTHING = "no scheme"


def remaining(name):
    """The one candidate of a situation that nothing rules out, or "no scheme"."""
    answers, candidates = SITUATIONS[name]
    found = decide(answers)
    (one,) = [scheme for scheme in candidates if found[scheme].verdict != OUT] or [NOTHING]
    return one


def reasons(name, scheme, verdict):
    """What the guide says about a scheme in a situation, answer by answer, where it gives this verdict."""
    return " And by ".join(
        f'"{answer}": {rule.why}'
        for question, answer in SITUATIONS[name][0].items()
        for rule in QUESTIONS[question][answer]
        if rule.verdict == verdict and scheme in rule.schemes
    )


def message(name, scheme):
    """What is wrong with a candidate, or with the answer that there is none: the guide's reason."""
    if scheme == NOTHING:
        caveat = reasons(name, remaining(name), CAVEAT)
        less = "A scheme is not ruled out because others are better, or because it must learn more."
        less += " What is added to the input is no bias." * (COMPUTED in SITUATIONS[name][0])
        return f"{name}: one is left. {less}" + f" This one has a caveat by {caveat}" * bool(caveat)
    return f"{name}: `{scheme}` is ruled out by {reasons(name, scheme, OUT)}"


def words_of(name):
    return *SITUATIONS[name][1], NOTHING


ANSWER = {name: remaining(name) for name in SITUATIONS}
WRONG = {
    name: {scheme: message(name, scheme) for scheme in words_of(name) if scheme != ANSWER[name]} for name in SITUATIONS
}
HINTS = [
    "Ask in this order: are the weights given? Does the scheme run in the given kernel? Does it have what is "
    "forbidden? Only then ask whether it can do what is needed.",
    "A bias is added to the scores. Which candidates add one, and which leave attention as it is?",
    "Given weights leave one candidate at most. If the kernel rules that one out, you need another kernel.",
]
CAVEATS = ((name, scheme, reasons(name, scheme, CAVEAT)) for name, scheme in ANSWER.items())
TOLD = " ".join(f"{name}, `{scheme}` by {why}" for name, scheme, why in CAVEATS if why)
ON_PASS = f"What is left may have a caveat. {TOLD}"
