"""The rules of the guide, to be read and to be changed: question → answer → what it means for each scheme, and why.

    # a question
    ## one of its answers
    ✓ schemes: why they fit. [the topics of the chapters that back it]
    ~ schemes: why they are possible, with a caveat. [small models: the topics]
    ✗ others: why all schemes that no line above names are ruled out. […]

A long line continues in indented lines, and a line in capital letters is one of SHARED. An answer without rules leaves
every scheme as it is; every other answer says something about every scheme. {Names} are facts of the committed runs.

Before the topics comes the ground of the verdict: a released model, a paper, or small models. Without a word it is
computed: it follows from how a scheme is made, or from what you have. Small models give a caveat at most; beside
another ground they are a remark. `tests/questions/test_guide.py` tests what the words say.
"""

from course_chapters.measured import BITS, COPY, NAMES, STUDY, TEXT, committed, repaired, right, rise

SHARED = {
    "BESIDE": "~ sink, log scale: It does not tell a head where a key is. Put it beside a scheme that does. "
    "[windows_and_sinks]",
    "ONE_AXIS": "✗ Swin, axial RoPE: It counts rows and columns. A text has one axis. [two_dimensions]",
    "UNTOUCHED": "✓ none, learned, sinusoidal, RoPE, axial RoPE, M-RoPE, log scale, stretched RoPE: Attention stays as "
    "it is: position enters before it, or not at all. [fast_attention]",
    "TRAINED": "✗ others: These weights were trained with another scheme. [which_one]",
}
RUNS = {task: {row["scheme"] for file in STUDY for row in committed(file) if row["task"] == task}
        for task in (TEXT, COPY, BITS, NAMES)}  # fmt: skip
FACTS = {
    "lost": {run: rise(run) for run in RUNS[TEXT]},  # nats, from 128 tokens to 1,024
    "copied": {run: right(run, COPY) for run in RUNS[COPY]},  # the share at each test length
    "read": {run: right(run, BITS) for run in RUNS[BITS]},
    "found": {run: right(run, NAMES) for run in RUNS[NAMES]},
    "before": repaired("as trained"),
    "yarn": repaired("YaRN's code", further=60, at=1024),
}

