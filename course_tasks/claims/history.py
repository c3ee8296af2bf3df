"""Claims about what papers reported, and when. Their numbers are quoted, with the place in the paper."""

from course_tasks.claims.claim import claim


@claim(
    "A T5 reaches 84.5 on GLUE with its relative bias, and 83.2 with sines.",
    chapter="longer_than_training",
    stated="unsourced",
    verdict=lambda fact: (
        "true" if min(fact["found"].values()) > 0 else "half true" if max(fact["found"].values()) > 0 else "unsourced"
    ),
    otherwise={"reported": [84.5, 83.2, 85.97], "found": {"with the bias": 1, "with sines": 1}},
    because="The numbers go around as those of the T5 paper. For models of this size it reports {fact[reported][0]}, "
    "{fact[reported][1]} and {fact[reported][2]}, all with the bias. The first number of the sentence occurs "
    "{fact[found][with the bias]} times among them, the second {fact[found][with sines]} times. The paper leaves a "
    "comparison with other positions for later work.",
    quoted=True,
    source="Raffel et al. 2020, table 15 (baseline, Baseline-1T, T5-Base) and section 2.1",
)
def t5_compares_on_glue():
    reported, said = [83.28, 84.80, 85.97], {"with the bias": 84.5, "with sines": 83.2}
    found = {name: sum(round(x, 1) == number for x in reported) for name, number in said.items()}
    return {"reported": reported, "found": found}


@claim(
    "T5 reached the state of the art in translation.",
    chapter="t5_buckets",
    stated="false",
    verdict=lambda fact: (
        "true" if min(fact["ahead by"].values()) > 0 else "half true" if max(fact["ahead by"].values()) > 0 else "false"
    ),
    otherwise={"ahead by": {"German": 0.4, "French": 0.2, "Romanian": 1.5}},
    because="In the three translation tasks of WMT that the paper reports, its largest model is ahead of the best earlier "
    "result by {fact[ahead by][German]} (into German), {fact[ahead by][French]} (French) and "
    "{fact[ahead by][Romanian]} (Romanian) points of BLEU: it is behind in all of them, and the paper says so.",
    quoted=True,
    source="Raffel et al. 2020, section 3.7 and table 14: T5-11B 32.1, 43.4, 28.1; the best before it 33.8, 43.8, 38.5",
)
def t5_leads_in_translation():
    bleu = {"German": (32.1, 33.8), "French": (43.4, 43.8), "Romanian": (28.1, 38.5)}
    ahead = {language: round(t5 - before, 1) for language, (t5, before) in bleu.items()}
    return {"ahead by": ahead}


@claim(
    "Relative positions in attention began with Transformer-XL and T5.",
    chapter="vector_per_distance",
    stated="false",
    verdict=lambda fact: "true" if fact["first"] in ("Transformer-XL", "T5") else "false",
    otherwise={"papers": 5, "first": "Transformer-XL", "months earlier": 0},
    because="Of {fact[papers]} papers with relative positions in attention the first is that of {fact[first]}, "
    "{fact[months earlier]} months before Transformer-XL: it adds a learned number per offset to the scores, and all far "
    "offsets share one number. Shaw et al. followed with vectors. There may be earlier papers still.",
    quoted=True,
    source="the dates of the preprints: arXiv 1606.01933 (section 3.4), 1803.02155, 1809.04281, 1901.02860, 1910.10683",
)
def who_began():
    appeared = {  # year and month
        "T5": (19, 10),
        "Transformer-XL": (19, 1),
        "Music Transformer": (18, 9),
        "Shaw et al.": (18, 3),
        "Parikh et al.": (16, 6),
    }
    months = {name: 12 * year + month for name, (year, month) in appeared.items()}
    first = min(months, key=months.__getitem__)
    earlier = months["Transformer-XL"] - months[first]
    return {"papers": len(months), "first": first, "months earlier": earlier}
