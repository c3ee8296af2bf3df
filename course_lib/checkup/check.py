"""What a check finds, and the report that all of them make."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import NDArray
from torch import Tensor

VERDICTS = {
    "fault": "contradicts the model's own file, or another call of the same model",
    "know": "no fault, but whoever calls or trains the model should know it",
    "fine": "as it should be",
    "skipped": "not asked, for the reason that is given",
}
SAME = 1e-4  # two calls that must agree: healthy models differ by at most 1.4e-5, the weakest fault by 2.8e-3


class Refused(Exception):
    """The model does not take this call, or the question does not fit it. The text says why."""


@dataclass(frozen=True)
class Check:
    """One finding: a verdict of VERDICTS, the number it rests on, and what to do.

    A number with an error is a mean in nats. Any other is a share or a count, as `says` tells.
    section: the topic and the heading that explain it, "topic: heading".
    """

    verdict: str
    says: str
    number: float | None = None
    error: float | None = None
    name: str = ""
    group: str = ""
    section: str = ""

    @property
    def shown(self) -> str:
        """The number as a table shows it."""
        if self.number is None:
            return ""
        if self.error is not None:
            return f"{self.number:+.2f} ± {self.error:.2f}".replace("-", "−")
        return str(self.number) if isinstance(self.number, int) else f"{self.number:.1e}"


@dataclass(frozen=True)
class Report:
    """All checks of one model, or all calls of two. `str` gives it as a table, faults first."""

    title: str
    checks: Sequence[Check]
    words: Sequence[str] = ()  # what the model's file says
    curves: Sequence[NDArray] = ()  # for each layer (heads, reach): ln(w_ij / w_ii) at the distance i − j
    gaps: Sequence[tuple[int, Check]] = ()  # the cost of a gap of so many positions
    verdicts: ClassVar[dict[str, str]] = VERDICTS

    @property
    def faults(self) -> list[Check]:
        """The checks whose verdict is fault."""
        return [check for check in self.checks if check.verdict == "fault"]

    @property
    def ordered(self) -> list[Check]:
        """All checks: faults first, and last what was skipped."""
        places = {"fault": 0, "skipped": 2}
        return sorted(self.checks, key=lambda check: places.get(check.verdict, 1))

    def __str__(self) -> str:
        lines = [self.title, *(f"  {line}" for line in self.words), ""]
        width = max((len(check.name) for check in self.checks), default=0)
        for check in self.ordered:
            line = f"{check.verdict:8}{check.name:{width}}  {check.shown:>13}  {check.says}"
            see = f" (see {check.section})" * (check.verdict in ("fault", "know") and bool(check.section))
            lines.append((line + see).rstrip())
        counts = [f"{sum(check.verdict == word for check in self.checks)} {word}" for word in VERDICTS]
        return "\n".join([*lines, "", ", ".join(counts), *(f"{word:8}{says}" for word, says in VERDICTS.items())])


def changes(a: Tensor, b: Tensor) -> Tensor:
    """How far each row of a (…, n, channels) is from that of b: ‖a_i − b_i‖ / ‖b_i − its mean‖, (…, n)."""
    a, b = a.double(), b.double()
    spread = (b - b.mean(-1, keepdim=True)).norm(dim=-1).clamp_min(1e-30)
    return (a - b).norm(dim=-1) / spread


def change(a: Tensor, b: Tensor) -> float:
    """The largest of `changes`."""
    return float(changes(a, b).max())


def judged(number: float, good: str, bad: str, *, limit: float = SAME, otherwise: str = "fault") -> Check:
    """fine below the limit, and else the verdict `otherwise`, each with its sentence. nan is not below any limit."""
    return Check("fine", good, number) if number < limit else Check(otherwise, bad, number)
