"""What to take in which situation, to be read and to be changed: one recommendation, its grounds, and how to test it.

A situation that is not here has no verdict, and neither has a scheme that no situation takes. What can be computed is
computed. `tests/questions/test_guide.py` tests that each situation is whole, and what it says about released families.
"""

from typing import Any, NamedTuple

import numpy as np

from course_chapters.measured import BITS, NAMES, committed, losses, repaired, right, rise
from course_kit.contents import number
from course_lib.reference.absolute import frequencies
from course_lib.reference.t5 import bucket_starts
from course_lib.schemes import SCHEMES, Sizes

FAMILIES = 15  # of transformers 5.23, tried with random weights
COUNTING = ("GPT-2", "BERT")  # count padding, too, unless positions are given
KEPT_APART = ("Llama", "Qwen 3", "SmolLM3", "Gemma 3", "GPT-2")  # texts of a row whose positions each begin at 0
YARN = "YaRN's code"  # a repair of the study
XL = SCHEMES["Transformer-XL"]
LONG, TARGET = 32_768, 114  # tokens of a long text, and of a target in T5's first training, for inputs of 512


class Situation(NamedTuple):
    """What to take, at most one alternative, why, what it costs, what would change it, and what to test afterwards.

    At least one ground is given: computed, seen in released models, trained small, or a paper. `unknown` is what
    nobody has verified for this guide.
    """

    take: str
    why: str
    costs: str
    unless: str
    test: str
    instead: str = ""
    computed: str = ""
    released: str = ""
    small: str = ""
    paper: str = ""
    unknown: str = ""


def chapter(topic: str) -> str:
    return f"chapter {number(topic)}"


def nats(run: str) -> str:
    """A small model's mean loss in text at its training length of 128 tokens."""
    return f"{losses(run)[:, 0].mean():.2f}"


def change(run: str) -> str:
    """How much that loss changes up to 1,024 tokens."""
    return f"{rise(run):+.2f}".replace("-", "−")


def found(run: str, task: str = NAMES) -> str:
    """Its share of right answers at 1,024 tokens: names told far back, or the last bit written."""
    return f"{right(run, task)[-1]:.0%}"


def time(run: str) -> str:
    """How long its training took, in the times that RoPE's took: medians of the seeds of one task."""
    seconds = {
        name: [row["seconds"] for row in committed() if (row["task"], row["scheme"]) == (NAMES, name)]
        for name in (run, "rope")
    }
    return f"{np.median(seconds[run]) / np.median(seconds['rope']):.1f}"


def gib(layers: int, numbers: int, tokens: int = LONG) -> float:
    """GiB of a cache in bfloat16, with so many numbers per token in each layer."""
    return layers * numbers * tokens * 2 / 2**30


def smol(experiment: str, condition: str) -> list[dict[str, Any]]:
    """SmolLM2's committed rows, by what their condition ends with."""
    rows = [row for row in committed("released") if row["experiment"] == experiment]
    return [row for row in rows if row["condition"].endswith(condition)]


def alice(condition: str, what: str = "loss", n: int = 16_384) -> str:
    """Its mean loss over the second half of n tokens of Alice, or the difference to the model as released."""
    (row,) = (row for row in smol("by position", condition) if row["n"] == n)
    return f"{row[what]:.2f}"


def pass_keys(repair: str) -> str:
    """How many pass keys it finds in 12,000 tokens, at two depths in two texts."""
    rows = smol("beyond", repair)
    return f"{sum(row['right'] for row in rows)} of {len(rows)}"


def lost(condition: str) -> str:
    """How much its loss rises, in the text that suffers least and in the one that suffers most."""
    rises = sorted(row["difference"] for row in smol("windows", condition))
    return f"{rises[0]:.1f} to {rises[-1]:.1f}"


