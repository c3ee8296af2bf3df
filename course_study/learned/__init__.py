"""What happens to MPNet when its table or its absolute vectors are changed: committed runs, and the model they ran in.

    from course_study import learned
    learned.rows("tokens", condition="table zeroed")             one row for each text
    learned.over_texts("tokens", condition="table zeroed")       the mean over the texts, and its standard error

| experiment | `cosine` is that of | with |
|---|---|---|
| `tokens` | the hidden states of the first 254 tokens | those of the model as released |
| `sentences` | the embeddings (mean hidden states) of 12 sentences | those of the model as released |
| `shuffled sentences` | the embeddings of 12 sentences | those of the same sentences with their words shuffled |
| `shuffled passages` | the embeddings of 3 passages of 100 words | those with their words shuffled |
| `beyond 512` | the tokens 560 … 659 of a text of 702 | the same tokens in a window that has them at 101 … 200 |
| `profiles` | nothing: `profiled` in measures.py says what these rows have | |

`cosine` is the mean over tokens, sentences or passages, `error` its standard error, and `lowest` the smallest.
Compared with the model as released, it measures how much the output *changes*. It does not measure harm: an output that
has changed may serve as well. The conditions "another token" and "the next sentence" say what it is without a relation.
`python -m course_study.learned FOLDER` runs what is missing.
"""

from statistics import fmean, stdev
from typing import Any

from ..results import Row, committed, pick


def rows(experiment: str, **wanted: Any) -> list[Row]:
    """The committed rows of an experiment with these entries, as in `course_study.released`.

    Raises ValueError if there are none.
    """
    found = pick(committed("learned"), experiment=experiment, **wanted)
    if not found:
        raise ValueError(f"experiment={experiment!r}, {wanted}: no committed row")
    return found


def over_texts(experiment: str, condition: str, key: str = "cosine") -> tuple[float, float]:
    """The mean over the texts of one number of the rows, and its standard error over the texts.

    Raises ValueError if there are no such rows.
    """
    found = [row[key] for row in rows(experiment, condition=condition) if row["text"] != "all"]
    return fmean(found), stdev(found) / len(found) ** 0.5
