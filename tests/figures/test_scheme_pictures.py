"""The pictures of single schemes: at every stop of their sliders the numbers are those of the reference."""

import math
import re
from base64 import b64decode
from itertools import pairwise

import numpy as np
import pytest
import torch

from course_kit import figures
from course_kit.figures.alibi_slopes import DISTANCES, plain_slopes
from course_kit.figures.decoding_step import SAYS
from course_kit.figures.learned_table import DISTANCES as LEARNED_DISTANCES
from course_kit.figures.map_of_schemes import PLACES
from course_lib import learned
from course_lib.example import TOKENS, K, Q
from course_lib.nn.alibi import ALiBi
from course_lib.nn.bias import DecayBias
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_lib.reference.absolute import frequencies
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_lib.reference.bias import decay_bias
from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.music_transformer import skew_causal
from course_lib.reference.rope import rotate
from course_lib.reference.shaw import clip_index
from course_lib.reference.t5 import bucket, bucket_starts
from course_lib.reference.transformer_xl import relative_shift
from course_lib.reference.window import partition, shift_mask, window_index
from course_lib.schemes import SCHEMES

from .reading import frames, texts


def at_every_stop(picture):
    """For each frame the labels of its stops, its tables and drawings, and its words."""
    labels = [stops for _, _, stops in picture._data["sliders"]]
    for places, (shown, words) in frames(picture).items():
        yield [stops[place] for stops, place in zip(labels, places, strict=True)], shown, words


def found(text):
    """The numbers in a text."""
    return [float(number.replace("−", "-")) for number in re.findall(r"[−-]?\d+\.?\d*", text)]


def column(table, place):
    """The first number in each cell of a column."""
    return np.array([found(line[place])[0] for line in texts(table)])


def spoken(*tables):
    """What the cells say instead of their texts."""
    return [cell[3] for table in tables for line in table[3] for cell in line if cell[3:]]


def test_the_bias_and_what_it_does_to_a_weight():
    for (strength, decay), (table,), words in at_every_stop(figures.bias_heatmap(n=8)):
        bias = decay_bias(8, strength=float(strength), decay=decay)
        assert np.allclose([found(text)[0] for line in texts(table) for text in line], bias.ravel(), atol=5.01e-5)
        assert np.allclose([found(says)[-1] for says in spoken(table)], np.exp(bias.ravel()), atol=5.01e-5)
        assert f"−{float(strength):g} · " in words


def test_the_keys_that_gain_are_those_whose_factor_is_above_the_mean():
    for (query, strength), (table,), words in at_every_stop(figures.attention_explorer(Q, K)):
        i = int(query[0])
        bias = decay_bias(5, strength=float(strength))[i]
        before, after, factor = softmax(scores(Q, K)[i]), softmax(scores(Q, K)[i] + bias), np.exp(bias)
        for place, right in enumerate((offsets(5)[i], before, after, factor)):
            assert np.allclose(column(table, place), right, atol=5.01e-5)
        gains = (factor > before @ factor) & (float(strength) > 0)
        for key, (*_, side, change) in enumerate(texts(table)):
            assert ("above" in side, "gains" in change) == (gains[key], gains[key])
            assert np.isclose([0, *found(change)][-1], after[key] - before[key], atol=5.01e-5)
        assert words.endswith(f"Here: {', '.join(np.array(TOKENS)[gains])}." if gains.any() else "nothing moves.")