NEW = {
    "a decoder, texts no longer than in training": Situation(
        take="RoPE in every layer, with base 10,000 (100,000 or more from 8,192 tokens on).",
        instead="T5 buckets, if speed, flash kernels and longer texts will never matter.",
        why="It learns nothing, every kernel and cache takes it, and its speeds can be changed later.",
        computed="It turns queries and keys before the scores, so attention itself stays as it is.",
        released="Llama 3, Qwen 3, SmolLM2 and Gemma 3 have it. For 8,192 tokens, SmolLM2 has base 100,000 and Llama 3 "
        "500,000.",
        small=f"Against it: in text, RoPE has {nats('rope')} nats, T5 buckets {nats('t5-64')}, Transformer-XL "
        f"{nats('transformer-xl')}, FoX {nats('fox')}. For it: ALiBi has {nats('alibi')}.",
        unknown="Whether T5 buckets, Transformer-XL and FoX keep their small lead in large models, and which base is "
        "best.",
        costs=f"No parameters. A cache as without positions, {gib(32, 2048):.1f} GiB for 32k tokens in Llama 3.1 8B.",
        unless="Texts will outgrow training: see the decoder for 128k tokens.",
        test=f"The loss by place in the text (`loss_by_length`, {chapter('longer_than_training')}).",
    ),
    "a decoder, texts of 128k tokens and more": Situation(
        take="RoPE in windows of 4,096 in three of four layers, and full attention without positions in the fourth.",
        instead="RoPE with a large base in every layer, and a last stage of training on long texts.",
        why="A window meets no new distance, and a layer without positions no new angle. In our small models, each "
        "needs the other.",
        released="Command A and EXAONE 4 32B are built so. The alternative: Llama 3.1, with a rule for its speeds.",
        small=f"From 128 to 1,024 tokens, the loss in text changes by {change('window-64+none')} nats, and "
        f"{found('window-64+none')} of far names are found. With RoPE in the full layer, too: "
        f"{change('window-64+rope')}, {found('window-64+rope')}. With full RoPE below, instead of windows: "
        f"{change('rope+none')}, {found('rope+none')}.",
        paper="B. Yang et al. 2025, Rope to Nope and Back Again, report that such a hybrid surpasses RoPE with full "
        "attention in long tasks.",
        unknown="How far large models of this kind read beyond their training.",
        costs=f"{gib(8, 2048) + gib(24, 2048, 4096):.1f} GiB for 32k tokens instead of {gib(32, 2048):.1f} (sizes of "
        "Llama 3.1 8B). A kernel with a window.",
        unless=f"The last of many writes counts: our small hybrid gets {found('window-64+none', BITS)} right. Then try "
        f"FoX in the full layers first: in all layers it gets {found('fox', BITS)} (but finds {found('fox')} of far "
        "names).",
        test="Pass keys at five depths, and the loss with the far keys hidden but the first tokens kept "
        f"({chapter('longer_than_training')}).",
    ),
    "a decoder, a stream without end": Situation(
        take="RoPE in windows in every layer, and a learned sink in each head.",
        instead="Linear layers with a gate, whose state does not grow either.",
        why="A ring of w slots is enough. It loses the first token, on which models without a learned sink may rely.",
        released=f"gpt-oss has such sinks. SmolLM2, which has none, loses {lost('window 96, kept []')} nats by "
        f"windows of 96, and {lost('window 96, kept [0]')} if they keep token 0.",
        unknown="We know of no released model with windows and learned sinks in all its layers.",
        costs="One number per head. A kernel with a window that takes a sink or returns the log-sum-exp.",
        unless="Something must be found that was told more than N · (w − 1) tokens ago, where N layers do not reach: "
        "store the text, and search it.",
        test="A ring gives what a whole pass with the same windows gives "
        f"(`ring_step`, {chapter('windows_and_sinks')}).",
    ),
    "an encoder for text": Situation(
        take="RoPE: in two of three layers in windows of 128 with base 10,000, in the others with base 160,000.",
        instead="RoPE in every layer, as in EuroBERT.",
        why="Rotation tells before from after. Texts that are packed without padding can use a flash kernel.",
        released="ModernBERT is built so, for texts of up to 8,192 tokens.",
        unknown="We know of no comparison of encoders that differ in their positions alone.",
        costs="No parameters, no cache. Packed texts need a kernel that takes their lengths, or a mask of blocks.",
        unless="Texts have at most 512 tokens and speed does not matter: buckets as in T5 serve, too (MPNet).",
        test=f"A padded text gives what it gives alone (`padded_attention`, {chapter('fast_attention')}).",
    ),
    "speech, whole recordings": Situation(
        take="RoPE in every layer of the encoder.",
        instead="Transformer-XL's terms, as in Parakeet.",
        why="Every kernel takes it. Most fused ones refuse a bias that learns.",
        released="Moonshine, LASR and GLM-ASR rotate; Parakeet and Granite Speech do not.",
        paper="Zhang et al. 2025: faster training, similar or lower error. We have not seen their tables.",
        costs=f"No parameters. Transformer-XL's terms: {24 * XL.parameters.of(Sizes(1024, 8)) / 1e6:.1f} million "
        "(Parakeet).",
        unless="You start from weights or a tuned recipe with relative terms.",
        test="Word errors by length of the recording.",
    ),
    "speech, a live stream": Situation(
        take="Causal RoPE in windows.",
        instead="Transformer-XL's terms with a limited past.",
        why="Rings do not grow, and after the first window no distance is new.",
        released="Voxtral Realtime: windows of 750 frames in the encoder, of 8,192 tokens in the decoder.",
        costs=f"Rings: {gib(32, 4096, 750):.2f} and {gib(26, 2048, 8192):.2f} GiB (Voxtral). A kernel with a window.",
        unless="The answer may wait: then let some layers look ahead, as Moonshine Streaming does.",
        test=f"Pieces give what the whole recording gives (`ring_step`, {chapter('windows_and_sinks')}).",
    ),
    "images": Situation(
        take="Axial RoPE on coordinates from −1 to 1, which training rescales at random.",
        instead="A learned vector per patch, if all images have one size.",
        why="The patches of a finer grid lie between trained angles, so nothing has to be resized.",
        released="DINOv3, with base 100. The alternative: ViT, SigLIP and DINOv2.",
        paper="Heo et al. 2024 report gains with axial RoPE. We have not seen their tables.",
        costs=f"No parameters; the table of ViT-B/16 has {(14**2 + 1) * 768:,} numbers. Any kernel.",
        unless="A larger image shows more of the scene, not finer detail: then count patches.",
        test="The same picture in two sizes gives the same answer. With its patches permuted, accuracy falls.",
    ),
    "pictures inside a text": Situation(
        take="M-RoPE, with pairs dealt to time, row and column in turn.",
        instead="RoPE in the text, and places in the picture's network only, as in Gemma 3.",
        why="Row and column stay apart. In text its three positions are equal, and it is RoPE.",
        released="Qwen3-VL.",
        unknown="We know of no comparison of the two.",
        costs="No parameters, any kernel. Beside the cache, keep how far positions lag behind tokens (`rope_deltas`).",
        unless="Your text model was trained without it and pictures are few: take the alternative.",
        test="Text alone gives what RoPE gives. Swap two pictures that a question tells apart: the answer changes.",
    ),
    "video": Situation(
        take="RoPE on three axes: some pairs turn by time, some by row, some by column.",
        instead="M-RoPE, if the video comes inside a text.",
        why="There are three offsets, and each needs pairs that turn by it.",
        released="V-JEPA 2 is built so.",
        unknown="How it compares with other schemes.",
        costs="No parameters, any kernel.",
        unless="The rate of frames changes: count seconds, not frames.",
        test="Play it backwards: answers about before and after are swapped.",
    ),
    "a tiny decoder, texts longer than in training": Situation(
        take="Transformer-XL, for a low loss and for far questions.",
        instead="FoX, for the last of many writes, and for speed.",
        why="In our study its loss in text is among the lowest and stays level, and it finds names told far back.",
        small=f"Loss in text at 128 tokens, and its change up to 1,024: Transformer-XL {nats('transformer-xl')} and "
        f"{change('transformer-xl')}, FoX {nats('fox')} and {change('fox')}, RoPE {nats('rope')} and {change('rope')}. "
        f"Far names: {found('transformer-xl')}, {found('fox')}, {found('rope')}. Last writes: "
        f"{found('transformer-xl', BITS)}, {found('fox', BITS)}, {found('rope', BITS)}.",
        costs=f"D² + 2 · D parameters a layer, {time('transformer-xl')} times RoPE's training time in our study, no "
        "flash kernel: SDPA with a mask of n × n numbers, or FlexAttention. FoX: H · (D + 1) parameters, "
        f"{time('fox')} times RoPE's time, one more channel in SDPA, a number per head and token in the cache.",
        unless="The model will grow: then kernels count, and two layers say little. See the first two situations.",
        test="`own_scheme.train` with three seeds, and questions about far tokens.",
    ),
}

