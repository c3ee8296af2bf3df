"""The attention block as a drawing, with the place where a scheme enters: the picture at the head of each chapter."""

from course_lib.checks import check_choice
from course_lib.schemes import SCHEMES

from ..display.formatting import escape
from ..display.picture import SUPPRESS, Picture
from ..display.svg import svg_image
from .map_of_schemes import INPUT, PER_KEY, PLACES, ROTATION, SHARED, SINK, THROUGH_QUERY, VALUE, Place

WIDTH, HEIGHT = 700, 190
TOP, MIDDLE, BOTTOM = 40, 95, 150  # the lines of query, key and value
BOX, ARROW, PALE = "#f0f2f4", "#57606a", "#c4cad1"

# Where each place lies on the drawing, what a scheme adds there, and the line from there to its box.
SPOTS: dict[Place, list[tuple[float, float, str, str]]] = {
    INPUT: [(90, MIDDLE, "+ p", "")],
    ROTATION: [(262, TOP, "R_i", ""), (262, MIDDLE, "R_j", "")],
    THROUGH_QUERY: [(350, 18, "+ q·a[j−i]", "M350 24V60")],
    SHARED: [(452, 18, "+ b[j−i]", "M452 24V60")],
    PER_KEY: [(452, 122, "+ f_j", "M452 116V90")],
    SINK: [(548, 18, "sink", "M548 24V60")],
    VALUE: [(352, BOTTOM, "+ a_v[j−i]", "")],
}
OWN_TERMS: dict[tuple[str, Place], str] = {  # where a chapter has other letters
    ("Swin", SHARED): "+ b[down, right]",
    ("FIRE", SHARED): "+ b[i, j]",
    ("Transformer-XL", THROUGH_QUERY): "+ q·r[j−i]",
    ("Transformer-XL", SHARED): "+ v·r[j−i]",
    ("Transformer-XL", PER_KEY): "+ u·k_j",
}
LINES = (  # from, through corners, to
    "M52 95H150", "M136 95V40H150", "M136 95V150H150", "M202 40H330V60", "M202 95H330V90",
    "M382 75H416", "M480 75H508", "M590 75H630V134", "M202 150H612", "M648 150H668",
)  # fmt: skip
BOXES = (
    (20, MIDDLE, 32, "x"), (150, TOP, 52, "W_q"), (150, MIDDLE, 52, "W_k"), (150, BOTTOM, 52, "W_v"),
    (316, 75, 66, "q_i · k_j"), (416, 75, 64, "score"), (508, 75, 82, "softmax_j"), (612, BOTTOM, 36, "Σ_j"),
    (668, BOTTOM, 26, "o_i"),
)  # fmt: skip
NAMES = ((228, TOP - 8, "q_i"), (228, MIDDLE - 8, "k_j"), (228, BOTTOM - 8, "v_j"))


def attention_block(scheme: str) -> Picture:
    """The steps of attention from the input x to the output o_i, and where this scheme enters, in the map's colours.

    scheme: a name of the registry, such as "Shaw". Raises ValueError for another name.
    """
    found = SCHEMES[check_choice("scheme", scheme, SCHEMES)]
    entered = [place for place in PLACES if place.hook in found.enters]
    ways: dict[str, str] = {}  # "added to the score", and in how many ways
    for place in entered:
        head, comma, how = place.where.partition(", ")
        ways[head] = ways.get(head, "") + comma + how
    where = ", and ".join(head + how for head, how in ways.items()) or "nowhere"
    drawn = [f'<path d="{line}" fill="none" stroke="{ARROW}" marker-end="url(#rp-tip)"/>' for line in LINES]
    drawn += [_box(x, y, width, text) for x, y, width, text in BOXES]
    drawn += [f'<text x="{x}" y="{y}" text-anchor="middle" font-size="13">{_letters(t)}</text>' for x, y, t in NAMES]
    for place, spots in SPOTS.items():
        for x, y, text, line in spots:
            drawn.append(_spot(place, x, y, OWN_TERMS.get((scheme, place), text), line, place in entered))
    alt = f"The attention block, from the input to the output. Where {scheme} enters: {where}."
    tip = (
        '<defs><marker id="rp-tip" markerWidth="7" markerHeight="7" refX="6" refY="3.5" orient="auto">'
        f'<path d="M0 0L7 3.5L0 7z" fill="{ARROW}"/></marker></defs>'
    )
    image = svg_image(tip + "".join(drawn), width=WIDTH, height=HEIGHT, alt=alt)
    scrolls = f'<div class="rp-scroll" role="group" tabindex="0" {SUPPRESS} aria-label="Drawing">'
    body = f'<p style="margin:0 0 6px"><b>Where it enters: {escape(where)}</b></p>{scrolls}{image}</div>'
    return Picture("attention-block", body, alt=alt, title=f"Where {scheme} enters attention")


def _box(x: float, y: float, width: float, text: str) -> str:
    return (
        f'<rect x="{x}" y="{y - 15}" width="{width}" height="30" rx="5" fill="{BOX}" stroke="{ARROW}"/>'
        f'<text x="{x + width / 2}" y="{y + 5}" text-anchor="middle" font-size="14">{_letters(text)}</text>'
    )


def _spot(place: Place, x: float, y: float, text: str, line: str, entered: bool) -> str:
    """What a scheme adds at a place, or a pale ring where others would add something."""
    stem = f'<path d="{line}" stroke="{place.colour if entered else PALE}" stroke-width="2"/>' if line else ""
    if not entered:
        return f'{stem}<circle cx="{x}" cy="{y}" r="6" fill="#ffffff" stroke="{PALE}" stroke-width="2"/>'
    width = 8.2 * len(text.replace("_", "")) + 14
    return (
        f'{stem}<rect x="{x - width / 2}" y="{y - 13}" width="{width}" height="26" rx="13" fill="{place.colour}"/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" font-size="14" fill="#ffffff">{_letters(text)}</text>'
    )


def _letters(text: str) -> str:
    """The letter after each "_" small and lowered: "q_i · k_j"."""
    first, *rest = text.split("_")
    small = '<tspan font-size="70%" dy="3">{}</tspan><tspan dy="-3">{}</tspan>'
    return escape(first) + "".join(small.format(part[0], escape(part[1:])) for part in rest)
