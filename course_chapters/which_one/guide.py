"""Which one? The situations of `situations.py`, to be asked and to be read.

from course_chapters.which_one import guide
guide.ask()                     all situations, each with its recommendation in a fold
guide.ask("decoder", "long")    those that are about these words, or take what is named so, first or instead
guide.ask("FIRE")               no verdict: no situation takes it
"""

from course_kit.display.box import rich
from course_kit.display.formatting import escape
from course_kit.display.picture import SUPPRESS, Picture
from course_lib.schemes import SCHEMES

from .situations import SITUATIONS, Situation

TITLE = "Which one?"
WORDS = {  # the lines of a fold, by the fields of a situation; what to take is written above it
    "instead": "Or",
    "why": "Why",
    "computed": "Ground, computed",
    "released": "Ground, seen in released models",
    "small": "Ground, trained small",
    "paper": "Ground, reported in a paper",
    "unknown": "Not verified",
    "costs": "Costs",
    "unless": "What would change it",
    "test": "Test afterwards",
}


def ask(*words: str) -> Picture:
    """The situations with all these words in their heading or in what they take, or instead; without words, all.

    Something that none of them has gets no verdict, and the picture says so.
    """
    found = {
        group: {heading: advice for heading, advice in situations.items() if _fits(words, heading, advice)}
        for group, situations in SITUATIONS.items()
    }
    taken = {heading: advice.take for situations in found.values() for heading, advice in situations.items()}
    alt = " ".join([TITLE, *(f"{heading}: {take}" for heading, take in taken.items())])
    body = f"<p><b>{TITLE}</b></p>"
    for group, situations in found.items():
        folds = "".join(_fold(heading, advice, len(taken) == 1) for heading, advice in situations.items())
        body += f"<p class=rp-question>{group}</p>{folds}" if folds else ""
    if not taken:
        alt = no_verdict(" ".join(words))
        body += f"<p>{rich(alt)}</p>"
    return Picture("guide", body, alt=alt, title=TITLE, styles=["decision"])


def no_verdict(asked: str) -> str:
    """What the guide says of something that no situation takes or is about."""
    if asked.lower() in (scheme.lower() for scheme in SCHEMES):
        return f"No verdict on {asked}: no situation takes it yet. That says nothing against it."
    return f"No verdict: no situation is about “{asked}”. `guide.ask()` shows those that there are."


def _fits(words: tuple[str, ...], heading: str, advice: Situation) -> bool:
    return all(word.lower() in f"{heading} {advice.take} {advice.instead}".lower() for word in words)


def _fold(heading: str, advice: Situation, unfolded: bool) -> str:
    """A situation and what to take; in its fold everything else."""
    said = advice._asdict()
    lines = [f"<li><b>{word}:</b> {rich(said[field])}</li>" for field, word in WORDS.items() if said[field]]
    summary = f"<summary {SUPPRESS}><span>{escape(heading)} →</span> <b>{rich(advice.take)}</b></summary>"
    return f"<details{' open' * unfolded}>{summary}<ul>{''.join(lines)}</ul></details>"
