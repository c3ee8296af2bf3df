"""What the released model does when it is changed: committed runs that take longer than a cell of a lesson.

Each row is one condition of one experiment on one text: `loss`, the mean in nats per token over the `scored` last
tokens; `difference`, its mean difference to the control on the same tokens, with the standard error `error`; `read`,
how many tokens were read if they are not the `n` of the text; `seconds` of one core.
"""

from typing import Any

from ..results import Row, found


def rows(experiment: str, **wanted: Any) -> list[Row]:
    """The committed rows of an experiment with these entries: rows("windows", text="alice", condition="as released").

    Raises ValueError if there are none: `python -m course_study --preset released EXPERIMENT` runs what is missing.
    """
    return found("released", experiment=experiment, **wanted)
