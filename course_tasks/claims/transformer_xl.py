"""Claims about Transformer-XL."""

from course_tasks.claims.claim import claim


@claim(
    "Transformer-XL's relative positions add only O(d) parameters to a layer.",
    stated="false",
    verdict=lambda fact: "true" if fact["times"] < 3 else "false",
    otherwise={"channels": [256, 512], "numbers": [512, 1_024], "times": 2.0},
    because="With {fact[channels][0]} channels a layer learns {fact[numbers][0]:,} numbers for position, with "
    "{fact[channels][1]} it learns {fact[numbers][1]:,}: twice the channels, {fact[times]} times the numbers. The "
    "vectors u and v are O(d), but the map of the distances has d × d numbers.",
    source="run: the parameters of the course's module counted; Dai et al. 2019, section 3.3",
)
def xl_adds_few_numbers():
    from course_lib.nn.transformer_xl import TransformerXL

    channels = [256, 512]
    numbers = [sum(p.numel() for p in TransformerXL(d, 8).parameters()) for d in channels]
    return {"channels": channels, "numbers": numbers, "times": round(numbers[1] / numbers[0], 2)}
