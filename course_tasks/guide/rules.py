"""What the rules of several questions share: the names of the schemes, and rules that are said more than once."""

from course_lib import schemes
from course_lib.contents import number
from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Rule

SINGLE = {scheme.name: (scheme.what, scheme.topic) for scheme in schemes.SCHEMES.values()}
MADE_OF_THESE = {
    "stretched RoPE": ("RoPE that gets other speeds after training, to read longer texts", "stretching_rope"),
    "hybrid": ("layers with RoPE in a window, in turn with layers that see all keys and no positions", "windows_and_sinks"),
}
BASELINES = ("none", "learned", "sinusoidal")
SCHEMES = dict(  # the baselines first, then by chapter
    sorted((SINGLE | MADE_OF_THESE).items(), key=lambda item: "" if item[0] in BASELINES else number(item[1][1]))
)
ONE_AXIS = Rule(OUT, "Swin, axial RoPE", "It counts rows and columns. A text has one axis.", "two_dimensions")
BESIDE = Rule(
    CAVEAT,
    "sink, log scale",
    "It does not tell a head where a key is. Put it beside a scheme that does.",
    "windows_and_sinks",
)
OUTSIDE_THE_SCORE = Rule(
    FITS,
    "none, learned, sinusoidal, RoPE, axial RoPE, M-RoPE, log scale, stretched RoPE",
    "Attention stays as it is: position enters before it, or not at all.",
    "fast_attention",
)


def given(scheme: str, why: str, chapters: str, *also: Rule) -> list[Rule]:
    """Published weights come with their scheme. `also`: rules for schemes that these weights can be used with."""
    told = {scheme, *(rule.schemes for rule in also)}
    others = ", ".join(name for name in SCHEMES if name not in told)
    return [
        Rule(FITS, scheme, f"The scheme is given. {why}", chapters),
        *also,
        Rule(OUT, others, "These weights were trained with another scheme.", chapters),
    ]
