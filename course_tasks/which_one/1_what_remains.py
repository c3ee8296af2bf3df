"""Six situations: what remains? · 8 minutes · ★★

A measurement on small models rules nothing out. The way a scheme is made can rule it out, and so can what
you have. In each situation at most one of the four candidates is left, perhaps with a caveat. If none is, write
`"no scheme"`. (The candidate `none` is something else, a model without positions.) Find a reason against each of the
others before you commit to a name.

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
- `Llama`: the published weights of Llama, on texts longer than it was trained on.
  `Transformer-XL`, `T5 buckets`, `ALiBi`, `RoPE`
- `T5`: the published weights of T5; the only available kernel takes no bias.
  `learned`, `T5 buckets`, `ALiBi`, `RoPE`
"""


from ..guide import CAVEAT, OUT, QUESTIONS, decide

NOTHING = "no scheme"


_ATTENDED, _LENGTH, _FIND, _WEIGHTS, _COMPUTED, _PARAMETERS = QUESTIONS


_FLASH = {_COMPUTED: "a flash kernel without a bias"}


_LONGER = {_LENGTH: "longer than in training"}


SITUATIONS = {  # name: (answers to the questions of the guide, candidates)
    "memory": (
        {_ATTENDED: "text in segments, with a memory", _PARAMETERS: "no parameters"},
        ("sinusoidal", "Shaw", "Transformer-XL", "log decay"),
    ),
    "encoder": (
        {_ATTENDED: "text, read both ways", **_LONGER},
        ("none", "learned", "Shaw", "Music Transformer"),
    ),
    "image": ({_ATTENDED: "an image, in windows", **_FLASH}, ("learned", "Shaw", "ALiBi", "Swin")),
    "three back": (
        {
            _ATTENDED: "text, left to right",
            **_LONGER,
            _FIND: "an exact distance: “three back”",
            _PARAMETERS: "no parameters",
        },
        ("learned", "Music Transformer", "T5 buckets", "ALiBi"),
    ),
    "Llama": (
        {_WEIGHTS: "from Llama, GPT-NeoX", **_LONGER},
        ("Transformer-XL", "T5 buckets", "ALiBi", "RoPE"),
    ),
    "T5": ({_WEIGHTS: "from T5", **_FLASH}, ("learned", "T5 buckets", "ALiBi", "RoPE")),
}


def _left(name):
    """The candidates of a situation that nothing rules out."""
    answers, candidates = SITUATIONS[name]
    found = decide(answers)
    return [scheme for scheme in candidates if found[scheme].verdict != OUT]


def answer():
    left = {}
    for name in SITUATIONS:
        (left[name],) = _left(name) or [NOTHING]  # at most one, by the choice of the candidates
    return left


def _reasons(name, scheme, verdict):
    """What the guide says about a scheme in a situation, answer by answer, where it gives this verdict."""
    told = [
        f'"{answer}": {rule.why}'
        for question, answer in SITUATIONS[name][0].items()
        for rule in QUESTIONS[question][answer]
        if rule.verdict == verdict and scheme in rule.schemes
    ]
    return " And by ".join(told)


def on_pass():
    told = [
        f"{name}, `{scheme}` by {why}"
        for name, scheme in answer().items()
        if scheme != NOTHING and (why := _reasons(name, scheme, CAVEAT))
    ]
    return f"What is left may have a caveat. {' '.join(told)}"


def _ruled_out():
    """A message for each wrong candidate: the guide's reason."""
    return [
        ({name: scheme}, f"{name}: `{scheme}` is ruled out by {_reasons(name, scheme, OUT)}")
        for name, (_, candidates) in SITUATIONS.items()
        for scheme in candidates
        if scheme not in _left(name)
    ]


def _too_strict():
    return [
        (
            {name: NOTHING},
            f"{name}: one of the four is left. A caveat rules nothing out, and neither does a scheme that would do "
            f"better.",
        )
        for name in SITUATIONS
        if _left(name)
    ]


ANSWER = answer()


def words_of(name):
    return (*SITUATIONS[name][1], NOTHING)


WRONG = [*_ruled_out(), *_too_strict()]


HINTS = [
    "Ask in this order: are the weights given? Does the scheme run in the given kernel? Does it have what is "
    "forbidden? Only then ask whether it can do what is needed.",
    "A bias is added to the scores. Which candidates add one, and which leave attention as it is?",
    "Given weights leave one candidate at most. If the kernel rules that one out, you need another kernel.",
]
