"""The claims by topic: each sentence is read first and guessed at, its verdict is in a fold."""

from dataclasses import dataclass
from types import ModuleType

from course_lib.display.formatting import check_choice, escape
from course_lib.display.picture import Picture

from . import alibi_rope, buckets, cost, grids, history, longer, models, positions
from . import html as face
from .claim import Claim
from .ruling import Ruling, judge_claim


def _claims(module: ModuleType) -> dict[str, Claim]:
    return {name: found for name, found in vars(module).items() if isinstance(found, Claim)}


TOPICS = {
    "Positions and offsets": _claims(positions),
    "Grids and diagonals": _claims(grids),
    "T5's buckets": _claims(buckets),
    "ALiBi and RoPE": _claims(alibi_rope),
    "Time and memory": _claims(cost),
    "Longer texts": _claims(longer),
    "Models and history": _claims(models) | _claims(history),
}
CLAIMS = {name: claim for claims in TOPICS.values() for name, claim in claims.items()}


@dataclass(frozen=True, repr=False)
class Topic:
    """A topic and what came out for each of its claims."""

    name: str
    judgements: list[Ruling]

    @property
    def picture(self) -> Picture:
        """A fold for each sentence; neither what is seen nor what is read out first says the verdicts."""
        alt = f"{self.name}: {len(self.judgements)} sentences, each with its verdict and why in a fold."
        folds = "".join(face.fold(found.claim.statement, found.verdict, found.evidence) for found in self.judgements)
        body = f'<p style="margin:0 0 8px"><b>{escape(self.name)}</b>: {face.GUESS}</p>{folds}'
        return Picture("claim", body, alt=alt, title=self.name, styles=["verdict", "claim"])

    def __repr__(self) -> str:
        return "\n".join([self.name, *(f'  "{found.claim.statement}" → {found.verdict}' for found in self.judgements)])

    def _repr_html_(self) -> str:
        return self.picture._repr_html_()


def decide(name: str) -> Ruling:
    """Run the fact of one claim and say what follows. Raises ValueError for a name that is not in CLAIMS."""
    return judge_claim(CLAIMS[check_choice("name", name, CLAIMS)])


def topic(name: str) -> Topic:
    """Run the facts of all claims of one topic. Raises ValueError for a name that is not in TOPICS."""
    return Topic(name, [judge_claim(claim) for claim in TOPICS[check_choice("name", name, TOPICS)].values()])
