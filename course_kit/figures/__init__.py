"""Pictures which live without a kernel, and the line tracer. Each is text/html with a static body inside.

from course_kit import figures
figures.attention_block("Shaw")              the steps of attention, and where the scheme enters
figures.heatmap(weights, alt="…")            a matrix as a coloured table
figures.bias_heatmap()                       a bias with sliders and every cell's calculation
figures.attention_explorer(Q, K)             who gains and who loses by a bias
figures.bucket_explorer()                    T5's buckets around a query, with every calculation
figures.alibi_slopes(12)                     ALiBi's slopes by both formulas, and the bias of every head by distance
figures.rope_rotation()                      RoPE: a query and a key as arrows, rotated by their positions
figures.rope_clocks((0, 1, 2, 3))            RoPE: a clock for each pair of channels, a hand for each position
figures.learned_table(head=6)                what each head of a released model adds to a score, by offset
figures.clip_grid(6, clip=2)                 Shaw's offsets, and which table row each cell takes
figures.decoding_step()                      the one new row of a decoder with a cache, scheme by scheme
figures.seen_pairs(train=128, test=256)      which pairs of positions training has seen; unseen_pairs counts them
figures.provenance("skew")                   where every cell of a skew comes from ("shift")
figures.window_index()                       Swin's two offsets, and which table row each key takes
figures.shifted_windows(4, shift=2)          Swin's shifted windows: roll, windows, mask
figures.trace(attention, Q, K, V)            a function line by line, with every value
figures.question("…?", options={…}, answer="…")
figures.claims(questions, "…", title="…")    sentences to judge, each with the code that decides it
figures.quiz(questions)                      many questions, how many are right, and the chapter of each
figures.show(fig, alt="…")                   a matplotlib figure
figures.map_of_schemes()                     the course on one page
figures.map_of_heads(scores, profiles)       a model's heads by what they do; click one, see its weight by distance
figures.pair_view(q, k, speeds, distances)   what each RoPE pair adds to one score, by distance; stop a pair
figures.position_curves(report.curves)       what position adds in each head of a released model, layer by layer
figures.gap_curve(report.gaps)               what a gap in the positions costs a model, in nats
figures.checkup_report(report)               a check-up of a model, with both
figures.play(bias_matrix, n=(3, 12))         your own function with sliders; the one picture that needs a kernel
figures.side_by_side(a, b)                   pictures in a row;  picture.save("slide.html")
"""

from ..display.picture import Picture, side_by_side
from .alibi_slopes import alibi_slopes
from .attention_block import attention_block
from .bias import attention_explorer, bias_heatmap
from .bucket_explorer import bucket_explorer
from .checkup import checkup_report, gap_curve, position_curves
from .clip_grid import clip_grid
from .decoding_step import decoding_step
from .heatmap import heatmap
from .learned_table import learned_table
from .map_of_heads import map_of_heads
from .map_of_schemes import map_of_schemes
from .pair_view import pair_view
from .play import play
from .plot import show
from .provenance import provenance
from .question import claims, question, quiz
from .rope import rope_clocks, rope_rotation
from .seen_pairs import seen_pairs, unseen_pairs
from .swin import shifted_windows, window_index
from .tracer import trace
