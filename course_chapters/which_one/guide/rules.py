"""The rules of the guide, to be read and to be changed: question → answer → what it means for each scheme, and why.

A rule has a verdict, the schemes, the topics of the chapters that back it, and the reason in words. At its end may be
the ground of the verdict: a released model, a paper, or small models. Without one it is computed: it follows from how a
scheme is made, or from what you have. Small models give a caveat at most; beside another ground they are a remark.

An answer without rules leaves every scheme as it is. In any other, a scheme that no rule names has no verdict yet.
`tests/questions/test_guide.py` tests what the words say.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from course_chapters.measured import BITS, COPY, NAMES, repaired, right, rise
from course_lib.reference.attention import Array


class Verdict(IntEnum):
    """What an answer means for a scheme. Of several answers the worst wins, which is the largest."""

    FITS = 0
    CAVEAT = 1
    UNKNOWN = 2
    OUT = 3


FITS, CAVEAT, UNKNOWN, OUT = Verdict
COMPUTED, SMALL = "computed", "small models"
OTHERS = "others"  # the schemes that no other rule of the answer names


class Rule(NamedTuple):
    """What one answer means for some schemes, the topics of the chapters that back it, why, and the ground."""

    verdict: Verdict
    schemes: Sequence[str]
    chapters: Sequence[str]
    why: str
    ground: str = COMPUTED


def copied(run: str) -> Array:
    """The share of right answers at each test length: here of copies, below of reads and of names."""
    return right(run, COPY)


def read(run: str) -> Array:
    return right(run, BITS)


def found(run: str) -> Array:
    return right(run, NAMES)


BEFORE, YARN = repaired("as trained")[0], repaired("YaRN's code", further=60, at=1024)[0]  # nats at 128 tokens

# fmt: off
BESIDE = Rule(CAVEAT, ["sink", "log scale"], ["windows_and_sinks"],
              "It does not tell a head where a key is. Put it beside a scheme that does.")
ONE_AXIS = Rule(OUT, ["Swin", "axial RoPE"], ["two_dimensions"], "It counts rows and columns. A text has one axis.")
UNTOUCHED = Rule(FITS, ["none", "learned", "sinusoidal", "RoPE", "axial RoPE", "M-RoPE", "log scale", "stretched RoPE"],
                 ["fast_attention"], "Attention stays as it is: position enters before it, or not at all.")
TRAINED = Rule(OUT, [OTHERS], ["which_one"], "These weights were trained with another scheme.")

RULES: dict[str, dict[str, list[Rule]]] = {
    "What is attended?": {
        "text, read both ways": [
            Rule(OUT, ["none"], ["blind_to_distance"],
                 "Without a mask it is blind to order: permute the words, and the outputs are permuted alike."),
            Rule(CAVEAT, ["learned", "sinusoidal"], ["absolute_positions"],
                 "Move a phrase to another place in the text, and its scores change."),
            Rule(CAVEAT, ["log decay", "FIRE"], ["bias_by_hand", "which_one"],
                 "At equal distance, a key before and a key after get the same number."),
            Rule(FITS, ["Shaw"], ["vector_per_distance"], "Before and after have vectors of their own."),
            Rule(CAVEAT, ["Music Transformer", "Transformer-XL"], ["diagonals", "transformer_xl"],
                 "The causal skew or shift leaves junk at keys after the query, and no mask hides it: take the "
                 "general form."),
            Rule(FITS, ["T5 buckets"], ["t5_buckets"], "Half of the buckets are for each side."),
            Rule(CAVEAT, ["ALiBi"], ["alibi"],
                 "It needs the form −m |i − j|, which is not in the paper and cannot tell before from after."),
            Rule(FITS, ["RoPE", "stretched RoPE"], ["rope"],
                 "Turns have a direction: a head can learn “the word before”."),
            Rule(FITS, ["M-RoPE"], ["two_dimensions"], "In text it is RoPE, because all three positions count alike."),
            Rule(FITS, ["sliding window"], ["windows_and_sinks"],
                 "A window reaches to both sides, and the turns inside it have a direction."),
            Rule(CAVEAT, ["hybrid"], ["blind_to_distance", "windows_and_sinks"],
                 "Without a mask, its layers without positions are blind to order. Only its windows tell it."),
            Rule(OUT, ["FoX"], ["which_one"],
                 "It needs a causal mask: it lowers the keys before a query, so it would raise the keys after it."),
            BESIDE,
            ONE_AXIS,
        ],
        "text, left to right": [
            Rule(CAVEAT, ["none"], ["blind_to_distance", "longer_than_training"],
                 "The causal mask tells a little. It came first on small reasoning tasks (Kazemnejad et al. 2023), "
                 "last in our small models' short texts.", SMALL),
            Rule(CAVEAT, ["learned", "sinusoidal"], ["absolute_positions"],
                 "Move a phrase to another place in the text, and its scores change."),
            Rule(FITS, ["log decay", "ALiBi", "FIRE"], ["alibi", "which_one"],
                 "It cannot tell before from after, and need not: the mask has removed “after”."),
            Rule(FITS, ["Shaw"], ["vector_per_distance"], "Vectors for offsets ahead are never used."),
            Rule(FITS, ["Music Transformer"], ["diagonals"],
                 "Its skew is made for a causal mask, which hides the junk."),
            Rule(FITS, ["Transformer-XL"], ["transformer_xl"],
                 "Its shift is made for a causal mask, which hides the junk."),
            Rule(FITS, ["T5 buckets"], ["t5_buckets"], "All buckets serve the past: `bidirectional=False`."),
            Rule(FITS, ["RoPE", "stretched RoPE"], ["rope"], "Each key turns once, at its own position."),
            Rule(FITS, ["M-RoPE"], ["two_dimensions"], "In text it is RoPE, because all three positions count alike."),
            Rule(FITS, ["sliding window"], ["windows_and_sinks"], "Keys that are w or more back are never read again."),
            Rule(FITS, ["hybrid"], ["windows_and_sinks"],
                 "The windows tell order, and the layers without positions read the whole text."),
            Rule(FITS, ["FoX"], ["which_one"],
                 "Made for a causal mask: what counts is how much each token in between forgets."),
            BESIDE,
            ONE_AXIS,
        ],
        "text in segments, with a memory": [
            Rule(CAVEAT, ["none"], ["blind_to_distance", "transformer_xl"],
                 "The causal mask tells positions to a degree: how many keys a query sees, the memory's included."),
            Rule(OUT, ["learned", "sinusoidal"], ["transformer_xl"],
                 "Each segment counts from 0, so token t of every segment looks alike."),
            Rule(FITS, ["log decay", "Shaw", "T5 buckets", "ALiBi", "RoPE", "stretched RoPE", "sliding window",
                        "hybrid"],
                 ["transformer_xl"], "Only offsets count: queries come at `past + i`, behind the memory."),
            Rule(CAVEAT, ["Music Transformer"], ["diagonals"],
                 "Its table must reach from the last query to the oldest memory."),
            Rule(FITS, ["Transformer-XL"], ["transformer_xl"], "Made for it."),
            Rule(CAVEAT, ["M-RoPE"], ["two_dimensions"],
                 "The memory must keep the three positions of its tokens, too."),
            Rule(FITS, ["FoX"], ["transformer_xl", "which_one"],
                 "The memory's gates are computed again, as its keys are. A bias is a difference of sums, so they "
                 "may begin anywhere."),
            Rule(CAVEAT, ["FIRE"], ["transformer_xl", "which_one"],
                 "It needs the query's place in the whole text, but a memory counts from its oldest token."),
            BESIDE,
            ONE_AXIS,
        ],
        "an image, in windows": [
            Rule(CAVEAT, ["none"], ["two_dimensions"],
                 "A window alone is blind to places. In Swin's own comparison (table 4), the table of offsets adds "
                 "1.2 points.", "Liu et al. 2021"),
            Rule(CAVEAT, ["learned"], ["two_dimensions"],
                 "In Swin's own comparison (table 4), the table of offsets does better by 0.8 points.",
                 "Liu et al. 2021"),
            Rule(CAVEAT, ["sinusoidal"], ["two_dimensions"],
                 "It counts along the list of patches, where the patch below is far."),
            Rule(OUT, ["log decay", "T5 buckets", "ALiBi", "FIRE", "sliding window", "hybrid"], ["two_dimensions"],
                 "It counts the distance along the list of patches, where the patch below is far."),
            Rule(CAVEAT, ["Shaw", "Music Transformer", "Transformer-XL", "RoPE", "stretched RoPE"], ["two_dimensions"],
                 "One offset mixes “right neighbour” with “one down, W − 1 left”, unless patches are numbered row · "
                 "(2W − 1) + column."),
            Rule(FITS, ["Swin"], ["two_dimensions"], "Made for it; shifted windows cross the borders."),
            Rule(FITS, ["axial RoPE", "M-RoPE"], ["two_dimensions"],
                 "Row and column each turn their own pairs of channels."),
            Rule(OUT, ["FoX"], ["which_one"], "It needs a causal mask, and patches have no order."),
            BESIDE,
        ],
    },
    "How long are the texts (or windows)?": {
        "as in training": [],
        "longer than in training": [
            Rule(CAVEAT, ["none"], ["longer_than_training"],
                 f"Only more keys are new, but they take weight: small models lost {rise('none'):.2f} nats in text.",
                 SMALL),
            Rule(OUT, ["learned"], ["absolute_positions"],
                 "No text has trained the rows past the training length, and the table ends."),
            Rule(CAVEAT, ["sinusoidal"], ["longer_than_training"],
                 f"Positions never seen: small models lost {rise('sinusoidal'):.2f} nats in text.", SMALL),
            Rule(CAVEAT, ["log decay"], ["bias_by_hand"],
                 "Its formula continues, but up to strength 1 far keys take more and more weight."),
            Rule(CAVEAT, ["Shaw", "T5 buckets"], ["longer_than_training"],
                 "Far offsets share what was trained, if training reached the clip or the last bucket. But more and "
                 "more keys share it, and this course knows no released model that shows how far this goes."),
            Rule(OUT, ["Music Transformer"], ["absolute_positions", "diagonals"],
                 "For offsets past the training length it has no vector, or one that no text has trained."),
            Rule(CAVEAT, ["Transformer-XL"], ["longer_than_training"],
                 "Distances never seen, through a learned map of sines. Its authors clip them when they evaluate "
                 "(`clamp_len`).", "Dai et al. 2019"),
            Rule(CAVEAT, ["ALiBi"], ["alibi", "longer_than_training"],
                 "Its line continues, and the loss stayed level to six times the length. But it acts like a window: "
                 "the far text is hardly used.", "Press et al. 2022"),
            Rule(CAVEAT, ["RoPE"], ["rope", "longer_than_training"],
                 "Its slow pairs meet angles never seen. SmolLM2 breaks past 8,192 tokens: stretch it.", "SmolLM2"),
            Rule(FITS, ["stretched RoPE"], ["longer_than_training", "stretching_rope"],
                 "So do today's models, after training on long texts. It may harm short ones: with YaRN's code, "
                 f"small models went from {BEFORE:.2f} to {YARN:.2f} nats at 128 tokens.",
                 "Llama 3.1, gpt-oss, DeepSeek-V3"),
            Rule(CAVEAT, ["axial RoPE", "M-RoPE"], ["two_dimensions", "stretching_rope"],
                 "As with RoPE, more rows and columns bring angles never seen."),
            Rule(CAVEAT, ["Swin"], ["two_dimensions"],
                 "With the same window, a larger image keeps the table. A larger window needs a larger table: "
                 "stretch it to sample the same scene more finely, keep each number to show more of the scene."),
            Rule(FITS, ["sliding window"], ["windows_and_sinks"],
                 "No query meets a new distance, if the model was trained with the window. Farther keys are not "
                 "seen."),
            Rule(FITS, ["hybrid"], ["windows_and_sinks"],
                 "Its windows meet no new distance, its other layers no new angle, only more keys. Its authors read "
                 "texts longer than any in training.", "Yang et al. 2025, Llama 4"),
            Rule(CAVEAT, ["sink"], ["windows_and_sinks"],
                 "Beside a window it can take the place of the first token, if training makes use of it."),
            Rule(CAVEAT, ["log scale"], ["windows_and_sinks"],
                 "It keeps the weight of a key that leads while more keys come. The course has not trained it."),
            Rule(CAVEAT, ["FoX"], ["which_one"],
                 "Only its sums grow. Its authors report that it extrapolates in length. Their models are for "
                 "research, and this course has not tested them.", "Lin et al. 2025"),
            Rule(CAVEAT, ["FIRE"], ["which_one"],
                 "No share of an earlier key exceeds 1, but in a text longer than its threshold a near key gets "
                 "smaller shares than in training."),
        ],
    },
    "What must a token find?": {
        "nothing special": [],
        "an exact distance: “three back”": [
            Rule(CAVEAT, ["none"], ["longer_than_training"],
                 f"The mask alone tells little: small models got {copied('none')[0]:.0%} of the copies right.", SMALL),
            Rule(FITS, ["learned", "sinusoidal"], ["absolute_positions"],
                 "A head can match place p with place p − 3, within the training length."),
            Rule(FITS, ["RoPE"], ["rope"], "A head turns its queries back by three places."),
            Rule(CAVEAT, ["log decay", "ALiBi", "FoX"], ["alibi", "longer_than_training", "which_one"],
                 "The bias gives the nearest key at least as much as the third, so content must make up for it. "
                 f"(Small models learned to: ALiBi {copied('alibi')[3]:.0%} right at 1,024 tokens, FoX "
                 f"{copied('fox')[3]:.0%}.)"),
            Rule(FITS, ["Shaw", "Music Transformer", "Transformer-XL"],
                 ["vector_per_distance", "diagonals", "transformer_xl"],
                 "Each distance has its vector, Shaw's up to the clip."),
            Rule(FITS, ["T5 buckets"], ["t5_buckets"],
                 "Distances up to 15 (7 in an encoder) have a bucket of their own."),
            Rule(FITS, ["sliding window", "hybrid"], ["rope", "windows_and_sinks"],
                 "The windows have RoPE, if the distance lies inside."),
            Rule(CAVEAT, ["stretched RoPE"], ["longer_than_training", "stretching_rope"],
                 "Some rules slow the fast pairs too. Small models copied without error after YaRN's code, and not "
                 "after interpolation.", SMALL),
            Rule(FITS, ["Swin"], ["two_dimensions"], "Each pair of offsets has its number."),
            Rule(FITS, ["axial RoPE", "M-RoPE"], ["two_dimensions"], "Each pair of offsets has its turns."),
            Rule(CAVEAT, ["FIRE"], ["which_one"],
                 "Its network can give any distance a number, but later in a text the same distance has another one."),
            BESIDE,
        ],
        "the nearest of a kind: “the last write”": [
            Rule(CAVEAT, ["none", "learned", "sinusoidal"], ["longer_than_training"],
                 f"Nothing makes scores fall with distance: small models got {read('none')[0]:.0%}, "
                 f"{read('learned')[0]:.0%} and {read('sinusoidal')[0]:.0%} of the reads right.", SMALL),
            Rule(CAVEAT, ["log decay", "ALiBi"], ["alibi", "longer_than_training"],
                 "It falls with distance, so the nearest write wins. But a far write must beat all that is nearer: "
                 f"small models got {read('alibi')[3]:.0%} (ALiBi) at 1,024 tokens."),
            Rule(CAVEAT, ["Shaw", "T5 buckets"], ["vector_per_distance", "t5_buckets"],
                 "Among writes beyond the clip or the last bucket none is nearer."),
            Rule(CAVEAT, ["Music Transformer", "Transformer-XL", "FIRE"], ["diagonals", "transformer_xl", "which_one"],
                 "It can learn to fall with distance, as far as it was trained."),
            Rule(CAVEAT, ["RoPE", "stretched RoPE", "axial RoPE", "M-RoPE"], ["rope"],
                 "Turns can favour near keys, but no sum of cosines falls for ever."),
            Rule(CAVEAT, ["sliding window", "hybrid"], ["windows_and_sinks"],
                 "The windows have RoPE. Farther back a write is not seen, or has no distance."),
            Rule(FITS, ["FoX"], ["longer_than_training", "which_one"],
                 "A write can close its gate on all writes before it, and the others leave theirs open. (Small "
                 f"models got {read('fox')[3]:.0%} right at 1,024 tokens.)"),
            BESIDE,
            Rule(OUT, ["Swin"], ["two_dimensions"], "No number of the table reaches across the border of a window."),
        ],
        "something said far back, by its content": [
            Rule(FITS, ["none"], ["blind_to_distance"], "All keys count alike, near or far."),
            Rule(FITS, ["learned", "sinusoidal"], ["absolute_positions"],
                 "Position need not count, within the training length."),
            Rule(CAVEAT, ["log decay", "ALiBi"], ["alibi", "longer_than_training"],
                 "The far key's penalty grows without end: at 1,024 tokens, small models found "
                 f"{found('alibi')[3]:.0%} of the far names with ALiBi, and {found('log-1')[3]:.0%} with a log decay "
                 "of strength 1."),
            Rule(FITS, ["Shaw", "T5 buckets"], ["vector_per_distance", "t5_buckets", "longer_than_training"],
                 f"All far keys share one vector or number. (Small models found {found('shaw-32')[3]:.0%} and "
                 f"{found('t5-64')[3]:.0%} at 1,024 tokens.)"),
            Rule(CAVEAT, ["Music Transformer"], ["diagonals"], "Only as far as its table goes."),
            Rule(CAVEAT, ["Transformer-XL", "FIRE"], ["transformer_xl", "which_one"],
                 "It may learn about the same score for all far keys, but nothing in training forces it to."),
            Rule(FITS, ["RoPE"], ["longer_than_training"],
                 "Within the configured length. In 8,000 tokens, SmolLM2 finds a key in the middle, and misses one "
                 "near the beginning.", "SmolLM2"),
            Rule(FITS, ["stretched RoPE"], ["longer_than_training", "stretching_rope"],
                 "In 12,000 tokens, SmolLM2 finds a key near the beginning with NTK in both texts, as released in "
                 "none.", "SmolLM2"),
            Rule(CAVEAT, ["axial RoPE", "M-RoPE"], ["two_dimensions"],
                 "As RoPE, within the rows and columns of training."),
            Rule(CAVEAT, ["sliding window"], ["windows_and_sinks"],
                 "A layer sees w keys, so N layers reach back at most N · (w − 1) tokens."),
            Rule(FITS, ["hybrid"], ["longer_than_training", "windows_and_sinks"],
                 "Its layers without positions see every key, near or far. (Small models found "
                 f"{found('window-64+none')[3]:.0%} at 1,024 tokens.)", "Yang et al. 2025"),
            Rule(CAVEAT, ["FoX"], ["longer_than_training", "which_one"],
                 f"Every gate in between must stay near 1: small models found {found('fox')[3]:.0%} at 1,024 tokens."),
            BESIDE,
            Rule(OUT, ["Swin"], ["two_dimensions"], "No number of the table reaches across the border of a window."),
        ],
    },
    "Which weights does it start from?": {
        "new ones": [],
        "Llama 3, Mistral 7B v0.3, SmolLM2": [
            Rule(FITS, ["RoPE"], ["rope"],
                 "The scheme is given. Hugging Face's files take half-split pairs of channels, Meta's own "
                 "interleaved ones.", "Llama 3"),
            Rule(FITS, ["stretched RoPE"], ["stretching_rope"],
                 "From Llama 3.1 on, the rule is in `config.json`: from 8,192 tokens by 8, in 3.2's 1B and 3B by 32. "
                 "Load it, and test a long text. Elsewhere it is a repair, to be tested.", "Llama 3.1"),
            Rule(CAVEAT, ["sliding window"], ["windows_and_sinks"],
                 "A window that training did not have needs the first token.", "SmolLM2"),
            Rule(CAVEAT, ["M-RoPE"], ["two_dimensions"],
                 "In text it is RoPE, so these weights fit. About pictures they have learned nothing."),
            TRAINED,
        ],
        "Qwen 3": [
            Rule(FITS, ["RoPE"], ["rope"],
                 "The scheme is given, up to 32,768 tokens in the first release, 262,144 in the 2507 models.",
                 "Qwen 3"),
            Rule(CAVEAT, ["stretched RoPE"], ["stretching_rope"],
                 "Switch YaRN on, with a factor of up to 4, for long texts only: it may harm short ones.", "Qwen 3"),
            TRAINED,
        ],
        "gpt-oss": [
            Rule(FITS, ["stretched RoPE", "sliding window", "sink"], ["stretching_rope", "windows_and_sinks"],
                 "The schemes are given: YaRN by 32 from 4,096 tokens, windows of 128 in every second layer, a "
                 "learned sink in each head. Read `truncate`. Use ring caches, and a kernel that returns the "
                 "log-sum-exp.", "gpt-oss"),
            TRAINED,
        ],
        "Gemma 3": [
            Rule(FITS, ["stretched RoPE", "sliding window"], ["stretching_rope", "windows_and_sinks"],
                 "The schemes are given: from 4B on, five layers with windows of 1,024 and base 10,000, then one "
                 "with base 1,000,000, slowed by 8. Keep two sets of speeds.", "Gemma 3"),
            TRAINED,
        ],
        "DeepSeek-V3": [
            Rule(FITS, ["stretched RoPE"], ["rope", "stretching_rope"],
                 "The scheme is given: YaRN by 40 from 4,096 tokens, on 64 channels beside 128 without positions. "
                 "Cache 512 numbers per token for all heads, and one rotated key.", "DeepSeek-V3"),
            TRAINED,
        ],
        "T5": [
            Rule(FITS, ["T5 buckets"], ["t5_buckets"],
                 "The scheme is given: 32 buckets, one table for a whole stack, offsets key − query. Do not scale "
                 "the scores.", "T5"),
            TRAINED,
        ],
        "BERT, ViT": [
            Rule(FITS, ["learned"], ["absolute_positions"],
                 "The scheme is given. The table ends; ViT's is a grid, which can be resized.", "BERT, ViT"),
            TRAINED,
        ],
        "BLOOM, MPT": [
            Rule(FITS, ["ALiBi"], ["alibi"],
                 "The scheme is given. Take the authors' slopes if the number of heads is not a power of two. Those "
                 "of MPT-7B-StoryWriter end at 2^−16, which `transformers` does not do.", "BLOOM"),
            TRAINED,
        ],
        "Swin": [
            Rule(FITS, ["Swin"], ["two_dimensions"],
                 "The scheme is given. Its code counts query − key: the table is read backwards here.", "Swin"),
            TRAINED,
        ],
        "Qwen2.5-VL, Qwen3-VL": [
            Rule(FITS, ["M-RoPE"], ["two_dimensions"],
                 "The scheme is given. Pairs go to time, row and column in blocks, in Qwen3-VL in turn.",
                 "Qwen2-VL, Qwen3-VL"),
            TRAINED,
        ],
    },
    "How is it computed?": {
        "any way": [],
        "FlexAttention": [
            UNTOUCHED,
            Rule(FITS, ["log decay", "Music Transformer", "Transformer-XL", "T5 buckets", "ALiBi", "FoX", "FIRE"],
                 ["fast_attention"],
                 "It changes scores, which is what a `score_mod` does. (On a CPU: an error if queries, keys or "
                 "values need a gradient.)"),
            Rule(FITS, ["sliding window", "hybrid"], ["fast_attention", "windows_and_sinks"],
                 "A `BlockMask` leaves out the tiles that no query of a window sees."),
            Rule(CAVEAT, ["Shaw"], ["fast_attention"], "Keys only: value vectors are out of its reach."),
            Rule(FITS, ["sink"], ["windows_and_sinks"],
                 "It multiplies the output by σ(lse − a), and FlexAttention returns the lse. (Compiled on a CPU: no "
                 "lse.)"),
            Rule(CAVEAT, ["Swin"], ["two_dimensions", "fast_attention"],
                 "A `score_mod` may look into a table; the course did not try this one."),
        ],
        "fused SDPA, in training": [
            UNTOUCHED,
            Rule(FITS, ["log decay", "ALiBi", "sliding window", "hybrid"], ["fast_attention"],
                 "A bias that does not learn is a mask. The fused CPU kernel takes it with two or four axes."),
            Rule(CAVEAT, ["Shaw", "Music Transformer", "Transformer-XL", "T5 buckets"], ["fast_attention"],
                 "A mask that learns: on a CPU, SDPA falls back to the formula; on a GPU, one kernel returns its n × "
                 "n gradient. `RelativeAttention` needs neither."),
            Rule(FITS, ["FoX"], ["fast_attention", "which_one"],
                 "Its number per key goes into one more channel: 1/scale in each query, −c_j in each key."),
            Rule(FITS, ["sink"], ["fast_attention", "windows_and_sinks"],
                 "One more key with value 0, and its score in one more channel: 1/scale in each query, a in that "
                 "key."),
            Rule(CAVEAT, ["FIRE"], ["fast_attention", "which_one"],
                 "A mask that learns: on a CPU, SDPA falls back to the formula. Its grid is not a view of a row."),
            Rule(CAVEAT, ["Swin"], ["two_dimensions", "fast_attention"],
                 "On a CPU, a mask that learns sends SDPA back to the formula. The grid of a window is W² × W²."),
        ],
        "a flash kernel without a bias": [
            UNTOUCHED,
            Rule(OUT, ["log decay", "Shaw", "Music Transformer", "Transformer-XL", "T5 buckets", "Swin", "FIRE"],
                 ["fast_attention"], "It adds to the scores, and torch's flash kernel for GPUs has no place for that."),
            Rule(CAVEAT, ["ALiBi"], ["alibi", "fast_attention"],
                 "Only if causal: m · j as one more channel (1/scale in each query, m · j in each key), rounded by "
                 "bfloat16. flash-attn takes `alibi_slopes`."),
            Rule(CAVEAT, ["FoX"], ["fast_attention", "which_one"],
                 "Its number per key as one more channel: 1/scale in each query, −c_j in each key, rounded by "
                 "bfloat16."),
            Rule(CAVEAT, ["sink"], ["fast_attention", "windows_and_sinks"],
                 "As one more key with value 0 and one more channel: 1/scale in each query, a in that key."),
            Rule(CAVEAT, ["sliding window", "hybrid"], ["fast_attention", "windows_and_sinks"],
                 "SDPA's flash kernel has no window; torch's `varlen_attn` and flash-attn take `window_size`."),
        ],
        "token by token, with a cache": [
            Rule(FITS, ["none"], ["fast_attention"], "There is nothing to do."),
            Rule(CAVEAT, ["learned"], ["absolute_positions"], "The new token takes row `past`, until the table ends."),
            Rule(FITS, ["sinusoidal"], ["absolute_positions"], "The new token takes the sines of position `past`."),
            Rule(FITS, ["log decay", "T5 buckets", "ALiBi"], ["fast_attention"],
                 "The new row is the end of one long row, made once."),
            Rule(FITS, ["Shaw"], ["fast_attention"], "The new query meets the few vectors of the table."),
            Rule(CAVEAT, ["Music Transformer"], ["diagonals", "fast_attention"],
                 "The new query meets a vector per offset, until the table ends."),
            Rule(FITS, ["Transformer-XL"], ["transformer_xl", "fast_attention"],
                 "The new query meets a vector per distance. (Its own memory is not a cache: it recomputes the "
                 "keys.)"),
            Rule(FITS, ["RoPE"], ["rope", "fast_attention"],
                 "The new query and key turn by `past`; keys in the cache are turned already."),
            Rule(CAVEAT, ["stretched RoPE"], ["stretching_rope"],
                 "As RoPE. But with speeds that depend on the length read so far, keep the keys unturned."),
            Rule(CAVEAT, ["axial RoPE", "M-RoPE"], ["two_dimensions"],
                 "As RoPE, but a token's positions are not its place in the text: keep the difference."),
            Rule(FITS, ["sliding window"], ["windows_and_sinks"],
                 "A ring of w slots holds every key that is still seen."),
            Rule(CAVEAT, ["hybrid"], ["windows_and_sinks"],
                 "A ring of w slots for each window; the other layers keep the whole text."),
            Rule(FITS, ["sink"], ["windows_and_sinks"], "The same number in every step."),
            Rule(FITS, ["log scale"], ["windows_and_sinks"], "Only the new query is scaled, by its position."),
            Rule(FITS, ["FoX"], ["which_one"],
                 "Beside each key the cache keeps its sum of log gates, a number per head."),
            Rule(CAVEAT, ["FIRE"], ["which_one"],
                 "Past its threshold the network computes a whole new row in each step, because all shares change."),
            Rule(OUT, ["Swin"], ["two_dimensions"], "A window is attended whole: no token comes after another."),
        ],
    },
}
