"""python -m course_lib.study.released [NAME …] [--out FILE]

Runs the experiments of these names, or all, on the texts of these names, or all, in the released model, and adds a line
to FILE for every condition. What is in FILE is not run again. You can stop it at any time; run the same command again
to resume.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from ...nn.threads import one_thread
from ...released import Released, load
from ..parser import Parser
from ..results import Row, append
from . import FILE, key, read
from .experiments import EXPERIMENTS, Text, Trial

Plan = list[tuple[str, Text, list[Trial]]]  # experiment, text, and its conditions, of which the first is the control


def plan(model: Released, names: Sequence[str] = ()) -> Plan:
    """All there is to run, or what has these names. Raises ValueError for a name of no experiment and no text."""
    every = [(name, text) for name, (_, texts) in EXPERIMENTS.items() for text in texts(model)]
    known = {name for name, _ in every} | {text.name for _, text in every}
    if unknown := set(names) - known:
        raise ValueError(f"{min(unknown)}: expected names of experiments and texts, {', '.join(sorted(known))}")
    some = [{one for one in names if one in kind} for kind in (EXPERIMENTS, known - set(EXPERIMENTS))]
    found: Plan = []
    for name, text in every:
        if all(one in given or not given for one, given in zip((name, text.name), some)):
            trials = list(EXPERIMENTS[name][0](model, text))
            control = replace(trials[0], condition=text.control, change={}, tokens=None)
            found.append((name, text, [control, *trials]))
    return found


def run(model: Released, planned: Plan, path: Path) -> Iterator[Row]:
    """What is planned and not in the file; each row is on the disk before the next one begins."""
    done = {key(row) for row in read(path)}
    for experiment, text, trials in planned:
        left = [trial for trial in trials if (experiment, trial.condition, text.name, text.n) not in done]
        if left:
            control = measured(model, text, trials[0])
        for trial in left:
            losses, more, seconds = control if trial is trials[0] else measured(model, text, trial)
            scored = text.n - 1 - text.half if trial.scored is None else trial.scored
            row = {"experiment": experiment, "condition": trial.condition, "text": text.name, "n": text.n}
            row |= {"read": len(tokens_of(text, trial))} if trial.tokens is not None else {}
            row |= short(compared(losses[-scored:], control[0][-scored:]))
            if text.bins:
                ends = list(zip(text.bins, text.bins[1:]))
                row["bins"] = [{"from": a, "to": b, **short(compared(losses[a:b], control[0][a:b]))} for a, b in ends]
            row |= {**short(more), "seconds": round(seconds, 1)}
            append(path, row)
            yield row


def tokens_of(text: Text, trial: Trial) -> Tensor:
    return text.tokens if trial.tokens is None else trial.tokens


def measured(model: Released, text: Text, trial: Trial) -> tuple[Tensor, dict[str, Any], float]:
    """The losses, what else was measured, and the seconds of one core."""
    begin = time.process_time()
    with one_thread(), model.changed(**trial.change):
        losses, more = trial.measure(model, tokens_of(text, trial))
    return losses, more, time.process_time() - begin


def compared(losses: Tensor, control: Tensor) -> Row:
    """Their mean, and the mean of the paired differences with its standard error; both end with the same token."""
    both = min(len(losses), len(control))
    difference = (losses[-both:] - control[-both:]).double()
    numbers = {"loss": losses.double().mean(), "difference": difference.mean(), "error": difference.std() / both**0.5}
    return {"scored": both, **{name: float(number) for name, number in numbers.items()}}


def short(value: Any) -> Any:
    """The same with every number rounded to four digits."""
    if isinstance(value, dict):
        return {name: short(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [short(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser("course_lib.study.released", __doc__.split("\n\n", 1)[1])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(EXPERIMENTS)}, or a text")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE", help="the committed rows by default")
    given = parser.parse_args(argv)
    try:
        model = load()
        planned = plan(model, given.names)
        number = sum(len(trials) for *_, trials in planned)
        for count, row in enumerate(run(model, planned, given.out), 1):
            print(f"{count}: {row['experiment']}, {row['text']}, {row['condition']}: ", end="")
            print(f"{row['loss']:.3f}, {row['difference']:+.3f} ± {row['error']:.3f}, {row['seconds']} s", flush=True)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"\nStopped. What is finished is in {given.out}; run the same command again to resume.", file=sys.stderr)
        return 130
    print(f"All {number} rows are in {given.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
