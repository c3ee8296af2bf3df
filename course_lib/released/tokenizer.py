"""The tokenizer of the model, made from the metadata of its file: bytes, digits one by one, then merges."""

from typing import Any

CONTROL = 3  # the type of tokens such as <|im_start|>, which merges never produce


def tokenizer(metadata: dict[str, Any]) -> Any:
    """A `tokenizers.Tokenizer`: byte-level BPE with each digit a token of its own, and no start token.

    A control token that is written in a text is cut out before anything is merged.
    Raises ImportError if the package `tokenizers` is missing.
    Source: SmolLM's tokenizer.json; llama.cpp splits in the same way, its pre-tokenizer "smollm".
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # which recorded lessons do not need

    names = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ")) for pair in metadata["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE(vocab={name: number for number, name in enumerate(names)}, merges=merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    control = [name for name, kind in zip(names, metadata["tokenizer.ggml.token_type"]) if kind == CONTROL]
    made.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in control])
    return made
