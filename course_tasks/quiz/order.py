"""Order, and a number per offset."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="sign",
        chapter="start_here",
        text="A decoder of a single layer has a table with a bias for each negative offset and 0 for all others. It is given "
        "i − j instead of j − i. What does its last token still know?",
        options={
            "The order of the words, mirrored": "The table has no numbers for positive offsets, so nothing is mirrored.",
            "Which words came before, without their order": "Yes. Every visible key gets the bias 0. In more layers the mask would tell a little.",
            "Itself alone": "The mask is what it was: all earlier keys are visible.",
        },
        answer="Which words came before, without their order",
    ),
    Question(
        name="keys_shuffled",
        chapter="blind_to_distance",
        text="Attention without positions or mask. You permute the keys, each with its value, and leave the queries. "
        "What becomes of the output?",
        options={
            "Its rows are permuted in the same way": "Rows belong to queries, and these stayed where they were.",
            "Every row changes": "A row is a weighted sum over keys. The order of the terms does not change a sum.",
            "It stays as it is": "Yes. Shuffle the queries as well, and the rows follow them: that is equivariance.",
        },
        answer="It stays as it is",
    ),
    Question(
        name="unseen_pairs",
        chapter="absolute_positions",
        text="Trained on 100 tokens with a vector per absolute position, run on 300. Which share of the pairs of "
        "positions is new?",
        options={
            "67 %": "That is the share of new positions. A pair is new as soon as one of its two positions is.",
            "89 %": "Yes: all but 100² of 300² pairs.",
            "45 %": "This is the share of pairs with a new offset. It counts for a relative scheme without clipping.",
            "None, if the table has 300 rows": "Then the rows exist. No text has trained the later 200.",
        },
        answer="89 %",
    ),
    Question(
        name="one_word",
        chapter="absolute_positions",
        text="A text is one word, fifty times. Three causal layers have a steep relative bias and no other position. "
        "Which tokens can tell where they stand?",
        options={
            "None": "Yes. Whatever the weights are, an average of equal values is that value.",
            "The first, since it sees only itself": "It does, and what it sees is the word that all others see.",
            "All: each sees one key more than the last": "The number of keys leaves no trace in an average of equal values.",
        },
        answer="None",
    ),
    Question(
        name="no_mask",
        chapter="bias_by_hand",
        text="A colleague drops the causal mask and makes the log decay steep, “so that the future fades out”. "
        "How do the penalties of a token's two neighbours compare?",
        options={
            "The one after pays more": "For that the bias would have to ask for the sign of j − i. It asks for |j − i|.",
            "Neither pays: only far keys do": "At distance 1 the penalty is λ log 2. Only the token itself pays nothing.",
            "Both pay the same": "Yes: |j − i| is 1 for both. However steep, distance is not direction.",
        },
        answer="Both pay the same",
    ),
    Question(
        name="cancels",
        chapter="bias_by_hand",
        text="Which of these can you do to the scores without moving a single weight?",
        options={
            "Add a number to each key, the same for all queries": "It is constant down a column. Within a row it favours some keys.",
            "Add a number to each offset": "That is a relative bias: within a row every key has another offset.",
            "Multiply all of them by 2": "The softmax cancels what is added to a row. A factor makes it sharper.",
            "Add a number to each query, the same for all keys": "Yes: it multiplies every exponential of the row alike, and their sum too.",
        },
        answer="Add a number to each query, the same for all keys",
    ),
)
