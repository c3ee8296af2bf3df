"""The claims by chapter: each sentence is read first and guessed at, its verdict is in a fold."""

from dataclasses import dataclass
from importlib import import_module

from course_lib.contents import TOPICS
from course_lib.display.formatting import check_choice
from course_lib.display.picture import Picture

from . import html as face
from .claim import Claim
from .ruling import Ruling, judge_claim


def _claims(topic: str) -> dict[str, Claim]:
    """The claims in the file of that name, in its order."""
    module = import_module(f"{__package__}.{topic}")
    return {name: found for name, found in vars(module).items() if isinstance(found, Claim)}


CHAPTERS = {topic: _claims(topic) for topic in TOPICS if topic != "start_here"}
CLAIMS = {name: claim for claims in CHAPTERS.values() for name, claim in claims.items()}


@dataclass(frozen=True, repr=False)
class Rulings:
    """A chapter and what came out for each of its claims."""

    chapter: str
    rulings: list[Ruling]

    @property
    def picture(self) -> Picture:
        """A fold for each sentence; neither what is seen nor what is read out first says the verdicts."""
        many = f"{len(self.rulings)} sentences" if len(self.rulings) > 1 else "A sentence"
        folds = "".join(face.fold(found.claim.statement, found.verdict, found.evidence) for found in self.rulings)
        body = f'<p style="margin:0 0 8px"><b>{many}.</b> {face.GUESS}</p>{folds}'
        alt = f"{many} with the verdict and why in a fold."
        return Picture("claim", body, alt=alt, title=TOPICS[self.chapter].title, styles=["verdict", "claim"])

    def __repr__(self) -> str:
        return "\n".join(f'"{found.claim.statement}" → {found.verdict}' for found in self.rulings)

    def _repr_html_(self) -> str:
        return self.picture._repr_html_()


def decide(name: str) -> Ruling:
    """Run the fact of one claim and say what follows. Raises ValueError for a name that is not in CLAIMS."""
    return judge_claim(CLAIMS[check_choice("name", name, CLAIMS)])


def chapter(topic: str) -> Rulings:
    """Run the facts of all claims of one chapter. Raises ValueError for a topic that is not in CHAPTERS."""
    return Rulings(topic, [judge_claim(claim) for claim in CHAPTERS[check_choice("topic", topic, CHAPTERS)].values()])