RULES = """
# What is attended?
## text, read both ways
✗ none: Without a mask it is blind to order: permute the words, and the outputs are permuted alike.
  [blind_to_distance]
~ learned, sinusoidal: Move a phrase to another place in the text, and its scores change. [absolute_positions]
~ log decay, FIRE: At equal distance, a key before and a key after get the same number. [bias_by_hand, which_one]
✓ Shaw: Before and after have vectors of their own. [vector_per_distance]
~ Music Transformer, Transformer-XL: The causal skew or shift leaves junk at keys after the query, and no mask hides
  it: take the general form. [diagonals, transformer_xl]
✓ T5 buckets: Half of the buckets are for each side. [t5_buckets]
~ ALiBi: It needs the form −m |i − j|, which is not in the paper and cannot tell before from after. [alibi]
✓ RoPE, stretched RoPE: Turns have a direction: a head can learn “the word before”. [rope]
✓ M-RoPE: In text it is RoPE, because all three positions count alike. [two_dimensions]
✓ sliding window: A window reaches to both sides, and the turns inside it have a direction. [windows_and_sinks]
~ hybrid: Without a mask, its layers without positions are blind to order. Only its windows tell it.
  [blind_to_distance, windows_and_sinks]
✗ FoX: It needs a causal mask: it lowers the keys before a query, so it would raise the keys after it. [which_one]
BESIDE
ONE_AXIS
## text, left to right
~ none: The causal mask tells a little. It came first on small reasoning tasks (Kazemnejad et al. 2023), last in our
  small models' short texts. [small models: blind_to_distance, longer_than_training]
~ learned, sinusoidal: Move a phrase to another place in the text, and its scores change. [absolute_positions]
✓ log decay, ALiBi, FIRE: It cannot tell before from after, and need not: the mask has removed “after”. [alibi,
  which_one]
✓ Shaw: Vectors for offsets ahead are never used. [vector_per_distance]
✓ Music Transformer: Its skew is made for a causal mask, which hides the junk. [diagonals]
✓ Transformer-XL: Its shift is made for a causal mask, which hides the junk. [transformer_xl]
✓ T5 buckets: All buckets serve the past: `bidirectional=False`. [t5_buckets]
✓ RoPE, stretched RoPE: Each key turns once, at its own position. [rope]
✓ M-RoPE: In text it is RoPE, because all three positions count alike. [two_dimensions]
✓ sliding window: Keys that are w or more back are never read again. [windows_and_sinks]
✓ hybrid: The windows tell order, and the layers without positions read the whole text. [windows_and_sinks]
✓ FoX: Made for a causal mask: what counts is how much each token in between forgets. [which_one]
BESIDE
ONE_AXIS
## text in segments, with a memory
~ none: The causal mask tells positions to a degree: how many keys a query sees, the memory's included.
  [blind_to_distance, transformer_xl]
✗ learned, sinusoidal: Each segment counts from 0, so token t of every segment looks alike. [transformer_xl]
✓ log decay, Shaw, T5 buckets, ALiBi, RoPE, stretched RoPE, sliding window, hybrid: Only offsets count: queries come
  at `past + i`, behind the memory. [transformer_xl]
~ Music Transformer: Its table must reach from the last query to the oldest memory. [diagonals]
✓ Transformer-XL: Made for it. [transformer_xl]
~ M-RoPE: The memory must keep the three positions of its tokens, too. [two_dimensions]
✓ FoX: The memory's gates are computed again, as its keys are. A bias is a difference of sums, so they may begin
  anywhere. [transformer_xl, which_one]
~ FIRE: It needs the query's place in the whole text, but a memory counts from its oldest token. [transformer_xl,
  which_one]
BESIDE
ONE_AXIS
## an image, in windows
~ none: A window alone is blind to places. In Swin's own comparison (table 4), the table of offsets adds 1.2 points.
  [Liu et al. 2021: two_dimensions]
~ learned: In Swin's own comparison (table 4), the table of offsets does better by 0.8 points.
  [Liu et al. 2021: two_dimensions]
~ sinusoidal: It counts along the list of patches, where the patch below is far. [two_dimensions]
✗ log decay, T5 buckets, ALiBi, FIRE, sliding window, hybrid: It counts the distance along the list of patches, where
  the patch below is far. [two_dimensions]
~ Shaw, Music Transformer, Transformer-XL, RoPE, stretched RoPE: One offset mixes “right neighbour” with “one down, W
  − 1 left”, unless patches are numbered row · (2W − 1) + column. [two_dimensions]
✓ Swin: Made for it; shifted windows cross the borders. [two_dimensions]
✓ axial RoPE, M-RoPE: Row and column each turn their own pairs of channels. [two_dimensions]
✗ FoX: It needs a causal mask, and patches have no order. [which_one]
BESIDE

# How long are the texts (or windows)?
## as in training
## longer than in training
~ none: Only more keys are new, but they take weight: small models lost {lost[none]:.2f} nats in text.
  [small models: longer_than_training]
✗ learned: No text has trained the rows past the training length, and the table ends. [absolute_positions]
~ sinusoidal: Positions never seen: small models lost {lost[sinusoidal]:.2f} nats in text.
  [small models: longer_than_training]
~ log decay: Its formula continues, but up to strength 1 far keys take more and more weight. [bias_by_hand]
~ Shaw, T5 buckets: Far offsets share what was trained, if training reached the clip or the last bucket. But more and
  more keys share it, and this course knows no released model that shows how far this goes. [longer_than_training]
✗ Music Transformer: For offsets past the training length it has no vector, or one that no text has trained.
  [absolute_positions, diagonals]
~ Transformer-XL: Distances never seen, through a learned map of sines. Its authors clip them when they evaluate
  (`clamp_len`). [Dai et al. 2019: longer_than_training]
~ ALiBi: Its line continues, and the loss stayed level to six times the length. But it acts like a window: the far text
  is hardly used. [Press et al. 2022: alibi, longer_than_training]
~ RoPE: Its slow pairs meet angles never seen. SmolLM2 breaks past 8,192 tokens: stretch it.
  [SmolLM2: rope, longer_than_training]
✓ stretched RoPE: So do today's models, after training on long texts. It may harm short ones: with YaRN's code, small
  models went from {before[0]:.2f} to {yarn[0]:.2f} nats at 128 tokens.
  [Llama 3.1, gpt-oss, DeepSeek-V3: longer_than_training, stretching_rope]
~ axial RoPE, M-RoPE: As with RoPE, more rows and columns bring angles never seen. [two_dimensions, stretching_rope]
~ Swin: With the same window, a larger image keeps the table. A larger window needs a larger table: stretch it to sample
  the same scene more finely, keep each number to show more of the scene. [two_dimensions]
✓ sliding window: No query meets a new distance, if the model was trained with the window. Farther keys are not seen.
  [windows_and_sinks]
✓ hybrid: Its windows meet no new distance, its other layers no new angle, only more keys. Its authors read texts longer
  than any in training. [Yang et al. 2025, Llama 4: windows_and_sinks]
~ sink: Beside a window it can take the place of the first token, if training makes use of it. [windows_and_sinks]
~ log scale: It keeps the weight of a key that leads while more keys come. The course has not trained it.
  [windows_and_sinks]
~ FoX: Only its sums grow. Its authors report that it extrapolates in length. Their models are for research, and this
  course has not tested them. [Lin et al. 2025: which_one]
~ FIRE: No share of an earlier key exceeds 1, but in a text longer than its threshold a near key gets smaller shares
  than in training. [which_one]

# What must a token find?
## nothing special
## an exact distance: “three back”
~ none: The mask alone tells little: small models got {copied[none][0]:.0%} of the copies right.
  [small models: longer_than_training]
✓ learned, sinusoidal: A head can match place p with place p − 3, within the training length. [absolute_positions]
✓ RoPE: A head turns its queries back by three places. [rope]
~ log decay, ALiBi, FoX: The bias gives the nearest key at least as much as the third, so content must make up for it.
  (Small models learned to: ALiBi {copied[alibi][3]:.0%} right at 1,024 tokens, FoX {copied[fox][3]:.0%}.)
  [alibi, longer_than_training, which_one]
✓ Shaw, Music Transformer, Transformer-XL: Each distance has its vector, Shaw's up to the clip. [vector_per_distance,
  diagonals, transformer_xl]
✓ T5 buckets: Distances up to 15 (7 in an encoder) have a bucket of their own. [t5_buckets]
✓ sliding window, hybrid: The windows have RoPE, if the distance lies inside. [rope, windows_and_sinks]
~ stretched RoPE: Some rules slow the fast pairs too. Small models copied without error after YaRN's code, and not
  after interpolation. [small models: longer_than_training, stretching_rope]
✓ Swin: Each pair of offsets has its number. [two_dimensions]
✓ axial RoPE, M-RoPE: Each pair of offsets has its turns. [two_dimensions]
~ FIRE: Its network can give any distance a number, but later in a text the same distance has another one.
  [which_one]
BESIDE
## the nearest of a kind: “the last write”
~ none, learned, sinusoidal: Nothing makes scores fall with distance: small models got {read[none][0]:.0%},
  {read[learned][0]:.0%} and {read[sinusoidal][0]:.0%} of the reads right. [small models: longer_than_training]
~ log decay, ALiBi: It falls with distance, so the nearest write wins. But a far write must beat all that is nearer:
  small models got {read[alibi][3]:.0%} (ALiBi) at 1,024 tokens. [alibi, longer_than_training]
~ Shaw, T5 buckets: Among writes beyond the clip or the last bucket none is nearer. [vector_per_distance, t5_buckets]
~ Music Transformer, Transformer-XL, FIRE: It can learn to fall with distance, as far as it was trained. [diagonals,
  transformer_xl, which_one]
~ RoPE, stretched RoPE, axial RoPE, M-RoPE: Turns can favour near keys, but no sum of cosines falls for ever. [rope]
~ sliding window, hybrid: The windows have RoPE. Farther back a write is not seen, or has no distance.
  [windows_and_sinks]
✓ FoX: A write can close its gate on all writes before it, and the others leave theirs open. (Small models got
  {read[fox][3]:.0%} right at 1,024 tokens.) [longer_than_training, which_one]
BESIDE
✗ Swin: No number of the table reaches across the border of a window. [two_dimensions]
## something said far back, by its content
✓ none: All keys count alike, near or far. [blind_to_distance]
✓ learned, sinusoidal: Position need not count, within the training length. [absolute_positions]
~ log decay, ALiBi: The far key's penalty grows without end: at 1,024 tokens, small models found {found[alibi][3]:.0%}
  of the far names with ALiBi, and {found[log-1][3]:.0%} with a log decay of strength 1. [alibi, longer_than_training]
✓ Shaw, T5 buckets: All far keys share one vector or number. (Small models found {found[shaw-32][3]:.0%} and
  {found[t5-64][3]:.0%} at 1,024 tokens.) [vector_per_distance, t5_buckets, longer_than_training]
~ Music Transformer: Only as far as its table goes. [diagonals]
~ Transformer-XL, FIRE: It may learn about the same score for all far keys, but nothing in training forces it to.
  [transformer_xl, which_one]
✓ RoPE: Within the configured length. In 8,000 tokens, SmolLM2 finds a key in the middle, and misses one near the
  beginning. [SmolLM2: longer_than_training]
✓ stretched RoPE: In 12,000 tokens, SmolLM2 finds a key near the beginning with NTK in both texts, as released in none.
  [SmolLM2: longer_than_training, stretching_rope]
~ axial RoPE, M-RoPE: As RoPE, within the rows and columns of training. [two_dimensions]
~ sliding window: A layer sees w keys, so N layers reach back at most N · (w − 1) tokens. [windows_and_sinks]
✓ hybrid: Its layers without positions see every key, near or far. (Small models found {found[window-64+none][3]:.0%} at
  1,024 tokens.) [Yang et al. 2025: longer_than_training, windows_and_sinks]
~ FoX: Every gate in between must stay near 1: small models found {found[fox][3]:.0%} at 1,024 tokens.
  [longer_than_training, which_one]
BESIDE
✗ Swin: No number of the table reaches across the border of a window. [two_dimensions]

# Which weights does it start from?
## new ones
## Llama 3, Mistral 7B v0.3, SmolLM2
✓ RoPE: The scheme is given. Hugging Face's files take half-split pairs of channels, Meta's own interleaved ones.
  [Llama 3: rope]
✓ stretched RoPE: From Llama 3.1 on, the rule is in `config.json`: from 8,192 tokens by 8, in 3.2's 1B and 3B by 32.
  Load it, and test a long text. Elsewhere it is a repair, to be tested. [Llama 3.1: stretching_rope]
~ sliding window: A window that training did not have needs the first token. [SmolLM2: windows_and_sinks]
~ M-RoPE: In text it is RoPE, so these weights fit. About pictures they have learned nothing. [two_dimensions]
TRAINED
## Qwen 3
✓ RoPE: The scheme is given, up to 32,768 tokens in the first release, 262,144 in the 2507 models. [Qwen 3: rope]
~ stretched RoPE: Switch YaRN on, with a factor of up to 4, for long texts only: it may harm short ones.
  [Qwen 3: stretching_rope]
TRAINED
## gpt-oss
✓ stretched RoPE, sliding window, sink: The schemes are given: YaRN by 32 from 4,096 tokens, windows of 128 in every
  second layer, a learned sink in each head. Read `truncate`. Use ring caches, and a kernel that returns the
  log-sum-exp.
  [gpt-oss: stretching_rope, windows_and_sinks]
TRAINED
## Gemma 3
✓ stretched RoPE, sliding window: The schemes are given: from 4B on, five layers with windows of 1,024 and base 10,000,
  then one with base 1,000,000, slowed by 8. Keep two sets of speeds.
  [Gemma 3: stretching_rope, windows_and_sinks]
TRAINED
## DeepSeek-V3
✓ stretched RoPE: The scheme is given: YaRN by 40 from 4,096 tokens, on 64 channels beside 128 without positions. Cache
  512 numbers per token for all heads, and one rotated key. [DeepSeek-V3: rope, stretching_rope]
TRAINED
## T5
✓ T5 buckets: The scheme is given: 32 buckets, one table for a whole stack, offsets key − query. Do not scale the
  scores. [T5: t5_buckets]
TRAINED
## BERT, ViT
✓ learned: The scheme is given. The table ends; ViT's is a grid, which can be resized. [BERT, ViT: absolute_positions]
TRAINED
## BLOOM, MPT
✓ ALiBi: The scheme is given. Take the authors' slopes if the number of heads is not a power of two. Those of
  MPT-7B-StoryWriter end at 2^−16, which `transformers` does not do. [BLOOM: alibi]
TRAINED
## Swin
✓ Swin: The scheme is given. Its code counts query − key: the table is read backwards here. [Swin: two_dimensions]
TRAINED
## Qwen2.5-VL, Qwen3-VL
✓ M-RoPE: The scheme is given. Pairs go to time, row and column in blocks, in Qwen3-VL in turn.
  [Qwen2-VL, Qwen3-VL: two_dimensions]
TRAINED

# How is it computed?
## any way
## FlexAttention
UNTOUCHED
✓ log decay, Music Transformer, Transformer-XL, T5 buckets, ALiBi, FoX, FIRE: It changes scores, which is what a
  `score_mod` does. (On a CPU: an error if queries, keys or values need a gradient.) [fast_attention]
✓ sliding window, hybrid: A `BlockMask` leaves out the tiles that no query of a window sees. [fast_attention,
  windows_and_sinks]
~ Shaw: Keys only: value vectors are out of its reach. [fast_attention]
✓ sink: It multiplies the output by σ(lse − a), and FlexAttention returns the lse. (Compiled on a CPU: no lse.)
  [windows_and_sinks]
~ Swin: A `score_mod` may look into a table; the course did not try this one. [two_dimensions, fast_attention]
## fused SDPA, in training
UNTOUCHED
✓ log decay, ALiBi, sliding window, hybrid: A bias that does not learn is a mask. The fused CPU kernel takes it with
  two or four axes. [fast_attention]
~ Shaw, Music Transformer, Transformer-XL, T5 buckets: A mask that learns: on a CPU, SDPA falls back to the formula;
  on a GPU, one kernel returns its n × n gradient. `RelativeAttention` needs neither. [fast_attention]
✓ FoX: Its number per key goes into one more channel: 1/scale in each query, −c_j in each key. [fast_attention,
  which_one]
✓ sink: One more key with value 0, and its score in one more channel: 1/scale in each query, a in that key.
  [fast_attention, windows_and_sinks]
~ FIRE: A mask that learns: on a CPU, SDPA falls back to the formula. Its grid is not a view of a row.
  [fast_attention, which_one]
~ Swin: On a CPU, a mask that learns sends SDPA back to the formula. The grid of a window is W² × W².
  [two_dimensions, fast_attention]
## a flash kernel without a bias
UNTOUCHED
✗ log decay, Shaw, Music Transformer, Transformer-XL, T5 buckets, Swin, FIRE: It adds to the scores, and torch's
  flash kernel for GPUs has no place for that. [fast_attention]
~ ALiBi: Only if causal: m · j as one more channel (1/scale in each query, m · j in each key), rounded by bfloat16.
  flash-attn takes `alibi_slopes`. [alibi, fast_attention]
~ FoX: Its number per key as one more channel: 1/scale in each query, −c_j in each key, rounded by bfloat16.
  [fast_attention, which_one]
~ sink: As one more key with value 0 and one more channel: 1/scale in each query, a in that key. [fast_attention,
  windows_and_sinks]
~ sliding window, hybrid: SDPA's flash kernel has no window; torch's `varlen_attn` and flash-attn take `window_size`.
  [fast_attention, windows_and_sinks]
## token by token, with a cache
✓ none: There is nothing to do. [fast_attention]
~ learned: The new token takes row `past`, until the table ends. [absolute_positions]
✓ sinusoidal: The new token takes the sines of position `past`. [absolute_positions]
✓ log decay, T5 buckets, ALiBi: The new row is the end of one long row, made once. [fast_attention]
✓ Shaw: The new query meets the few vectors of the table. [fast_attention]
~ Music Transformer: The new query meets a vector per offset, until the table ends. [diagonals, fast_attention]
✓ Transformer-XL: The new query meets a vector per distance. (Its own memory is not a cache: it recomputes the keys.)
  [transformer_xl, fast_attention]
✓ RoPE: The new query and key turn by `past`; keys in the cache are turned already. [rope, fast_attention]
~ stretched RoPE: As RoPE. But with speeds that depend on the length read so far, keep the keys unturned.
  [stretching_rope]
~ axial RoPE, M-RoPE: As RoPE, but a token's positions are not its place in the text: keep the difference.
  [two_dimensions]
✓ sliding window: A ring of w slots holds every key that is still seen. [windows_and_sinks]
~ hybrid: A ring of w slots for each window; the other layers keep the whole text. [windows_and_sinks]
✓ sink: The same number in every step. [windows_and_sinks]
✓ log scale: Only the new query is scaled, by its position. [windows_and_sinks]
✓ FoX: Beside each key the cache keeps its sum of log gates, a number per head. [which_one]
~ FIRE: Past its threshold the network computes a whole new row in each step, because all shares change. [which_one]
✗ Swin: A window is attended whole: no token comes after another. [two_dimensions]
"""
