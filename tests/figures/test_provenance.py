"""The provenance of a skew: what every cell says is what labels, sent through the reference, say."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from course_lib import figures
from course_lib.display import colours
from course_lib.example import TOKENS
from course_lib.figures.provenance import QUERIES, RANGES, cuts_of
from course_lib.figures.skew_steps import JUNK, NO_JUNK, SAYS, SHORT, STAGES, facts
from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.music_transformer import skew, skew_causal, skew_source, slice_table
from course_lib.reference.transformer_xl import relative_shift

SIZES = [
    *(("skew", {"n": n}) for n in range(1, 9)),
    *(("shift", {"n": n, "memory": m}) for n, m in [(1, 0), (1, 4), (2, 1), (3, 2), (4, 0), (3, 6), (6, 6)]),
    *(
        ("general", {"n_q": n_q, "n_k": n_k, "past": past})
        for n_q, n_k, past in [(1, 1, 0), (3, 5, 2), (1, 6, 5), (4, 2, 0), (2, 3, 6), (6, 1, 1), (5, 5, 0), (6, 8, 6)]
    ),
]
every_size = pytest.mark.parametrize(("how", "sizes"), SIZES, ids=lambda x: x if isinstance(x, str) else str(x))


def shape(how, sizes):
    """n_q, n_k, past."""
    if how == "general":
        return sizes["n_q"], sizes["n_k"], sizes["past"]
    past = sizes.get("memory", 0)
    return sizes["n"], past + sizes["n"], past


def expected(how, sizes):
    """The labels of every table, and the number of junk cells, from labels sent through the reference."""
    n_q, n_k, past = shape(how, sizes)
    width = n_q + n_k - 1 if how == "general" else n_k
    columns = row_offsets(n_q, n_k, past)[:width]  # without the offsets after the query in the causal forms
    word = dict(enumerate(TOKENS))
    query = [f"q{i}" if how == "general" else word.get(past + i, f"x{past + i}") for i in range(n_q)]
    offset = [str(-o) if how == "shift" else f"{o:+d}".replace("-", "−").replace("+0", "0") for o in columns]
    names = np.array(["0"] + [f"{q} {o}" for q in query for o in offset], dtype=object)
    labels = 1 + np.arange(n_q * width).reshape(n_q, width)  # 0 is left for the zeros
    zeros = np.zeros((n_q, 1), int)
    if how == "general":
        padded, grid = np.hstack([labels, zeros]), skew(labels, n_q)
        start = n_q - 1
    else:
        trick = skew_causal if how == "skew" else relative_shift
        padded, grid = np.hstack([zeros, labels]), trick(labels)
        start = n_q
    junk = (grid - 1) // width != np.arange(n_q)[:, None]
    flat = names[padded.ravel()]
    recut = [list(flat[start + i * width :][:width]) for i in range(n_q)]
    if start:
        recut.insert(0, [""] * (width - start) + list(flat[:start]))
    if how == "general":
        recut.append([flat[-1], *[""] * (width - 1)])
    marked = [["✗ " + t if j else t for t, j in zip(*rows)] for rows in zip(names[grid], junk)]
    return {
        "tables": [names[labels].tolist(), names[padded].tolist(), recut, marked],
        "junk": int(junk.sum()),
        "offsets": np.where(junk, 99, columns[(grid - 1) % width]),
    }


class Tables(HTMLParser):
    """The texts of the cells of every table: tables[t][row][column], heads apart."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.captions, self.into = [], [], None
        self.feed(re.sub(r"(?s)<(style|script)>.*?</\1>", "", html))

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag == "td":
            self.tables[-1][-1].append("")
        self.into = tag
        if tag == "caption":
            self.captions.append("")

    def handle_endtag(self, tag):
        self.into = None

    def handle_data(self, data):
        if self.into == "td":
            self.tables[-1][-1][-1] += data
        elif self.into == "caption":
            self.captions[-1] += data


def body_tables(picture):
    """The tables of the static body without their heads."""
    return [table[1:] for table in Tables(picture._repr_html_()).tables]


@every_size
def test_every_cell_says_what_the_reference_says(how, sizes):
    picture, truth = figures.provenance(how, **sizes), expected(how, sizes)
    assert body_tables(picture)[-4:] == truth["tables"]
    n_q, n_k, past = shape(how, sizes)
    right = truth["offsets"] == offsets(n_q, n_k, past)
    assert (right | (truth["offsets"] == 99)).all()  # what is not junk is the offset that belongs there


