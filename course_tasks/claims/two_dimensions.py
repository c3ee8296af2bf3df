"""Claims about positions in pictures: Swin, axial RoPE, M-RoPE."""

import numpy as np

from course_lib.reference import axial_rope, rope
from course_lib.reference.attention import scores
from course_lib.reference.axial_rope import axial, grid_positions, mrope, text_positions
from course_tasks.claims.claim import claim


@claim(
    "Read line by line, an image is a sequence: the offset in the list tells where a patch is.",
    stated="false",
    verdict=lambda fact: "true" if fact["with several places"] == 0 else "false",
    otherwise={"offsets in the list": 31, "with several places": 0},
    because="In an image of four by four patches, {fact[with several places]} of the {fact[offsets in the list]} offsets "
    "in the list are two different offsets in the image. One place on is the next patch to the right, or the first of the "
    "next line. So no bias by list offset, and no RoPE over the list, can tell these apart.",
    source="run: all pairs of sixteen patches",
)
def list_offsets_are_enough():
    place = grid_positions(4, 4)
    i, j = np.divmod(np.arange(16 * 16), 16)
    offsets = np.column_stack([j - i, place[j] - place[i]])  # in the list, in rows, in columns
    _, places = np.unique(np.unique(offsets, axis=0)[:, 0], return_counts=True)
    return {"offsets in the list": places.size, "with several places": int(np.sum(places > 1))}


@claim(
    "With axial RoPE, positions reach the scores only as offsets in row and column.",
    stated="true",
    verdict=lambda fact: "true" if fact["scores change by"] < 1e-6 else "false",
    otherwise={"queries change by": 3.1, "scores change by": 0.8},
    because="Move an image by three rows and five columns: the rotated queries change by up to {fact[queries change by]}, "
    "the scores by {fact[scores change by]}. Half of the pairs turn by the row and half by the column, so each half is "
    "plain RoPE along its axis.",
    source="run: nine random patches of sixteen channels; Heo et al. 2024, axial frequencies",
)
def axial_is_relative():
    q, k = np.random.default_rng(0).normal(size=(2, 9, 16))
    here = grid_positions(3, 3)
    there = here + np.array([3, 5])
    before, after = (
        [axial_rope.rotate(x, place, *axial(16)) for x in (q, k)] for place in (here, there)
    )
    moved = scores(*after) - scores(*before)
    change = {"queries": abs(after[0] - before[0]).max(), "scores": abs(moved).max()}
    return {f"{name} change by": round(float(x), 6) for name, x in change.items()}


@claim(
    "A text without pictures is read by M-RoPE exactly as by RoPE.",
    stated="true",
    verdict=lambda fact: "true" if fact["words"] < 1e-9 else "false",
    otherwise={"words": 0.7, "words around a picture": 0.7},
    because="Ten rotated queries differ by up to {fact[words]} if all are words, because a word has the same number for "
    "time, row and column. With a picture of two by two patches among them they differ by up to {fact[words around a "
    "picture]}.",
    source="run: random queries, sections of Qwen2-VL; Wang et al. 2024, “Multimodal Rotary Position Embedding (M-RoPE)”",
)
def mrope_reads_words():
    q = np.random.default_rng(0).normal(size=(10, 128))
    words, around = text_positions([10]), text_positions([3, (2, 2), 3])
    differ = {}
    for name, positions in {"words": words, "words around a picture": around}.items():
        turned = axial_rope.rotate(q, positions, *mrope(128, (16, 24, 24)))
        differ[name] = round(float(abs(turned - rope.rotate(q)).max()), 6)
    return differ


@claim(
    "M-RoPE treats time, rows and columns alike.",
    stated="half true",
    verdict=lambda fact: (
        "true"
        if all(max(fast) < 2 * min(fast) for fast in fact.values())
        else "half true"
        if any(max(fast) < 2 * min(fast) for fast in fact.values())
        else "false"
    ),
    otherwise={"in blocks": [1.0, 0.9, 0.8], "in turn": [1.0, 0.9, 0.8]},
    because="In Qwen2-VL, pairs are dealt in blocks. The fastest pair of time turns at speed {fact[in blocks][0]}, that of "
    "rows at {fact[in blocks][1]}, and that of columns at {fact[in blocks][2]}: neighbouring columns look nearly the same. "
    "Qwen3-VL deals the pairs in turn, and the fastest turn at {fact[in turn][0]}, {fact[in turn][1]} and "
    "{fact[in turn][2]}.",
    source="run: the speeds of both; Wang et al. 2024 (Qwen2-VL); Huang et al. 2025, arXiv 2510.23095",
)
def axes_alike():
    forms = {
        "in blocks": mrope(128, (16, 24, 24)),
        "in turn": mrope(128, (24, 20, 20), interleaved=True),
    }
    found = {}
    for name, (axis, speeds) in forms.items():
        found[name] = [round(float(speeds[axis == a].max()), 4) for a in range(3)]
    return found
