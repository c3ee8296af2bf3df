"""The rules of the guide, to be read and to be changed: question → answer → what it means for each scheme, and why.

    # a question
    ## one of its answers
    ✓ schemes: why they fit. [the topics of the chapters that back it]
    ~ schemes: why they are possible, with a caveat. […]
    ✗ others: why all schemes that no line above names are ruled out. […]

A line goes on in indented lines, and a line in capital letters is one of SHARED. An answer without rules speaks for no
scheme and against none; every other answer says something about every scheme. {Names} are facts of the committed runs.
No measurement rules a scheme out. A scheme fits longer texts if small models stayed level in text, at every learning
rate that was tried. `tests/questions/test_guide.py` tests what the words say.
"""

import numpy as np

from course_tasks.measured import BITS, COPY, TEXT, committed, losses, repaired, right, rise

SHARED = {
    "BESIDE": "~ sink, log scale: It does not tell a head where a key is. Put it beside a scheme that does. "
    "[windows_and_sinks]",
    "ONE_AXIS": "✗ Swin, axial RoPE: It counts rows and columns. A text has one axis. [two_dimensions]",
    "UNTOUCHED": "✓ none, learned, sinusoidal, RoPE, axial RoPE, M-RoPE, log scale, stretched RoPE: Attention stays as "
    "it is: position enters before it, or not at all. [fast_attention]",
}


def place_where_rope_breaks() -> int:
    """The first place from which the loss lies half a nat above that of the last places within the training length."""
    parts, settings = losses("rope", TEXT, what="by_position").mean(axis=0), committed()[0]["settings"]
    size = settings["tests"][-1] // len(parts)
    trained = settings["length"] // size
    return size * (trained + int(np.argmax(parts[trained:] > parts[trained - 1] + 0.5)))


RUNS = {task: {row["scheme"] for row in committed() if row["task"] == task} for task in (TEXT, COPY, BITS)}
FACTS = {
    "lost": {run: rise(run, TEXT) for run in RUNS[TEXT]},
    "copied": {run: right(run, COPY) for run in RUNS[COPY]},  # the share at each test length
    "read": {run: right(run, BITS) for run in RUNS[BITS]},
    "reads": sorted(right(run, BITS)[0] for run in ("none", "learned", "sinusoidal")),
    "shaw": sorted(losses("shaw-32", BITS, what="accuracy")[:, -1]),
    "chance_copy": 1 / 16,
    "chance_read": 1 / 2,
    "fire_seeds": len(losses("fire", TEXT)),
    "rope_breaks": place_where_rope_breaks(),
    "before": repaired("as trained"),
    "repaired": repaired("YaRN's code"),
    "window": repaired("window"),
    "yarn": repaired("YaRN's code", further=60, at=1024),
    "control": repaired("as trained", further=60, at=1024),
}

