"""The map of the course: where position may enter attention, and which scheme enters where."""

from dataclasses import dataclass

from .live import TABLE, Picture
from .text import escape


@dataclass
class Place:
    """One place of the map; the colour is dark enough for white text."""

    number: int
    colour: str
    where: str
    formula: str
    what: str
    schemes: dict[str, str]  # name → chapter


INPUT = Place(
    1,
    "#6b4c9a",
    "added to the input",
    "x_i + p_i",
    "a vector per absolute position",
    {"sinusoidal": "01", "learned": "01"},
)
SHARED = Place(
    2,
    "#0b6e65",
    "added to the score, same for every query",
    "b[j − i]",
    "a number per offset",
    {"log-decay": "02", "Transformer-XL (d)": "05", "T5": "06", "ALiBi": "07", "Swin (2-D)": "08"},
)
THROUGH_QUERY = Place(
    3,
    "#1f5fa8",
    "added to the score, through the query",
    "q_i · a[j − i]",
    "a vector per offset",
    {"Shaw keys": "03", "Music Transformer": "04", "Transformer-XL (b)": "05"},
)
VALUE = Place(4, "#9a4a00", "added to the value", "v_j + a_v[j − i]", "a vector per offset", {"Shaw values": "03"})
ROTATION = Place(5, "#a32a4e", "multiplied in", "(R_i q_i) · (R_j k_j)", "a rotation per position", {"RoPE": "07"})
PLACES = (INPUT, SHARED, THROUGH_QUERY, VALUE, ROTATION)
LEFT = 'style="text-align:left"'
MONO = "font-family:monospace"


def map_of_schemes() -> Picture:
    """Where position may enter attention: the formula with its five places, each scheme of the course at its own."""
    names = ("place", "where it enters", "what it is", "schemes, chapter")
    heads = "".join(f'<th scope="col" {LEFT}>{name}</th>' for name in names)
    body = (
        '<p style="margin:0 0 10px">One question: '
        "<b>what may a head see of the offset j − i, and where does it enter?</b></p>"
        f"{_formula()}<table {TABLE}><caption {LEFT}>Five places, and who uses them</caption>"
        f'<thead><tr style="background-color:#ffffff">{heads}</tr></thead>'
        f"<tbody>{''.join(map(_row, PLACES))}</tbody></table>"
    )
    alt = "Where position enters attention: " + "; ".join(
        f"{place.number}, {place.where}, {place.what} ("
        + ", ".join(f"{name} in chapter {int(chapter)}" for name, chapter in place.schemes.items())
        + ")"
        for place in PLACES
    )
    return Picture("map", body, alt=alt + ".", title="Where position enters attention", styles=["map"])


def _formula() -> str:
    """All of attention on three lines, each place in its colour and with its number."""
    rotated = f"{_spot(ROTATION, 'R_i')} q_i · {_spot(ROTATION, 'R_j')} k_j"
    through_query, shared = _spot(THROUGH_QUERY, "+ q_i · a[j − i]"), _spot(SHARED, "+ b[j − i]")
    lines = {
        "input": f"x_i = word_i {_spot(INPUT, '+ p_i')}",
        "score": f"s_ij = scale · ( {rotated} {through_query} ) {shared}",
        "output": f"o_i = Σ_j softmax(s)_ij · ( v_j {_spot(VALUE, '+ a_v[j − i]')} )",
    }
    inner = "".join(
        f'<div style="padding:3px 0;line-height:1.9;{MONO}"><span style="color:#57606a">{name}:&ensp;</span>'
        f"{_subscripts(line)}</div>"
        for name, line in lines.items()
    )
    box = "background-color:#f6f8fa;color:#1b1f24;padding:8px 12px;border-radius:6px;margin:0 0 12px"
    return f'<div class="rp-formula" style="{box}">{inner}</div>'


def _spot(place: Place, text: str) -> str:
    box = "display:inline-block;border-radius:4px;padding:1px 6px;line-height:1.4"
    chip = f"{box};background-color:{place.colour};color:#ffffff"
    return f'<span class="rp-spot" style="{chip}">{escape(text)} <b>({place.number})</b></span>'


def _row(place: Place) -> str:
    chip = f"background-color:{place.colour};color:#ffffff;border-radius:4px;padding:1px 7px"
    pill = f"display:inline-block;border:1px solid {place.colour};border-radius:11px;padding:0 8px;margin:0 2px 4px 0"
    names = " ".join(
        f'<span class="rp-scheme" style="{pill}">{escape(name)} <span style="color:#57606a">{chapter}</span></span>'
        for name, chapter in place.schemes.items()
    )
    formula = f'<span class="rp-spot" style="{MONO};color:{place.colour}">{_subscripts(escape(place.formula))}</span>'
    return (
        f'<tr style="background-color:#ffffff;color:#1b1f24"><td {LEFT}><span style="{chip}">{place.number}</span></td>'
        f'<th scope="row" {LEFT}>'
        f"{escape(place.where)}</th><td {LEFT}>{place.what}<br>{formula}</td><td {LEFT}>{names}</td></tr>"
    )


def _subscripts(line: str) -> str:
    """x_i as x with a small i below; only the letters of this page occur, so no parser is needed."""
    for letters in ("ij", "i", "j", "v"):
        line = line.replace(f"_{letters}", f"<sub>{letters}</sub>")
    return line
