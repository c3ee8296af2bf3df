"""A window and its ring · 10 minutes · ★ · first

A window of $w$ shows a query the last $w$ keys, its own included. Work out with a pencil:

- `pairs`: eight tokens are read with a causal window of $w = 3$. How many pairs are there of a query and a key
  that it sees? (Without the window there are 36.)
- `slot of token 13`: a ring has $w = 4$ slots, and the tokens are numbered from 0. Into which slot does token 13 go?
- `slots after token 13`: which tokens are in the four slots then? Give a list, slot 0 first.
- `reach of three layers`: how many tokens back can an influence come from, through three layers with windows of 4?
- `share of the memory`: of 24 layers, six read the whole text and the others have windows of 1,000. The text has 10,000
  tokens. How much memory do the keys and values need, as a share of what 24 full layers would need? (A number between 0
  and 1.)
"""

from course_kit.checking import Axis
from course_lib.reference.sliding_window import reach, window_mask


def ring(read, w):
    """Which token is in each slot after tokens 0 … read − 1."""
    return [max(range(slot, read, w)) for slot in range(w)]


ANSWER = {
    "pairs": int(window_mask(8, w=3).sum()),
    "slot of token 13": 13 % 4,
    "slots after token 13": ring(14, 4),
    "reach of three layers": reach(3, 4),
    "share of the memory": (6 * 10_000 + 18 * 1_000) / (24 * 10_000),
}
AXES = (Axis("slot", ["0", "1", "2", "3"]),)
OTHERWISE = {
    "pairs": "Write the eight numbers of keys side by side and add them. The first query sees one key.",
    "slot of token 13": "A slot has a number from 0 to 3. Write the tokens into the slots in turn, token 0 first.",
    "slots after token 13": "The last four tokens are in the ring, and each is in slot p mod 4.",
    "reach of three layers": "Each layer adds as many tokens as its window has before the query's own.",
    "share of the memory": "Six layers keep 10,000 tokens and eighteen keep 1,000. Compare with 24 that keep 10,000.",
}
MOVED = "These are the right tokens, moved by one slot. Token 12 is in slot 0, because 12 = 3 · 4."
WRONG = {
    "pairs": {
        24: "You counted three keys for each query. The first query sees one key and the second sees two.",
        36: "These are all pairs without the window. From query 3 on, the oldest keys are hidden.",
        26: "You let each query look three tokens back. With its own key that makes four keys.",
        15: "That is a window of 2: one key for the first query and two for each other. A window of 3 has three keys.",
        13: "You left out the queries' own keys. The own key is one of the three.",
        34: "You counted keys on both sides. The window is causal, so no query sees a later key.",
    },
    "slot of token 13": {
        3: "Is that 13 divided by 4, rounded down? The slot is the remainder.",
        2: "Tokens and slots are both numbered from 0. Token 12 goes into slot 0, because 12 = 3 · 4.",
        0: "Token 12 goes into slot 0, because 12 = 3 · 4. Token 13 comes after it.",
    },
    "slots after token 13": {
        (10, 11, 12, 13): "The right tokens, in the order of the text. A ring keeps each in its slot, p mod 4.",
        (13, 12, 11, 10): "These are the right tokens, but each is in slot p mod 4. Token 12 is in slot 0.",
        **dict.fromkeys([(13, 10, 11, 12), (11, 12, 13, 10)], MOVED),
        (8, 9, 10, 11): "That is the ring after token 11. Tokens 12 and 13 have overwritten two of these.",
        (12, 9, 10, 11): "That is the ring after token 12. Token 13 overwrites one more.",
        (12, 13, 14, 15): "Tokens 14 and 15 have not been read yet. Their slots hold the tokens four before.",
        (0, 1, 2, 3): "These were there after token 3. Each later token overwrites the one four places before it.",
    },
    "reach of three layers": {
        12: "A window of 4 looks three tokens back, because its own key is one of the four.",
        3: "That is the reach of one layer. What layer 2 reads has itself looked back in layer 1.",
        4: "That is how many keys one layer sees. It looks three tokens back, and there are three layers.",
        10: "With the token itself it is 10. The question is how many tokens back.",
        **dict.fromkeys((64, 27, 81), "The reach adds up from layer to layer. It is not multiplied."),
    },
    "share of the memory": {
        0.25: "You counted only the six full layers. The windowed layers keep 1,000 tokens each.",
        0.1: "That is the share of one windowed layer. Six of the 24 layers keep everything.",
        0.775: "You exchanged the two kinds. Six layers keep 10,000 tokens, and eighteen keep 1,000.",
        0.075: "You counted only the windowed layers. Add the six that keep everything.",
        78_000: "That is the number of keys in all layers. Divide by that of 24 full layers, 240,000.",
        7.8: "That is how many full layers need as much memory. Divide by 24.",
        0.35: "This is 0.25 + 0.1, as if all 24 layers had windows beside the six. Only eighteen have one.",
        6 / 18: "The share is of 24 full layers, and the windowed layers need memory, too.",
        **dict.fromkeys((0.65, 0.1625), "Both models keep keys and values, so the factor of 2 cancels."),
        0.675: "That is the share that is saved. The question is what is still needed.",
    },
}
HINTS = [
    "Query 0 sees one key, query 1 two, and each later query three.",
    "13 = 3 · 4 + 1. Write the tokens 0, 1, 2, … into the slots in turn, and overwrite.",
    "A layer with a window of 4 looks three tokens back. Six layers keep 10,000 tokens and eighteen keep 1,000.",
]
ON_PASS = "The six full layers take most of the memory: 60,000 of 78,000 keys. Smaller windows would hardly save more."
