"""The map of the course: where position may enter attention, and which scheme enters where."""

from dataclasses import dataclass

from course_lib.schemes import SCHEMES

from ..contents import number
from ..display.formatting import escape, subscripts
from ..display.picture import TABLE, Picture


@dataclass(frozen=True)
class Place:
    """One place of the map; the colour is dark enough for white text."""

    number: int
    hook: str  # what adds it in `course_lib.nn`
    colour: str
    where: str
    formula: str
    what: str

    @property
    def schemes(self) -> dict[str, str]:
        """The schemes that enter here, by the names they have on the map, with the topics of their chapters."""
        return {scheme.enters[self.hook]: scheme.topic for scheme in SCHEMES.values() if self.hook in scheme.enters}


INPUT = Place(1, "input", "#6b4c9a", "added to the input", "x_i + p_i", "a vector per absolute position")
SHARED = Place(2, "bias", "#0b6e65", "added to the score, by position alone", "b[j − i]", "a number per offset")
THROUGH_QUERY = Place(
    3, "key_vectors", "#1f5fa8", "added to the score, through the query", "q_i · a[j − i]", "a vector per offset"
)
VALUE = Place(4, "value_vectors", "#9a4a00", "added to the value", "v_j + a_v[j − i]", "a vector per offset")
ROTATION = Place(5, "rotate", "#a32a4e", "multiplied in", "(R_i q_i) · (R_j k_j)", "a rotation or factor per position")
PER_KEY = Place(6, "key_bias", "#5a5a00", "added to the score, per key", "f_j", "a number per key")
SINK = Place(7, "sink", "#44546a", "beside the keys in the softmax", "a_h", "a score per head, without a value")
PLACES = (INPUT, SHARED, THROUGH_QUERY, VALUE, ROTATION, PER_KEY, SINK)
LEFT = 'style="text-align:left"'
MONO = "font-family:monospace"
GREY = "color:#57606a"


def map_of_schemes() -> Picture:
    """Where position may enter attention: the formula with its places, each scheme of the course at its own."""
    names = ("place", "where it enters", "what it is", "schemes, chapter")
    heads = "".join(f'<th scope="col" {LEFT}>{name}</th>' for name in names)
    body = (
        '<p style="margin:0 0 10px">Two questions: '
        "<b>what may a head see of the offset j − i, and where does it enter?</b></p>"
        f"{_formula()}<table {TABLE}><caption {LEFT}>Seven places, and who uses them</caption>"
        f'<thead><tr style="background-color:#ffffff">{heads}</tr></thead>'
        f"<tbody>{''.join(map(_row, PLACES))}</tbody></table>"
    )
    alt = "Where position enters attention: " + "; ".join(
        f"{place.number}, {place.where}, {place.what} ("
        + ", ".join(f"{name} in chapter {int(number(topic))}" for name, topic in place.schemes.items())
        + ")"
        for place in PLACES
    )
    return Picture("map", body, alt=alt + ".", title="Where position enters attention", styles=["map"])


def _formula() -> str:
    """All of attention on three lines, each place in its colour and with its number."""
    rotated = f"{_spot(ROTATION, 'R_i')} q_i · {_spot(ROTATION, 'R_j')} k_j"
    through_query, shared = _spot(THROUGH_QUERY, "+ q_i·a[j−i]"), _spot(SHARED, "+ b[j−i]")
    per_key, sink = _spot(PER_KEY, "+ f_j"), _spot(SINK, "sink")
    lines = {
        "input": f"x_i = word_i {_spot(INPUT, '+ p_i')}",
        "score": f"s_ij = scale · ( {rotated} {through_query} ) {shared} {per_key}",
        "output": f"o_i = Σ_j softmax(s, {sink})_ij · ( v_j {_spot(VALUE, '+ a_v[j−i]')} )",
    }
    inner = "".join(
        f'<div style="padding:3px 0;line-height:1.9;{MONO}"><span style="{GREY}">{name}:&ensp;</span>'
        f"{subscripts(line)}</div>"
        for name, line in lines.items()
    )
    box = "background-color:#f6f8fa;color:#1b1f24;padding:8px 12px;border-radius:6px;margin:0 0 12px"
    return f'<div class="rp-formula" style="{box}">{inner}</div>'


def _spot(place: Place, text: str) -> str:
    box = "display:inline-block;border-radius:4px;padding:1px 5px;line-height:1.4"
    chip = f"{box};background-color:{place.colour};color:#ffffff"
    return f'<span class="rp-spot" style="{chip}">{escape(text)} <b>({place.number})</b></span>'


def _row(place: Place) -> str:
    chip = f"background-color:{place.colour};color:#ffffff;border-radius:4px;padding:1px 7px"
    pill = f"display:inline-block;border:1px solid {place.colour};border-radius:11px;padding:0 8px;margin:0 2px 4px 0"
    names = " ".join(
        f'<span class="rp-scheme" style="{pill}">{escape(name)} <span style="{GREY}">{number(topic)}</span></span>'
        for name, topic in place.schemes.items()
    )
    formula = f'<span class="rp-spot" style="{MONO};color:{place.colour}">{subscripts(escape(place.formula))}</span>'
    return (
        f'<tr style="background-color:#ffffff;color:#1b1f24"><td {LEFT}><span style="{chip}">{place.number}</span></td>'
        f'<th scope="row" {LEFT}>'
        f"{escape(place.where)}</th><td {LEFT}>{place.what}<br>{formula}</td><td {LEFT}>{names}</td></tr>"
    )
