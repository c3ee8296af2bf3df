"""A study so small that a run takes some milliseconds, and what two results must have in common."""

import course_study as study

SIZES = {"length": 16, "steps": 2, "d_model": 8, "n_heads": 2, "n_layers": 2, "batch": 2, "test_texts": 16}
SMALL = study.Settings(**SIZES)


def small(**changed):
    return study.Settings(**{**SIZES, **changed})


def numbers(rows):
    """What must be the same in every repetition, by run: all but the seconds."""
    return {study.key(row): {**row, "seconds": 0} for row in rows}


def result(scheme="rope", seed=0, settings=SMALL, **changed):
    """A row such as a run gives, without the run."""
    n = len(settings.tests)
    row = {"task": "copy-back", "scheme": scheme, "seed": seed, "settings": settings.as_json()}
    return {**row, "loss": [1.0] * n, "accuracy": [0.5] * n, "seconds": 0.1, **changed}