def test_every_bucket_and_its_calculation_and_what_is_never_used():
    for (query, num, most, direction), (strip, shared), words in at_every_stop(figures.bucket_explorer()):
        sizes = {"num_buckets": int(num), "max_distance": int(most), "bidirectional": direction == "both"}
        starts = bucket_starts(**sizes)
        n, r = len(starts), np.arange(21) - int(query)
        assert [found(text)[0] for text in texts(strip)[0]] == r.tolist()
        assert [found(text)[0] for text in texts(strip)[1]] == bucket(r, **sizes).tolist()
        first = sorted(set(starts[n // 2 :]))
        spans = [f"{start} – {after - 1}" for start, after in pairwise(first)]
        assert shared[2][2] == [*spans, f"{first[-1]} and more"]
        for says in spoken(strip, shared):
            if "⌊" in says:
                d, exact, inside, b, *_ = found(says)
                assert exact + math.floor(inside) == b and min(b, n - 1) == bucket(-int(d), **sizes)
        unused = set(range(int(num))) - set(bucket(range(-2000, 2001), **sizes).tolist())
        assert set(found(words.partition(f"begins at distance {starts[-1]}.")[2])) == unused


def test_every_cell_takes_the_row_that_shaw_gives_it():
    for (n, clip), (grid, table), words in at_every_stop(figures.clip_grid()):
        n, clip = int(n), int(clip)
        rows = clip_index(offsets(n), clip).ravel()
        ends = [(found(text)[0], found(text)[-1]) for line in texts(grid) for text in line]
        assert ends == list(zip(offsets(n).ravel(), rows - clip))
        assert [found(cell[4])[0] for line in grid[3] for cell in line] == rows.tolist()
        assert column(table, 2).tolist() == np.bincount(rows, minlength=2 * clip + 1).tolist()
        assert [found(line[0][4])[0] for line in table[3]] == list(range(2 * clip + 1))  # each outlines its own
        for row, (_, span, _) in enumerate(texts(table)):
            taken = offsets(n).ravel()[rows == row].tolist()
            assert (found(span)[:1], found(span)[-1:]) == (sorted(taken)[:1], sorted(taken)[-1:])
        beyond = (abs(offsets(n)) > clip).sum()
        assert words.startswith(f"{beyond} of {n * n} cells" if beyond else f"No offset exceeds {clip}")
        assert (f"has {n - clip} of its own and collects {beyond // 2} more" in words) == (0 < clip < n - 1)


def test_both_formulas_for_the_slopes_and_the_biases():
    for (heads, formula), (table,), words in at_every_stop(figures.alibi_slopes()):
        both = slopes(int(heads)), np.array(plain_slopes(int(heads)))
        m = both["code" not in formula]
        for place, right, digits in ((0, both[0], 4), (1, both[1], 4), (3, 1 / m, 1)):
            assert np.allclose(column(table, place), right, atol=0.501 * 10**-digits)
        assert np.allclose([2 ** (a * h / n) for _, a, h, n in (found(line[2]) for line in texts(table))], m)
        for place, d in enumerate(DISTANCES, 4):
            assert np.allclose(column(table, place), -m * d, atol=0.00501)
        differ = (~np.isclose(*both)).sum()
        assert (f"differ in {differ} of {heads} heads" if differ else "both formulas give the same slopes") in words


def test_the_learned_table_is_drawn_and_written_as_it_is_in_the_file():
    learned_table, offset = learned.read("mpnet", "table"), np.arange(-127, 128)
    for (head,), (*drawings, table), words in at_every_stop(figures.learned_table()):
        framed = ["#b35a00" in "".join(parts) for parts, _ in drawings]
        assert framed == [h == int(head) for h in range(12)]
        for h, (parts, alt) in enumerate(drawings):
            b = learned_table[bucket(offset), h]
            path = re.search(r'<path d="(M[^"]*V[^"]*)" fill="none" stroke="#0066cc"', "".join(parts))[1]
            left, first, *rest = found(path.replace("V", " ").replace("H", " "))
            heights, edges = np.array([first, *rest[0::2]]), np.array([left, *rest[1::2]])
            assert np.allclose(4 - 16 * (heights[1:] - 20) / 78, b[np.append(np.diff(b) != 0, True)], atol=0.011)
            middle, half = edges[[0, -1]].mean(), np.ptp(edges) / 2
            ends = np.sign(edges - middle) * (128 ** (abs(edges - middle) / half) - 1)
            assert np.allclose(ends[1:-1], offset[:-1][np.diff(b) != 0] + 0.5, rtol=0.01, atol=0.01)
            assert found(alt)[:1] + found(alt)[1::2] == [h, *(round(b[127 + r], 1) for r in (-1, 0, 1))]
        b = learned_table[bucket(offset), int(head)]
        rows = [0, *LEARNED_DISTANCES]
        assert np.allclose(column(table, 0), b[127 - np.array(rows)], atol=0.0501)
        after = [found(line[1]) for line in texts(table)]
        assert after[0] == [] and np.allclose(np.concatenate(after[1:]), b[127 + np.array(rows[1:])], atol=0.0501)
        assert found(words) == [int(head), *(round(b[127 + r], 1) for r in (0, -1, 1))]


def test_the_arrows_their_products_and_the_score():
    seen = {}
    for stops, (*drawings, table), words in at_every_stop(figures.rope_rotation()):
        i, j, both, base = map(int, stops)
        q, k = (rotate(x[None], past=p + both, base=base)[0] for x, p in ((Q[2], i), (K[4], j)))
        tips = np.array([found(line[3]) + found(line[4]) for line in texts(table)])
        half = len(q) // 2
        assert np.allclose(tips, np.stack([q[:half], q[half:], k[:half], k[half:]], 1), atol=5.01e-5)
        assert np.allclose(column(table, 6), q[:half] * k[:half] + q[half:] * k[half:], atol=5.01e-5)
        assert np.isclose(found(words)[-1], q @ k, atol=5.01e-5)
        lengths = np.hypot(*tips.T[:2]) * np.hypot(*tips.T[2:])
        assert np.allclose(np.cos(column(table, 5)) * lengths, column(table, 6), atol=5e-4)
        assert np.allclose(column(table, 1), (i + both) * frequencies(len(q), base), atol=5.01e-5)
        for (parts, _), (a, b, c, d) in zip(drawings, tips, strict=True):
            shown = [complex(found(part)[4], -found(part)[5]) * math.sqrt(2) / 66 for part in parts[4:6]]
            assert np.allclose(shown, [a + b * 1j, c + d * 1j], atol=2e-3)
            assert np.isclose(np.exp(-1j * np.deg2rad(found(parts[2])[0])), np.exp(1j * np.arctan2(b, a)), atol=2e-3)
        angles = [line[5:] for line in texts(table)]
        assert seen.setdefault((j - i, base), angles) == angles  # whatever moves both


def test_each_hand_of_a_clock_points_where_rotate_takes_the_arrow():
    positions, d = (0, 1, 4, 44), 8
    start = np.repeat([1.0, 0.0], d // 2)  # each pair is the arrow (1, 0)
    html = figures.rope_clocks(positions, d=d)._repr_html_()
    faces = [b64decode(face).decode() for face in re.findall('base64,([^"]*)', html)]
    assert "θ = 1<br>one turn: 6.28 steps" in html and len(faces) == 4
    for m, face in enumerate(faces):
        tips = np.array(re.findall(r"M([\d.-]+) ([\d.-]+)L", face), float)[1::2][::-1]
        for p, (right, down) in zip(positions, tips, strict=True):
            turned = rotate(start[None], past=p)[0]
            np.testing.assert_allclose([right, -down], np.hypot(right, down) * turned[[m, m + d // 2]], atol=0.08)


def test_the_new_row_is_the_one_the_modules_give():
    buckets = T5Bias(1, bidirectional=False)
    with torch.no_grad():
        buckets.table[:, 0] = torch.arange(32.0)
    for (scheme, past), ((grid, every), words) in frames(figures.decoding_step()).items():
        row = dict(zip(SAYS, texts(every), strict=True))
        for name, module in {"log decay": DecayBias(0.3), "ALiBi": ALiBi(2)}.items():
            shown = [found(text)[0] for text in row[name]]
            assert np.allclose(shown, module.bias(1, past + 1, past)[0], atol=1e-4)
        assert row["T5 buckets"] == [f"b[{int(b)}]" for b in buckets.bias(1, past + 1, past)[0]]
        first = ShawVectors(1, 4, clip=2).key_vectors(1, past + 1, past).first
        rows = np.clip(np.arange(past + 1) + first, 0, 4) - 2
        assert row["Shaw"] == [f"a[{r}]".replace("-", "−") for r in rows]
        assert texts(grid)[past][: past + 1] == list(row.values())[scheme]
        assert (np.array(texts(grid)) != "").tolist() == (np.tri(5) * (np.arange(5) <= past)[:, None] > 0).tolist()
        assert words.startswith(f"{past + 1} new score")


def brute_force(train, test, scheme, clip):
    """Train on every pair below `train`, note what was used, and look for pairs that need something else."""

    def needs(size):
        i, j = np.mgrid[:size, :size]
        return {"absolute": [i, j], "relative": [j - i], "clipped": [np.clip(j - i, -clip, clip)]}[scheme]

    return np.any([~np.isin(new, used) for new, used in zip(needs(test), needs(train))], axis=0)


def test_each_block_holds_the_share_of_its_pairs_that_is_unseen():
    for (train, test, label), (table,), words in at_every_stop(figures.seen_pairs()):
        train, test, (scheme, *clip) = int(train), int(test), label.split(" to ±")
        unseen = brute_force(train, test, scheme, int(*clip))
        assert words.startswith(f"{unseen.sum():,} of {test**2:,} pairs")
        blocks = 100 * unseen.reshape(8, test // 8, 8, -1).mean((1, 3))
        assert texts(table) == [[f"{share:.0f}" for share in line] for line in blocks]


def test_every_patch_shows_its_row_and_the_table_is_coloured_where_the_query_reads_it():
    for (size, query), ((patches, table), words) in frames(figures.window_index()).items():
        window = size + 2
        query = min(query, window**2 - 1)
        read = window_index(window)[query]
        assert patches[2][4] == [1, list(range(window**2))]  # each patch chooses itself
        shown = [text.split("\n")[1] for line in texts(patches) for text in line]
        assert shown == [f"{k} query" if p == query else str(k) for p, k in enumerate(read)]
        assert texts(table) == np.arange((2 * window - 1) ** 2).astype(str).reshape(2 * window - 1, -1).tolist()
        assert words.endswith(f"reads {window**2} of {(2 * window - 1) ** 2} rows of the table.")
        coloured = [cell[0] for line in table[3] for cell in line if cell[2] != "background-color:#dfe3e8"]
        assert coloured == read.astype(str).tolist()


def test_a_piece_in_a_window_is_what_the_mask_lets_through():
    for (size, shift), ((image, rolled), words) in frames(figures.shifted_windows()).items():
        window, n = size + 2, 2 * size + 4
        shift = min(shift, window - 1)
        number, piece = np.moveaxis(np.array([[text.split() for text in line] for line in texts(rolled)]), -1, 0)
        assert (number.astype(int) == np.roll(np.arange(n**2).reshape(n, n), (-shift, -shift), (0, 1))).all()
        windows, mask = partition(piece[..., None], window)[..., 0], shift_mask(n, n, window, shift)
        assert ((windows[:, :, None] == windows[:, None, :]) == mask).all()
        assert words.startswith(f"{mask.sum()} of {mask.size} pairs")
        assert np.array_equal(np.sort(texts(image), None), np.sort(texts(rolled), None))


@pytest.mark.parametrize("how, trick", [("skew", skew_causal), ("shift", relative_shift)])
def test_every_cell_says_what_the_reference_says(how, trick):
    for (step, *stops), tables, words in at_every_stop(figures.provenance(how)):
        if step != "grid":
            continue
        n_q, past = (*(int(re.search(r"\d+", stop)[0]) for stop in stops), 0)[:2]
        n_k = width = past + n_q
        columns = row_offsets(n_q, n_k, past)[:width]  # without the offsets after the query
        names = dict(enumerate(TOKENS))
        query = [names.get(past + i, f"x{past + i}") for i in range(n_q)]
        shown = [str(-o) if how == "shift" else f"{o:+d}".replace("-", "−").replace("+0", "0") for o in columns]
        label = np.array(["0"] + [f"{q}\n{o}" for q in query for o in shown], dtype=object)
        places = 1 + np.arange(n_q * width).reshape(n_q, width)
        padded = np.hstack([np.zeros((n_q, 1), int), places])
        grid = trick(places)
        junk = (grid - 1) // width != np.arange(n_q)[:, None]
        product, with_zeros, recut, last = map(texts, tables[-4:])
        assert product == label[places].tolist() and with_zeros == label[padded].tolist()
        assert [text for line in recut for text in line if text] == label[padded.ravel()].tolist()
        assert last == np.where(junk, "✗ " + label[grid], label[grid]).tolist()
        assert [[cell[3].endswith("belongs: junk.") for cell in line] for line in tables[-1][3]] == junk.tolist()
        assert f"Junk: {junk.sum()} of {n_q * n_k} cells." in words
        grouped = [cell for table in tables[-4:] for line in table[3] for cell in line if len(cell) > 4]
        groups = {cell[4]: cell[0].removeprefix("✗ ") for cell in grouped}
        assert groups == {str(place): text for place, text in enumerate(label[padded.ravel()])}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_places_of_a_scheme_are_coloured_and_named(name):
    picture, entered = figures.attention_block(name), SCHEMES[name].enters
    drawing = b64decode(re.search('base64,([^"]*)', picture._repr_html_())[1]).decode()
    for place in PLACES:
        named = place.where.split(", ")[-1] in picture.alt
        assert (f'fill="{place.colour}"' in drawing) == named == (place.hook in entered)
    assert ("nowhere" in picture.alt) == (not entered)