BATCH = {
    "prompts padded on the left": Situation(
        take="Give the model the mask, and positions counted from it.",
        instead="Pad on the right, if nothing is generated.",
        why="Then each token has the position that it would have alone.",
        computed=f"Tiny models of {FAMILIES} families. With the mask alone, {' and '.join(COUNTING)} answer "
        "differently from the text alone. With positions 0, 1, 2, … only RoBERTa does, because its positions "
        "begin after `padding_idx`.",
        costs="One line, `positions = (mask.cumsum(-1) - 1).clamp(min=0)`. In transformers 5.23, `generate` does this.",
        unless="The model is RoBERTa: give it the mask only.",
        test="A padded prompt gives what it gives alone: for a decoder, `checkup(model)`, and "
        f"`positions_with_padding` ({chapter('which_one')}).",
    ),
    "several texts packed into one row": Situation(
        take="One text per row, until a test shows that your model keeps packed texts apart.",
        instead="Positions from 0 in each text, no mask, and `use_cache=False`.",
        why="A leak raises no error. Few models look for borders, and a linear layer carries its state over.",
        computed=f"Tiny models of {FAMILIES} families, given the alternative: only {', '.join(KEPT_APART[:-1])} and "
        f"{KEPT_APART[-1]} keep the texts apart, and with `use_cache=True` none.",
        unknown="Kernels that take the lengths of the texts (`cu_seq_lens`) need a GPU. We have not run them.",
        costs="The padding that packing would save.",
        unless="Your kernel takes lengths, or your own mask hides the other texts.",
        test="The second text of a row gives what it gives alone: for a decoder, the lines *packed* of "
        "`checkup(model)`.",
    ),
}

