"""The pictures for slides, which the table in docs/teaching.md lists.

The comment above a picture is the name of its file, which begins with its topic, and what it shows.
"""

import course_study as study
from course_kit import figures
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias
from course_tasks import comparison, guide, measured

# start_here-map: every scheme and where it enters, on one page
figures.map_of_schemes()

# bias_by_hand-bias: a bias, with every cell's calculation
figures.bias_heatmap(n=8)

# bias_by_hand-gain: which keys gain and which lose as λ grows
figures.attention_explorer(Q, K, query=2)

# bias_by_hand-trace: attention line by line, with all values
figures.trace(attention, Q, K, V, bias=decay_bias(5), tokens=TOKENS)

# absolute_positions-seen: which pairs of positions training has seen
figures.seen_pairs(train=128, test=256)

# vector_per_distance-block: the attention block, and where a scheme enters
figures.attention_block("Shaw")

# vector_per_distance-clip: offsets, clipped, and the table row of each
figures.clip_grid(6, clip=2)

# diagonals-skew: where each number of Huang's skew comes from
figures.provenance("skew", n=5)

# diagonals-general: the same for any queries and keys
figures.provenance("general", n_q=3, n_k=5, past=2)

# transformer_xl-shift: the relative shift with a memory
figures.provenance("shift", n=3, memory=2)

# t5_buckets-buckets: T5's buckets around a query
figures.bucket_explorer(query=10)

# alibi-slopes: slopes of 12 heads, by both formulas
figures.alibi_slopes(12)

# rope-turned: a query and a key, turned
figures.rope_rotation(query=2, key=4)

# rope-clocks: fast and slow pairs of channels as clocks
figures.rope_clocks((0, 1, 4, 44))

# two_dimensions-window: Swin's two offsets and its table
figures.window_index(3, query=4)

# two_dimensions-shifted: rolling, windows, mask
figures.shifted_windows(4, shift=2)

# fast_attention-decoding: the one new row of a decoder, scheme by scheme
figures.decoding_step()

# longer_than_training-curves: the loss beyond the training length, after 2,000 steps
figures.length_curves((128, 256, 512, 1024), study.curves(measured.study_rows()), trained=128)

# which_one-comparison: all schemes beside each other, each cell with how it was found
comparison.picture(comparison.table())

# which_one-guide: which schemes fit your case, with reasons
guide.picture()

# any-matrix: a matrix of yours, as a coloured table
figures.heatmap(decay_bias(5), alt="A bias of five tokens")
