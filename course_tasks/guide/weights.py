"""Which weights does it start from? Published weights come with their scheme."""

from course_lib.figures.decision_guide import CAVEAT, Rule
from course_tasks.measured import LAST, mean

from .rules import given

WINDOW, STRETCHED, CONTROL = (
    mean(f"{name}, 0 at 128", "characters", LAST, file="repairs") for name in ("window", "YaRN's code", "as trained")
)

WEIGHTS = {
    "new ones": [],
    "from GPT-2, BERT": given(
        "learned", "A row per position: no text may be longer than the table.", "absolute_positions"
    ),
    "from Transformer-XL": given(
        "Transformer-XL", "Find out with which sign of the distance it was trained.", "transformer_xl"
    ),
    "from T5": given("T5 buckets", "No scaling, one table for a whole stack, offsets key − query.", "t5_buckets"),
    "from BLOOM, MPT": given(
        "ALiBi", "Take the authors' slopes if the number of heads is not a power of two.", "alibi"
    ),
    "from Llama, GPT-NeoX": given(
        "RoPE",
        "Hugging Face's code for these two takes half-split pairs of channels, but GPT-J and Meta's own code take "
        "interleaved ones.",
        "rope",
        Rule(
            CAVEAT,
            "stretched RoPE",
            f"A repair: without further steps, YaRN's code brought small models from {CONTROL:.2f} nats at 1,024 tokens "
            f"to {STRETCHED:.2f}.",
            "longer_than_training, stretching_rope",
        ),
        Rule(
            CAVEAT,
            "sliding window",
            f"A window put on RoPE: without further steps, it brought small models from {CONTROL:.2f} nats at 1,024 "
            f"tokens to {WINDOW:.2f}.",
            "longer_than_training, stretching_rope",
        ),
        Rule(
            CAVEAT,
            "M-RoPE",
            "In text it is RoPE, so these weights fit. About pictures they have learned nothing.",
            "two_dimensions",
        ),
    ),
    "from Mistral 7B": given(
        "sliding window", "The paper counts w + 1 keys; the code shows w.", "windows_and_sinks"
    ),
    "from Swin": given("Swin", "Its code counts query − key: the table is read backwards here.", "two_dimensions"),
    "from Qwen2-VL": given(
        "M-RoPE", "Pairs of channels are dealt to time, row and column in blocks.", "two_dimensions"
    ),
}