RULES = """
# What is attended?
## text, read both ways
✗ none: Without a mask it is blind to order: permute the words, and the outputs are permuted alike.
  [blind_to_distance]
~ learned, sinusoidal: Move a phrase to another place in the text, and its scores change. [absolute_positions]
~ log decay, FIRE: It is symmetric: it cannot tell before from after. [bias_by_hand, which_one]
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
~ none: The causal mask tells a little. Alone it came first on small reasoning tasks (Kazemnejad et al. 2023); small
  models here were last in text and copying. [blind_to_distance, longer_than_training]
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
~ none: A window alone is blind to places. Windows that shift tell a little: in Swin's own ablation (table 4), the
  table of offsets adds 1.2 points. [two_dimensions]
~ learned: Possible: in Swin's own ablation (table 4), the table of offsets does better by 0.8 points.
  [two_dimensions]
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
~ none: Small models lost {lost[none]:.2f} nats in text, the worst from the start, and ended worse than guessing in
  copying. [longer_than_training]
✗ learned: No text has trained the rows past the training length, and the table ends. [absolute_positions]
~ sinusoidal: Positions never seen: small models broke in text, with larger embeddings too, and ended worse than
  guessing in copying. [longer_than_training]
~ log decay: Up to strength 1, far keys take more and more weight: small models lost {lost[log-1]:.2f} nats in text at
  strength 1. [bias_by_hand, longer_than_training]
~ Shaw: Far offsets share a trained vector: small models lost {lost[shaw-32]:.2f} nats in text, and went on copying.
  [longer_than_training]
✗ Music Transformer: For offsets past the training length it has no vector, or one that no text has trained.
  [absolute_positions, diagonals]
✓ Transformer-XL: Small models stayed level in text, copying and flip-flop. The authors promise it (Dai et al. 2019):
  test yours. [longer_than_training]
~ T5 buckets: Keep `max_distance` inside the training length, and let the table learn fast: small models then stayed
  level in text, otherwise they broke. [longer_than_training]
✓ ALiBi: Small models stayed level in text, copying and flip-flop. Level does not mean that the long text is used.
  [longer_than_training]
~ RoPE: It meets angles never seen: small models trained at 128 broke from place {rope_breaks} on. Stretch it. [rope,
  longer_than_training]
~ stretched RoPE: With YaRN's code and 60 long-text steps, small models had {yarn[3]:.2f} nats at 1,024 tokens; the
  steps alone gave {control[3]:.2f}. At 128, the loss rose from {before[0]:.2f} to {yarn[0]:.2f}.
  [longer_than_training, stretching_rope]
~ axial RoPE, M-RoPE: As with RoPE, more rows and columns bring angles never seen. [two_dimensions, stretching_rope]
~ Swin: The table must grow: stretch it for finer patches, keep each number for a larger image. [two_dimensions]
✓ sliding window: No query meets a new distance: small models stayed level in text, copying and flip-flop. Farther
  keys are not seen. [longer_than_training, windows_and_sinks]
✓ hybrid: Small models stayed level in text and copying, after 2,000 steps; after 4,000 their loss in text rises a
  little. With RoPE but without its window they broke. [longer_than_training, windows_and_sinks]
~ sink: Beside a window it can take the place of the first token, if training makes use of it. [windows_and_sinks]
~ log scale: It keeps the weight of a key that leads while more keys come. The course has not trained it.
  [windows_and_sinks]
✓ FoX: Each token lowers the weight of all keys before it: small models stayed level in text, copying and flip-flop.
  [longer_than_training, which_one]
~ FIRE: No share exceeds 1, but a near key gets smaller shares than in training. Small models (seeds: {fire_seeds})
  lost {lost[fire]:.2f} nats in text, nearly as much with far keys masked. [longer_than_training, which_one]

# What must a token find?
## nothing special
## an exact distance: “three back”
~ none: The mask alone tells little: small models got {copied[none][0]:.2f} of the copies right, by chance
  {chance_copy:.2f}. [longer_than_training]
✓ learned, sinusoidal, RoPE: Small models copied “three back” without error at the training length.
  [longer_than_training]
~ log decay: Its bias gives the nearest key more than the third, so content must make up for it: small models got
  {copied[log-1][0]:.2f} of the copies right at strength 1. [bias_by_hand, longer_than_training]
~ ALiBi: Its bias gives the nearest key more than the third. Small models learned slowly to make up for it, and got
  {copied[alibi][0]:.2f} right at every length. [alibi, longer_than_training]
✓ Shaw: Each distance below k has its vector: small models copied without error, at every length tested.
  [longer_than_training]
✓ Music Transformer: Each distance has its vector, as far as the table goes. [diagonals]
✓ Transformer-XL, sliding window, hybrid: Small models copied without error, at every length tested.
  [longer_than_training]
~ T5 buckets: Distances up to 15 (7 in an encoder) have a bucket of their own. Small models copied without error, but
  at 8 times the length {copied[t5-64][3]:.2f} right. [t5_buckets, longer_than_training]
~ stretched RoPE: Small models went on copying without error after YaRN's code, at every length. After interpolation
  they could not copy. [longer_than_training, stretching_rope]
✓ Swin: Each pair of offsets has its number: “one up, one to the right” was learned. [two_dimensions]
✓ axial RoPE, M-RoPE: Each pair of offsets has its turns: “one up, one to the right” is such a pair. [two_dimensions]
✓ FoX: Small models got nearly all copies right, at every length tested, without any other position.
  [longer_than_training, which_one]
~ FIRE: Its network can give any distance a number, but later in a text the same distance has another one.
  [which_one]
BESIDE
## the nearest of a kind: “the last write”
~ none, learned, sinusoidal: Small models got {reads[0]:.2f} to {reads[2]:.2f} of the reads right at the training
  length (sines with larger embeddings: {read[sinusoidal-scaled][0]:.2f}), by chance {chance_read:.2f}.
  [longer_than_training]
~ log decay: The strength decides: small models got {read[log-0.3][0]:.2f} right at strength 0.3, and nearly all at
  strength 1, but fell to {read[log-1][3]:.2f} at 8 times the length. [longer_than_training]
~ Shaw: Far keys share one vector, and seeds differ: small models got {shaw[0]:.2f} to {shaw[2]:.2f} right at 8 times
  the length. [longer_than_training]
~ T5 buckets: Small models got {read[t5-64][3]:.2f} right at 8 times the length, and {read[t5-256][3]:.2f} where
  `max_distance` was twice the training length. [longer_than_training]
~ Music Transformer: Near and far have vectors of their own; this task was not measured. [diagonals]
✓ Transformer-XL: Small models got all right, at every length tested. [longer_than_training]
✓ ALiBi: It falls with distance: small models solved it at every length tested. [longer_than_training]
✓ RoPE: Small models got nearly all right at the training length, though not beyond it. [longer_than_training]
~ stretched RoPE: RoPE learned it at the training length; no repair was tried on this task. [stretching_rope]
✓ sliding window: Small models got nearly all right, at every length tested. A write farther back than the windows
  reach is not seen. [longer_than_training, windows_and_sinks]
~ hybrid: Seeds differ: small models got {read[window-64+none][0]:.2f} right at the training length and
  {read[window-64+none][3]:.2f} at 8 times that. Beyond its windows, only the mask tells the order.
  [longer_than_training, windows_and_sinks]
✓ FoX: A write can close its gate on all writes before it: small models got all right, at every length tested.
  [longer_than_training, which_one]
~ FIRE: Its network can fall with distance; this task was not measured. [which_one]
~ axial RoPE, M-RoPE: Turns can favour what is near on each axis; this task was not measured. [two_dimensions]
BESIDE
✗ Swin: No number of the table reaches across the border of a window. [two_dimensions]

# Which weights does it start from?
## new ones
## from GPT-2, BERT
✓ learned: The scheme is given. A row per position: no text may be longer than the table. [absolute_positions]
✗ others: These weights were trained with another scheme. [absolute_positions]
## from Transformer-XL
✓ Transformer-XL: The scheme is given. Find out with which sign of the distance it was trained. [transformer_xl]
✗ others: These weights were trained with another scheme. [transformer_xl]
## from T5
✓ T5 buckets: The scheme is given. No scaling, one table for a whole stack, offsets key − query. [t5_buckets]
✗ others: These weights were trained with another scheme. [t5_buckets]
## from BLOOM, MPT
✓ ALiBi: The scheme is given. Take the authors' slopes if the number of heads is not a power of two. [alibi]
✗ others: These weights were trained with another scheme. [alibi]
## from Llama, GPT-NeoX
✓ RoPE: The scheme is given. Hugging Face's code for these two takes half-split pairs of channels, but GPT-J and
  Meta's own code take interleaved ones. [rope]
~ stretched RoPE: A repair: without further steps, YaRN's code brought small models from {before[3]:.2f} nats at
  1,024 tokens to {repaired[3]:.2f}. [longer_than_training, stretching_rope]
~ sliding window: A window put on RoPE: without further steps, it brought small models from {before[3]:.2f} nats at
  1,024 tokens to {window[3]:.2f}. [longer_than_training, stretching_rope]
~ M-RoPE: In text it is RoPE, so these weights fit. About pictures they have learned nothing. [two_dimensions]
✗ others: These weights were trained with another scheme. [rope]
## from Mistral 7B
✓ sliding window: The scheme is given. The paper counts w + 1 keys; the code shows w. [windows_and_sinks]
✗ others: These weights were trained with another scheme. [windows_and_sinks]
## from Swin
✓ Swin: The scheme is given. Its code counts query − key: the table is read backwards here. [two_dimensions]
✗ others: These weights were trained with another scheme. [two_dimensions]
## from Qwen2-VL
✓ M-RoPE: The scheme is given. Pairs of channels are dealt to time, row and column in blocks. [two_dimensions]
✗ others: These weights were trained with another scheme. [two_dimensions]

# How is it computed?
## any way
## FlexAttention
UNTOUCHED
✓ log decay, Music Transformer, Transformer-XL, T5 buckets, ALiBi, FoX, FIRE: It changes scores, which is what a
  `score_mod` does. (Compiled on a CPU: no gradients.) [fast_attention]
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
~ sliding window, hybrid: Torch's flash kernel has no window; flash-attn takes `window_size`. [fast_attention,
  windows_and_sinks]
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
~ FIRE: Past L the network computes a whole new row in each step, because all shares change. [which_one]
✗ Swin: A window is attended whole: no token comes after another. [two_dimensions]
"""
