"""What happens to MPNet when its table or its absolute vectors are changed: committed runs, and the model they ran in.

    from course_study import learned
    learned.over_texts("tokens", "table zeroed")       the mean over four texts, and its standard error

| experiment | `cosine` is that of | with |
|---|---|---|
| `tokens` | the hidden states of the first 254 tokens | those of the model as released |
| `sentences` | the embeddings (mean hidden states) of 12 sentences | those of the model as released |
| `shuffled sentences` | the embeddings of 12 sentences | those of the same sentences with their words shuffled |
| `beyond 512` | the tokens 560 … 659 of a text of 702 | the same tokens in a window that has them at 101 … 200 |
| `profiles` | nothing: see `profiles` in experiments.py, which has `explained` and its `median` | |

`cosine` is the mean over tokens or sentences, and `error` its standard error. Compared with the model as released, it
measures how much the output *changes*. It does not measure harm: an output that has changed may serve as well. The
conditions "another token" and "the next sentence" say what it is without a relation.
`python -m course_study.learned FOLDER` runs what is missing.
"""

from typing import Any

import numpy as np

from ..results import found


def over_texts(experiment: str, condition: str, key: str = "cosine") -> tuple[Any, Any]:
    """The mean over the texts of one entry of the rows, a number or an array, and its standard error over the texts.

    Raises ValueError if there are no such rows.
    """
    rows = found("learned", experiment=experiment, condition=condition)
    values = np.array([row[key] for row in rows])
    return values.mean(0), values.std(0, ddof=1) / len(values) ** 0.5