HAVE = {
    "Llama 3.1 or 3.2: longer texts": Situation(
        take="Change nothing, up to 131,072 tokens.",
        instead="Past that, a window that keeps token 0, if nothing far is asked.",
        why="Its file has a rule, which slows its open pairs by 8 (by 32 in the 1B and 3B of Llama 3.2).",
        released="The files of Llama 3.1 8B and Llama 3.2 1B.",
        unknown="The file of the 3B, which we have not seen.",
        paper="Llama Team 2024: 800 billion tokens of training on longer texts (405B).",
        costs=f"{gib(32, 2048):.1f} GiB for 32k tokens (8B). Any kernel.",
        unless="Yours is Llama 3 of April 2024, which has no rule and reads 8,192 tokens: take 3.1.",
        test="The slowest pairs are 8 or 32 times slower than without the rule. Then a pass key.",
    ),
    "Qwen 3: longer texts": Situation(
        take="Past 32,768 tokens, YaRN by the length divided by 32,768, at most 4. Leave it out for shorter texts.",
        instead="A 2507 release (262,144 tokens), if your size has one.",
        why="The factor acts at every length, so it may harm short texts.",
        released="Its file says 40,960 positions. The rule needs 32,768, the length of its training.",
        unknown="Its cards, which we know only as others quote them.",
        small=f"{YARN} by 8: from {repaired('as trained')[0]:.2f} to {repaired(YARN)[0]:.2f} nats at 128 tokens.",
        costs=f"{gib(36, 2048):.1f} GiB for 32k tokens (8B). Any kernel.",
        unless="You can train on long texts: then compare with training without any rule. In our small models, 600 "
        "steps of it did as well.",
        test=f"Short texts first (`short_text`, {chapter('stretching_rope')}), then a pass key.",
    ),
    "Qwen 3.5, Kimi Linear, hybrids with linear layers: longer texts": Situation(
        take="Change nothing, up to the length in its file.",
        why="Most of its layers have no positions to stretch: their gates say how far back a token counts.",
        released="Kimi Linear rotates nowhere, Qwen 3.5 a quarter of the channels in every fourth layer.",
        unknown="This course has run no such model on long texts.",
        costs=f"{gib(8, 2048):.1f} GiB for 32k tokens, not {gib(32, 2048):.1f} (Qwen 3.5). Linear kernels.",
        unless="Past 262,144 tokens: Qwen 3.5's card gives YaRN.",
        test="A pass key at several depths, and the last of many writes.",
    ),
    "Gemma 3 or 4: longer texts": Situation(
        take="Change nothing, up to the length in its file.",
        why="Five of six layers are windows, which meet no new distance, and the sixth was made for long texts.",
        computed="In Gemma 4's full layers, the slowest pair that rotates makes a turn in "
        f"{2 * np.pi / frequencies(512, 1e6)[63]:.0f} tokens, so none is open.",
        paper="Gemma Team 2025: past 128k tokens, Gemma 3 degrades rapidly.",
        costs=f"{gib(5, 2048) + gib(29, 2048, 1024):.2f} GiB for 32k tokens, not {gib(34, 2048):.2f} (Gemma 3 4B).",
        unless="You need more (Gemma 3 1B: 32,768; most others: 131,072): then take another model.",
        test="Your program has both sets of speeds: base 10,000 in windows, 1,000,000 elsewhere. Then a pass key.",
    ),
    "gpt-oss: longer texts": Situation(
        take="Change nothing, up to 131,072 tokens: its file has YaRN by 32 from 4,096.",
        why="It was trained with this rule, windows of 128 in every second layer and a learned sink in every head.",
        released="GptOssConfig in transformers 5.23.",
        costs=f"{gib(12, 1024) + gib(12, 1024, 128):.2f} GiB for 32k tokens (20B). A kernel with windows and sinks.",
        unless="You train it on packed texts: its masks do not see the positions, so keep one text per row.",
        test=f"Your program reads `truncate: false` and the sinks (`sink_output`, {chapter('windows_and_sinks')}).",
    ),
    "DeepSeek-V3 or V4: longer texts": Situation(
        take="Change nothing: the file of V3 has YaRN by 40 from 4,096.",
        why="V3 was trained with it in two further stages of 1,000 steps.",
        released="DeepseekV4Config in transformers 5.23: if V4 takes YaRN, then without its temperature.",
        paper="DeepSeek-AI 2024 (V3): stages of 32k and 128k tokens.",
        unknown="What the files of V4 say. We have not seen them.",
        costs=f"{gib(61, 512 + 64):.1f} GiB for 32k tokens (V3); plain heads would need "
        f"{gib(61, 128 * (192 + 128)):.0f}. Its own kernels.",
        unless="Texts exceed the 128k tokens that V3 was trained on: split them, and search for the right part.",
        test="In V4, no temperature multiplies query and key. Then a pass key.",
    ),
    "SmolLM2: texts longer than 8,192 tokens": Situation(
        take="YaRN by 2, up to 16,384 tokens, after a test of your own.",
        instead="A window of 1,024 that keeps token 0, if nothing far is asked.",
        why="It finds far keys that the released model misses, and costs "
        f"{alice('YaRN 2', 'difference', 8192)} nats before token 8,192.",
        released=f"After token 8,192 of one text: {alice('as released')} nats as released, {alice('YaRN 2')} with "
        f"YaRN, {alice('window 1024, kept [0]')} with the window. Pass keys in 12,000 tokens: "
        f"{pass_keys('as released')}, and {pass_keys('YaRN 2')} with YaRN. Against it: across a gap of 16,384, YaRN "
        "by 4 does as badly as hiding the words before it, and finds no key, but all across 12,000 and 20,000.",
        unknown="Whether this holds for other long texts.",
        costs=f"{gib(30, 384, 16_384):.2f} GiB for 16,384 tokens, {gib(30, 384, 1024):.2f} with a window. Any kernel.",
        unless="You can train on long texts: then compare with training without any rule. In our small models, 600 "
        "steps of it did as well.",
        test="`own_repair.measure`: short texts, a gap, a near key and a far key. Then keys at several distances, and "
        "your own texts.",
    ),
    "T5 or umT5: longer texts": Situation(
        take="Give it longer inputs as they are. Do not rely on outputs longer than its targets were.",
        why="T5 is two models: training filled the last bucket of the encoder, and hardly that of the decoder.",
        computed=f"The encoder's last bucket begins at {bucket_starts()[-1]}, in inputs of 512 tokens. The decoder's "
        f"begins at {bucket_starts(bidirectional=False)[-1]}, which one pair of a target of {TARGET} tokens reaches.",
        small=f"At 1,024 tokens: {change('t5-64')} nats if training filled the last bucket, {change('t5-256')} if it "
        "reached none of the last four.",
        unknown="Whether fine-tuning on long targets has repaired this in your T5.",
        costs=f"{gib(12, 2 * 12 * 64):.1f} GiB for an input of 32k tokens (base). SDPA, but no flash kernel.",
        unless="Yours was fine-tuned on long outputs, and passes the test.",
        test="The loss by place in the output, for long outputs, and answers about the end of long inputs.",
    ),
    "BERT or RoBERTa: longer texts": Situation(
        take="Pieces of 512 tokens that overlap.",
        instead="An encoder with RoPE, such as ModernBERT.",
        why="Its table ends: no row was trained for a later position.",
        computed="BERT in transformers 5.23 raises an error at 600 tokens.",
        costs="More passes. Any kernel.",
        unless="You can train: copy rows into a longer table, and train further.",
        test="The same sentence gives the same answer early and late in a piece.",
    ),
    "a ViT: larger images": Situation(
        take="Resize its table to the new grid (`interpolate_pos_encoding=True`), and train a little more.",
        instead="DINOv3, which divides positions by the size of the image.",
        why="Its table is a grid of places, so it can be interpolated. The vectors in between were not trained.",
        computed="In transformers 5.23, a ViT raises an error at another size without it. DINOv3 and Swin run.",
        costs="No parameters but the new table. Any kernel.",
        unless="You cannot train, and the accuracy falls: resize the images instead.",
        test="The accuracy at both sizes, before and after.",
    ),
    "BLOOM, MPT or Falcon with ALiBi: longer texts": Situation(
        take="Use it as it is, if the answer is near its question.",
        instead="Split the text into chunks, and search for the right one.",
        why="Its line continues, and far keys lose their weight.",
        small=f"At 1,024 tokens, {change('alibi')} nats in text, and {found('alibi')} of far names found.",
        paper="Press et al. 2022: the loss stays low at many times the length.",
        costs=f"{gib(30, 2 * 32 * 128):.0f} GiB for 32k tokens (BLOOM-7B1). SDPA, or flash-attn 2 with slopes.",
        unless="Something far back is asked: take another model.",
        test="The loss with the far keys hidden but the first tokens kept "
        f"(`use_of_far_keys`, {chapter('windows_and_sinks')}).",
    ),
}

SITUATIONS = {"You train a new model": NEW, "You fill a batch, for any model": BATCH, "You have a model": HAVE}
