"""What came after 2021: RoPE stretched and on two axes, windows, sinks, FIRE and FoX, and what a level loss shows."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="closed_pairs",
        chapter="stretching_rope",
        text="A head of 16 channels rotates with base 10,000 and was trained on 1,024 tokens. How many of its eight pairs "
        "meet no new angle in longer texts?",
        options={
            "None: every later position is new": "The position is new. But a pair that has made a whole turn points where it has pointed before.",
            "3": "That many made less than a whole turn. These are the pairs that do meet new angles.",
            "5": "Yes: the fifth pair still makes 1.6 turns in 1,024 tokens, and the sixth only half a turn.",
            "8: angles repeat": "An angle repeats after a whole turn, and the slowest pairs never got that far.",
        },
        answer="5",
    ),
    Question(
        name="cached_angles",
        chapter="stretching_rope",
        text="A decoder writes with dynamic NTK, past its training length. Its cache holds each key as it was rotated on "
        "arrival. Which scores of the newest query are wrong?",
        options={
            "None: a key stays at its position": "Its position stays, but its speeds do not: dynamic NTK lowers them with every token.",
            "Those with earlier keys, position 0 aside": "Yes: they were rotated at the speeds of a shorter text, so the cache must keep them unrotated. At position 0 all angles are 0.",
            "Only that with its own key": "Query and key of the newest token are rotated at the same speeds, so this score is right.",
        },
        answer="Those with earlier keys, position 0 aside",
    ),
    Question(
        name="same_offset",
        chapter="two_dimensions",
        text="A picture has ten patches a row, numbered line by line, and the layer uses axial RoPE. If contents are equal, "
        "which pair has the same score as 12 → 23?",
        options={
            "19 → 30": "The list offset is 11 again, but this pair leads two rows down and nine columns to the left.",
            "23 → 12": "The distance is the same in the other direction, and RoPE tells directions apart.",
            "12 → 21": "That is one down and one to the left. Each axis has its own pairs, and the column's sign differs.",
            "45 → 56": "Yes: both lead one row down and one column to the right.",
        },
        answer="45 → 56",
    ),
    Question(
        name="after_picture",
        chapter="two_dimensions",
        text="M-RoPE numbers a text from 0: three words, a picture of 4 × 6 patches, then words again. Which position "
        "does the first word after the picture get?",
        options={
            "27": "That counts tokens. A picture takes fewer positions than it has patches.",
            "4": "All patches do share the time 3, but their rows and columns go on from there, up to 8.",
            "9": "Yes: the largest number so far is 8, that of the last column, and the word gets one more.",
            "7": "The rows end at 6. The columns are longer and end at 8.",
        },
        answer="9",
    ),
    Question(
        name="lead",
        chapter="windows_and_sinks",
        text="One of 64 keys scores 4 above all others, which are equal. By how much must it lead among 4,096 keys to keep "
        "its weight?",
        options={
            "About 8.2": "Yes: 4 + ln(4,095 / 63), because each of the other keys adds to the denominator.",
            "4: a softmax sees only differences": "It sees the difference to every key, and there are 65 times as many now. The weight falls to 0.01.",
            "256: there are 64 times as many keys": "Scores are exponents. To make up for a factor, add its logarithm.",
        },
        answer="About 8.2",
    ),
    Question(
        name="sink_share",
        chapter="windows_and_sinks",
        text="Three keys have the scores ln 1, ln 2 and ln 5. The head has a sink of its own, with the score ln 8. How "
        "much weight do the three keys get together?",
        options={
            "All of it: the weights of a row sum to 1": "They do only if the sink's weight is counted, and it has no value to bring.",
            "One half": "Yes: 1 + 2 + 5 is 8, and the sink adds another 8 to the denominator.",
            "Three quarters: three keys of four": "That would be so if all four scores were equal.",
            "A little less than all: a sink is a small correction": "A sink's score is learned. Here it is larger than that of any key.",
        },
        answer="One half",
    ),
    Question(
        name="renumbered",
        chapter="windows_and_sinks",
        text="A cache keeps the first 4 tokens and the last 12, and numbers them by their place in the cache. It has read "
        "1,000 tokens. At which offset does the newest query see the first one?",
        options={
            "−15": "Yes: of 16 places the newest token has place 15 and the first has place 0.",
            "−999": "That is the offset in the text. Training had no such offset, which is why the cache renumbers.",
            "−12": "The 12 recent tokens end at place 15. The 4 first ones have places of their own before them.",
            "0: it is pinned": "The first token keeps place 0. An offset counts from the query, which has another place.",
        },
        answer="−15",
    ),
    Question(
        name="far_value",
        chapter="windows_and_sinks",
        text="A model of two layers has windows of 64 tokens, and its loss in text stays level up to 1,024. Now a text gives "
        "each of eight keys one of eight values, and asks for a key 1,000 tokens later. How often is the answer right?",
        options={
            "About half of the time, as at 128 tokens": "At 128 tokens the value is within reach of the two layers. A level loss in text does not extend that.",
            "Nearly always: layers pass it on": "They can pass it on over 126 tokens at most, 63 for each layer.",
            "One time in eight, by chance": "Yes: 126 tokens are as far as the model reaches. Its loss in text was level because that text needs no more.",
        },
        answer="One time in eight, by chance",
    ),
    Question(
        name="level_masked",
        chapter="longer_than_training",
        text="Several schemes of the study were level in text from 128 to 1,024 tokens. Now all keys 128 or more back are "
        "masked in every layer. How many of these schemes lose more than 0.01 nats?",
        options={
            "All: that they were level shows that they use far keys": "A level loss shows that far keys do no harm. Whether they are used takes a second test, and it is this one.",
            "Those without a window": "ALiBi, T5 and FoX have no window in these models, and they lose nothing either.",
            "About half of them": "It is the same for all of them, whether they add a bias, rotate or forget.",
            "None": "Yes: none of them gained anything from its far keys, so none could lose it.",
        },
        answer="None",
    ),
    Question(
        name="halved_speeds",
        chapter="released_model",
        text="A head of a model with RoPE looks at the token before, whatever it is. Now every pair rotates at half its "
        "speed, and nothing else changes. Where does the head look?",
        options={
            "Still at the token before": "At distance 1 the pairs have now turned by only half the angle that it is tuned to.",
            "Two tokens back": "Yes: half the angle per token, so two tokens give the angle that it is tuned to. In "
            "the released model, five of the six best heads do this; head 22.1 stays at distance 1.",
            "At its own token": "At distance 0 no pair has turned at all, as before.",
        },
        answer="Two tokens back",
    ),
    Question(
        name="fire_row",
        chapter="which_one",
        text="FIRE turns ψ(distance) / ψ(max(i, L)) into a bias, with i the query's position. With L = 64, which two "
        "queries surely add the same number for the key ten back?",
        options={
            "Queries 100 and 200": "Past L the divisor grows with i, so ten back is a smaller share for query 200.",
            "Queries 30 and 60": "Yes: up to L both are divided by ψ(64), so only the distance counts.",
            "Queries 60 and 90": "Query 60 is divided by ψ(64) and query 90 by ψ(90).",
            "Any two: a bias has one number per offset": "That holds for T5 and ALiBi. FIRE's grid is not constant along its diagonals.",
        },
        answer="Queries 30 and 60",
    ),
    Question(
        name="constant_gate",
        chapter="which_one",
        text="In FoX every token has a gate f, and a key is penalised by the sum of −ln f over all later tokens up to the "
        "query. All gates are 1/2. Which ALiBi is that?",
        options={
            "The one with slope 1/2": "Each token adds −ln f to the penalty, not f. With f = 1/2 that is 0.69.",
            "The one with slope 2": "Each token divides weights by 2. A slope acts on scores, which are logarithms of weights.",
            "None: ALiBi does not look at contents": "A constant gate does not look at them either.",
            "The one with slope ln 2": "Yes: every token on the way adds the same −ln f, so the penalty is ln 2 times the distance.",
        },
        answer="The one with slope ln 2",
    ),
)
