r"""One row with a pencil · 10 minutes · ★ · first

Do for the query *on* what the lesson did for *cat*: compute its five **scaled** scores, its five weights,
and the four numbers of its output. `print(Q, K, V)` in a cell of its own shows what you need. A pencil and the
exponential of a pocket calculator are enough, and so are three decimals. The check accepts a part: leave `...` for
the rest.
"""

import numpy as np

from course_lib.example import K, Q, V
from course_lib.reference.attention import attention, scores, softmax

from ...shared import KEY, NUMBER, SCORES

CAT, SAT, ON, MAT = range(1, 5)
RAW = scores(Q, K, scale=1.0)
OUTPUT, WEIGHTS = attention(Q, K, V)
EXP = np.exp(SCORES[ON])
EXP_OR_0 = np.where(SCORES[ON] != 0, EXP, 0)  # with e⁰ taken for 0

ANSWER = {"scores": SCORES[ON], "weights": WEIGHTS[ON], "output": OUTPUT[ON]}
AXES = {"scores": (KEY,), "weights": (KEY,), "output": (NUMBER,)}
ROW = 'Tokens are counted from 0, and "on" is row 3.'
ZERO = "The key with score 0 has a weight too, because e⁰ is 1."
COLUMN = 'These are products with the rows of Q, as in a column. The query of "on" meets the rows of K.'
BEFORE_MAT = softmax(SCORES[ON, :MAT])  # under a causal mask
MASKED = 'You hid "mat" from "on". Without a mask every query meets all five keys.'
MAT_IS_MISSING = 'You left out "mat", whose value is one half in all four. Add half of its weight to each.'
SLIPS = {
    "scores": [
        (RAW[ON], "These are the raw scores. Divide each by √d_k = √4 = 2."),
        (RAW[ON] / 4, "You divided by d_k = 4. Divide by its square root, which is 2."),
        (2 * RAW[ON], "You multiplied by √d_k = 2. Divide by it."),
        (RAW[ON] / np.sqrt(5), "You divided by √5, but 5 is the number of keys. A key has d_k = 4 numbers."),
        (SCORES[:, ON], COLUMN),
        (RAW[:, ON], "These are raw products with the rows of Q. Take row 3 of Q with each row of K."),
        (SCORES[CAT], 'This is the row of "cat", as in the lesson. Here the query is "on", row 3 of Q.'),
        (SCORES[SAT], f'This is the row of "sat". {ROW}'),
        (SCORES[MAT], f'This is the row of "mat". {ROW}'),
    ],
    "weights": [
        (SCORES[ON] / SCORES[ON].sum(), "You divided the scores by their sum. The softmax takes e to each first."),
        (EXP_OR_0 / EXP_OR_0.sum(), ZERO),
        (EXP_OR_0 / EXP.sum(), f"{ZERO} Your sum has counted it."),
        (np.round(100 * WEIGHTS[ON], 1), "These are percentages. Give fractions, which sum to 1."),
        (EXP, "These are e to the scores. Divide each by their sum."),
        (softmax(RAW[ON]), "This is the softmax of the raw scores. Divide them by 2 first."),
        (softmax(RAW[ON] / 4), "You divided the scores by 4. Divide by √d_k, which is 2."),
        (SCORES[ON], "These are still the scores. The softmax is missing."),
        (softmax(SCORES[:, ON]), 'This is the softmax of the column of "on". Take its row.'),
        (softmax(SCORES.T)[:, ON], "You shared out each key among the queries. The five weights of a query sum to 1."),
        (softmax(SCORES[ON] * np.log(2)), "You took 2 to each score. The softmax takes e = 2.718… to each."),
        (softmax(SCORES[ON] * np.log(10)), "You took 10 to each score. The softmax takes e = 2.718… to each."),
        (np.append(BEFORE_MAT, 0), MASKED),
        (WEIGHTS[SAT], f'These are the weights of "sat". {ROW}'),
    ],
    "output": [
        (WEIGHTS[ON, :4], MAT_IS_MISSING),
        (WEIGHTS[ON, :4] + WEIGHTS[ON, MAT], 'The value of "mat" is one half in all four. Add half of its weight.'),
        (BEFORE_MAT @ V[:MAT], MASKED),
        (SCORES[ON] @ V, "You averaged the values with the scores. Average them with the weights."),
        (WEIGHTS[ON] @ K, "You averaged the keys. The output is the average of the values V."),
        (V[ON], 'This is the value of "on" alone. Average all five values with the weights.'),
        (V.mean(axis=0), "This is the plain mean of the values. Each value counts with its weight."),
        (softmax(RAW[ON]) @ V, "These weights come from the raw scores. Divide the scores by 2 first."),
    ],
}
WRONG = [({field: value}, message) for field, slips in SLIPS.items() for value, message in slips]
HINTS = [
    'The query of "on" is row 3 of Q, (0, 0, 1, 1). Only the last two numbers of each key count.',
    "Divide the scores by 2, take e to each, and divide by the sum of all five. The weights sum to 1.",
    'Output number c is the weight of token c plus half the weight of "mat".',
]
