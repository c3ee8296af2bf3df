"""Buckets, slopes, turns and windows."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="trained_rows",
        chapter="t5_buckets",
        text="T5's encoder has 32 buckets. However long its texts, how many rows of the table ever learn?",
        options={
            "32": "Row 16 would be distance 0 in the future. The token itself has bucket 0 already.",
            "30": "Both last buckets do learn: everything far away falls into them.",
            "31": "Yes: all but row 16. Counting the future begins with row 17.",
            "16": "That is one direction: the past, with the token itself.",
        },
        answer="31",
    ),
    Question(
        name="saturated",
        chapter="t5_buckets",
        text="A T5 decoder, 32 buckets, `max_distance` 128. Which two distances are the same to it?",
        options={
            "14 and 15": "In a decoder all distances up to 15 have buckets of their own.",
            "112 and 113": "Here the last bucket begins.",
            "113 and 500": "Yes. The last bucket begins well before `max_distance` and has no end.",
            "None below 128": "Far buckets hold several distances, and 128 is where one bucket more would begin.",
        },
        answer="113 and 500",
    ),
    Question(
        name="unscaled",
        chapter="t5_buckets",
        text="T5 does not divide by √d_k. Why do its first scores not explode?",
        options={
            "W_q starts smaller, by √d_k": "Yes: the same size in another place. So weights and scaling must come from the same model.",
            "The softmax takes a common factor away": "A common summand. A factor decides how sharp the weights are.",
            "The learned bias keeps them small": "It is added, the same for all contents, and shrinks no product.",
        },
        answer="W_q starts smaller, by √d_k",
    ),
    Question(
        name="cross",
        chapter="t5_buckets",
        text="Between encoder and decoder of a T5 somebody permutes the encoder's output vectors. What does the "
        "decoder's cross-attention return?",
        options={
            "Other numbers: each vector is in another bucket now": "There are no buckets here. T5 gives an offset between two texts no number.",
            "Its rows in another order": "Rows belong to the decoder's tokens, and these stayed.",
            "What it returned before": "Yes: no bias, no mask, so no order. Which word stood where is inside the vectors.",
        },
        answer="What it returned before",
    ),
    Question(
        name="steepest",
        chapter="alibi",
        text="ALiBi with 12 heads, slopes as the authors' code has them. Which head, counted from 1, looks least far?",
        options={
            "Head 9": "Yes: 0.71, the first of those taken from 16 heads. The first eight begin at 1/2.",
            "Head 1": "By the plain formula it would. Here its slope is 1/2.",
            "Head 8": "It looks farthest: its slope is 1/256.",
            "Head 12": "Its slope is 0.09. These slopes do not fall from first to last.",
        },
        answer="Head 9",
    ),
    Question(
        name="convert",
        chapter="rope",
        text="You convert a RoPE checkpoint from interleaved to half-split pairs. What do you put in another order?",
        options={
            "The rows of W_q and W_k, over all heads at once": "Then a head gets channels that were trained in other heads.",
            "The rows of W_q, W_k and W_v, head by head": "Values are not turned. W_v's rows must stay where the output projection expects them.",
            "The rows of W_q, head by head": "A score multiplies channel by channel: keys need the same order.",
            "The rows of W_q and W_k, head by head": "Yes. The order of channels does not change a product, as long as both sides share it.",
        },
        answer="The rows of W_q and W_k, head by head",
    ),
    Question(
        name="interpolation",
        chapter="rope",
        text="A RoPE model trained on 2,048 tokens reads 8,192, with all positions divided by 4 and no further "
        "training. What does it find harder now?",
        options={
            "The end of the text: angles beyond the trained range": "The largest angle is what it was, but for less than a thousandth. That is the point of dividing.",
            "To tell neighbours apart": "Yes: a step turns each pair by a quarter of the angle. So one trains on for a while.",
            "Nothing: offsets stay offsets": "The score still depends on the offset alone, but offset 4 looks now as 1 did.",
        },
        answer="To tell neighbours apart",
    ),
    Question(
        name="window_table",
        chapter="two_dimensions",
        text="Swin, windows of 7 × 7 patches, 4 heads. How many numbers does the bias table of a layer hold?",
        options={
            "196": "A number per patch and head. The table is about pairs, by their two offsets.",
            "676": "Yes: 13 offsets per axis, 13² pairs of them, 4 heads.",
            "9,604": "A number per pair of patches. Pairs with the same two offsets share one.",
            "104": "One number per row offset and one per column offset. The table has one for each combination.",
        },
        answer="676",
    ),
    Question(
        name="masked_windows",
        chapter="two_dimensions",
        text="16 × 16 patches, windows of 4 × 4, shifted by 2. In how many of the 16 windows does the mask hide "
        "anything?",
        options={
            "7": "Yes: a row and a column of windows lie on a seam, and one window lies on both.",
            "16": "Most windows hold true neighbours, moved together.",
            "1": "Only one lies on both seams. One seam is enough to need the mask.",
            "8": "Four and four, but the corner window was counted twice.",
        },
        answer="7",
    ),
)