@every_size
def test_the_junk_is_counted_as_the_reference_counts_it(how, sizes):
    picture, truth = figures.provenance(how, **sizes), expected(how, sizes)
    n_q, n_k, _ = shape(how, sizes)
    if how != "general":
        source = skew_source(n_q, n_k)
        assert picture.junk == (source[..., 0] != np.arange(n_q)[:, None]).sum() == n_q * (n_q - 1) // 2
        assert f"= {picture.junk} of {n_q * n_k} cells hold a zero" in picture._repr_html_()
    else:
        assert f"Junk: 0 of {n_q * n_k} cells" in picture._repr_html_()
    assert picture.junk == truth["junk"] == sum(t.startswith("✗") for row in body_tables(picture)[-1] for t in row)


def test_the_square_skew_is_cut_as_one_reshape_cuts_it():
    picture = figures.provenance("skew", n=5)
    _, padded, recut, _ = body_tables(picture)
    assert np.array(padded).reshape(6, 5).tolist() == recut
    assert figures.provenance().alt == picture.alt and picture.junk == 10 and "the 10 cells after it" in picture.alt


@pytest.mark.parametrize("longest", [None, 1, 3, 5, 6, 9])
@pytest.mark.parametrize(("n_q", "n_k", "past"), [(3, 5, 2), (1, 4, 0), (4, 2, 0), (2, 2, 5)])
def test_the_table_shows_what_slice_table_takes_or_its_refusal(n_q, n_k, past, longest):
    picture = figures.provenance("general", n_q=n_q, n_k=n_k, past=past, longest=longest)
    tables = body_tables(picture)
    longest = longest or max(past + n_q, n_k - past)
    every = np.arange(1 - longest, longest)
    rows, taken = tables[0]
    shown = np.arange(len(taken)) - rows.index("0") + every[0]
    assert [r for r in rows if r] == [str(r) for r in range(2 * longest - 1)]
    try:
        found = slice_table(every[:, None], n_q, n_k, past=past)[:, 0]
    except ValueError as refusal:
        assert str(refusal) in picture._repr_html_() and len(tables) == 1 and "too short" in picture.alt
        lacking = np.setdiff1d(row_offsets(n_q, n_k, past), every)
        assert shown[np.array(taken) == "✗"].tolist() == lacking.tolist() != []
        assert re.search(r"Missing offsets \(✗\): [−+0-9]", picture._repr_html_())
    else:
        assert shown[np.array(taken) == "✓"].tolist() == found.tolist() and "✗" not in taken
        assert len(tables) == 5


def test_tokens_name_the_positions():
    picture = figures.provenance("general", n_q=1, n_k=3, past=2, tokens=["a", "<b>", "c"])
    assert body_tables(picture)[-1] == [["c −2", "c −1", "c 0"]]
    assert "&lt;b&gt;" in picture._repr_html_() and "<b>&" not in picture._repr_html_()


def test_each_query_has_a_colour_of_its_own_that_is_easy_to_read_on():
    assert len(set(QUERIES)) == 8 == RANGES["skew"]["n"][2]
    assert min(colours.contrast(colour, "#000000") for colour in QUERIES) >= 10


@pytest.mark.parametrize("how", RANGES)
def test_the_words_name_only_what_is_known(how):
    cuts = cuts_of(how, {name: usual for name, (usual, *_) in RANGES[how].items()})
    known = facts(cuts, 5)
    texts = [*STAGES[how], *SAYS[how], SHORT, JUNK, NO_JUNK]
    assert len(STAGES[how]) == len(SAYS[how]) == (5 if how == "general" else 4)
    assert all("{" not in text.format(**known) for text in texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"how": "roll"}, "how='roll': expected one of 'skew', 'general', 'shift'"),
        ({"n": 9}, "n=9: expected a whole number from 1 to 8"),
        ({"n": 2.5}, r"n=2\.5: expected a whole number"),
        ({"memory": 2}, "memory=2: expected only n for how='skew'"),
        ({"how": "shift", "past": 2}, "past=2: expected only n, memory for how='shift'"),
        ({"how": "shift", "memory": -1}, "memory=-1: expected a whole number from 0 to 6"),
        ({"how": "general", "n": 5}, "n=5: expected only n_q, n_k, past, longest for how='general'"),
        ({"how": "general", "longest": 0}, "longest=0: expected a whole number from 1 to 12"),
        ({"how": "general", "n_k": True}, "n_k=True: expected a whole number from 1 to 8"),
        ({"tokens": "The cat"}, "tokens='The cat': expected a word for each"),
        ({"tokens": 5}, "tokens=5: expected a word for each"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        figures.provenance(**arguments)
