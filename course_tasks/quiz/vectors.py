"""A vector per offset, and where it goes."""

from course_lib.figures.quiz import Question

QUESTIONS = (
    Question(
        name="shaw_parameters",
        chapter="vector_per_distance",
        text="Shaw's scheme in one layer: 4 heads with tables of their own, for keys and for values, clip 8, 16 "
        "channels each. How many numbers are learned?",
        options={
            "1,088": "That is the key side alone. The value table is as large.",
            "2,048": "That counts 16 offsets per table, without offset 0.",
            "544": "One head's share. Here no head shares with another.",
            "2,176": "Yes: (2 · 8 + 1) rows, 16 + 16 numbers in each, 4 heads. The length of the text does not enter.",
        },
        answer="2,176",
    ),
    Question(
        name="shaw_clip",
        chapter="vector_per_distance",
        text="Clip 4, texts of ten tokens. Which offsets have a vector all to themselves?",
        options={
            "−3 to 3": "Yes. The vector of ±4 means “four or more” and is shared with ±5 to ±9.",
            "−4 to 4": "All of these have a row. The outermost rows are shared.",
            "−9 to 9": "That is a table without clipping, for ten tokens.",
        },
        answer="−3 to 3",
    ),
    Question(
        name="adjoint",
        chapter="diagonals",
        text="x is a row of 2n − 1 numbers, one per offset. What is `from_grid(to_grid(x, n))`?",
        options={
            "x": "That would be an inverse. `from_grid` is the adjoint: it adds up every copy that was placed in the grid.",
            "x, each number times the number of cells of its diagonal": "Yes: n times for offset 0, once for each corner. A gradient is collected in this way.",
            "n · x": "Only offset 0 has n cells. The farther an offset, the shorter its diagonal.",
        },
        answer="x, each number times the number of cells of its diagonal",
    ),
    Question(
        name="junk",
        chapter="diagonals",
        text="Huang's causal skew on six tokens, no mask. How many of the 36 cells hold what does not belong there?",
        options={
            "21": "So many are right: those on and below the diagonal.",
            "10": "So many hold another query's product. Five more hold the zero of the padding.",
            "15": "Yes, all above the diagonal. A causal mask hides exactly these.",
            "None: the skew only reads memory in another way": "It does, and beyond the diagonal it reads on into the row of the next query.",
        },
        answer="15",
    ),
    Question(
        name="four_terms",
        chapter="transformer_xl",
        text="Transformer-XL scores with (a) q·k, (b) q·r, (c) u·k, (d) v·r. Another word takes the query's place; "
        "keys and distances stay. Which terms change?",
        options={
            "(a) alone": "In (b) the query judges the distance: another word, another judgement.",
            "(a) and (b)": "Yes. In (c) and (d) a learned vector stands in place of the query.",
            "(a) and (c)": "(c) says how interesting a key is to everybody: u asks, not the query.",
            "All four": "u and v are the same for all queries. They replaced the query's position.",
        },
        answer="(a) and (b)",
    ),
    Question(
        name="memory_gradients",
        chapter="transformer_xl",
        text="Segment 1 lies in Transformer-XL's memory, and the loss of segment 2 is propagated back. What learns from "
        "the remembered tokens?",
        options={
            "Nothing: the memory stops gradients": "It stops them at the remembered states. The keys and values made from these now belong to segment 2.",
            "The layer's weights, but nothing that made the remembered states": "Yes, W_k and W_v among them: keys and values of the old tokens are computed again, with the present weights.",
            "All that made them, back to the input of segment 1": "Then every segment ever read would have to be kept for the way back.",
        },
        answer="The layer's weights, but nothing that made the remembered states",
    ),
)
