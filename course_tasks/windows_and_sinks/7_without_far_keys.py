"""Prediction: who misses the far keys? · 8 minutes · ★★

The models of the study were trained on texts of 128 characters and read 1,024. Now every key that is 128 or more
back is masked. What happens to the loss? For each scheme, predict `"rises"` (the model had used the far keys),
`"falls"` (they had disturbed it) or `"same"` (a change below 0.02 nats). Think of what the scheme does with far keys,
and then of what the model could have learned from texts of 128 characters.

`none` has no positions, `log-1` is the log decay with strength 1, and `t5-256` has T5's buckets with `max_distance`
256. `window-64` has windows of 64 in both layers. In `fox`, each token lowers the weight of all keys before it by a
factor that depends on the token.
"""

from ..measured import TEXT, losses

SCHEMES = ("none", "log-1", "t5-256", "alibi", "rope", "window-64", "fox")
SAME = 0.02  # nats: a smaller change counts as none


def changes(scheme):
    """What masking the far keys changes in the loss at 1,024, in nats, for each seed."""
    return losses(scheme, TEXT, "long", "far_masked")[:, -1] - losses(scheme, TEXT, "long")[:, -1]


def said(change):
    """The word for a change of the loss."""
    return "same" if abs(change) < SAME else "rises" if change > 0 else "falls"


def words_of(field):
    return "rises", "falls", "same"


ANSWER = {scheme: said(changes(scheme).mean()) for scheme in SCHEMES}
NOT_USED = "A rise would mean that it had used the far keys. But the next character depends mostly on the last few."
SEES_64 = "Each layer sees 64 keys. Are any of the masked ones among them?"
WRONG = {
    "none": {
        "rises": NOT_USED,
        "same": "Nothing here lowers the weight of far keys, so they may take weight away from the near ones.",
    },
    "log-1": {
        "rises": NOT_USED,
        "same": "This decay is slow. Remember its span: it grows with the number of keys, so far keys get weight.",
    },
    "t5-256": {
        "rises": NOT_USED,
        "same": "Four of its buckets were never trained and still hold 0. Far keys fall into these.",
    },
    "alibi": {
        "rises": NOT_USED,
        "falls": "The bias of far keys is very low in most heads, so they have hardly any weight to lose.",
    },
    "rope": {
        "rises": NOT_USED,
        "same": "The slow pairs turn far keys by angles that this model never met. Training did not fix their scores.",
    },
    "window-64": {"rises": SEES_64, "falls": SEES_64},
    "fox": {
        "rises": NOT_USED,
        "falls": "At each token FoX can lower the weight of all earlier keys, so it can learn to ignore them.",
    },
}
HINTS = [
    "Which schemes give far keys hardly any weight, or none? Masking changes nothing for these.",
    "For the others, far keys have weight. Would a far character help to predict the next one?",
    "In the lesson “Longer than training”, compare the last two columns under “Level is not the same as useful”.",
]
ON_PASS = (
    "No model misses the far keys. A level loss came from models that do not look there, and a rising one from "
    "models that do. To learn to use far keys, a model has to be trained on texts in which they help."
)
