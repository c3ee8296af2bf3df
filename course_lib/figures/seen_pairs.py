"""Which pairs of positions a trained model has seen: learned on `train` positions, used on `test` positions."""

from urllib.parse import quote

from ..display.formatting import check_choice, check_whole, escape
from ..display.picture import TABLE, Picture
from .heatmap import ROW

SCHEMES = {
    "absolute": "a vector per position",
    "relative": "a number or vector per offset, never clipped",
    "clipped": "a number or vector per offset, clipped",
}
NAMES = {"absolute": "absolute positions", "relative": "offsets, never clipped", "clipped": "offsets, clipped"}
SIDE = 256  # pixels of the square
SEEN, UNSEEN, STRIPE = "#d3ece7", "#fbd3a2", "#a34700"


def seen_pairs(
    train: int = 128, test: int = 256, scheme: str = "absolute", *, clip: int = 16, title: str | None = None
) -> Picture:
    """The test × test pairs of query and key position, those that training with `train` positions has seen and those
    that it has not, alive: sliders for train (16–512) and test (16–1024), a choice of scheme, any pair explained.

    scheme "absolute": both positions must be below train. "relative": |j − i| < train. "clipped": the offset is first
    clipped to ±clip (0–512). The counts are those of `unseen_pairs`.
    Raises ValueError for numbers outside these or an unknown scheme.
    """
    train = check_whole("train", train, 16, 512)
    test = check_whole("test", test, 16, 1024)
    scheme = check_choice("scheme", scheme, SCHEMES)
    clip = check_whole("clip", clip, 0, 512)
    heading = title or f"Trained on {train} positions, used on {test}"
    unseen, every = unseen_pairs(train, test, scheme, clip=clip), test**2
    alt = (
        f"Square of {test} query positions and {test} key positions for a model trained on {train}, {scheme} scheme: "
        f"{unseen:,} of {every:,} pairs are unseen, {unseen / every:.1%}".replace("%", " %")
        + "."
    )
    body = _static(train, test, scheme, clip, heading, alt)
    data = {
        "train": train,
        "test": test,
        "scheme": scheme,
        "clip": clip,
        "schemes": NAMES,
        "title": title or "Which pairs of positions has training seen?",
    }
    return Picture(
        "seen-pairs", body, alt=alt, title=title, styles=["controls", "seen"], script="seen_pairs.js", data=data
    )


def unseen_pairs(train: int, test: int, scheme: str = "absolute", *, clip: int = 16) -> int:
    """How many of the test² pairs (i, j) meet something that training on `train` positions never used.

    absolute: i or j is train or more,                  test² − train²
    relative: |j − i| is train or more,                 (test − train)(test − train + 1)
    clipped:  none, as long as clip is below train: offset ±clip was trained. Else as relative.
    Nothing is unseen when test ≤ train. Raises ValueError for sizes below 1, a negative clip or an unknown scheme.
    """
    train = check_whole("train", train, 1, 10**9)
    test = check_whole("test", test, 1, 10**9)
    clip = check_whole("clip", clip, 0, 10**9)
    scheme = check_choice("scheme", scheme, SCHEMES)
    if test <= train or (scheme == "clipped" and clip < train):
        return 0
    return test**2 - train**2 if scheme == "absolute" else (test - train) * (test - train + 1)


def _static(train: int, test: int, scheme: str, clip: int, heading: str, alt: str) -> str:
    lines = []
    for name, what in SCHEMES.items():
        unseen = unseen_pairs(train, test, name, clip=clip)
        label = f"{name}{' (drawn)' if name == scheme else ''}"
        at = f" at ±{clip}" if name == "clipped" else ""
        lines.append(
            f'<tr {ROW}><th scope="row">{label}</th><td style="text-align:left">{what}{at}</td><td>{unseen:,}</td>'
            f"<td>{100 * unseen / test**2:.1f} %</td></tr>"
        )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("scheme", "what is learned", "unseen", "of all"))
    return (
        f'<img src="{_square(train, test, scheme, clip)}" width="{SIDE + 64}" height="{SIDE + 44}" alt="{escape(alt)}">'
        f'<table {TABLE}><caption style="text-align:left"><b>{escape(heading)}</b>: of {test**2:,} pairs are unseen'
        f"</caption><thead><tr {ROW}>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        "<p>Striped: unseen. absolute: test² − train²; relative: (test − train)(test − train + 1)</p>"
    )


def _square(train: int, test: int, scheme: str, clip: int) -> str:
    """The square as an SVG image: an untrusted notebook drops <svg> and keeps <img>."""
    a = SIDE * min(train / test, 1)
    shapes = ""
    if unseen_pairs(train, test, scheme, clip=clip):
        corners = (
            f"M{a:g} 0H{SIDE}V{SIDE}H0V{a:g}H{a:g}z"
            if scheme == "absolute"
            else f"M{a:g} 0H{SIDE}V{SIDE - a:g}zM0 {a:g}V{SIDE}H{SIDE - a:g}z"
        )
        shapes = f'<path d="{corners}" fill="url(#p)" stroke="{STRIPE}"/>'

    def label(at: float, value: int) -> str:
        return (
            f'<text x="{at:g}" y="-5" text-anchor="middle">{value}</text>'
            f'<text x="-5" y="{at + 4:g}" text-anchor="end">{value}</text>'
        )

    width, height = SIDE + 64, SIDE + 44
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="-48 -36 {width} {height}" '
        'font-family="sans-serif" font-size="11" fill="#1b1f24">'
        '<pattern id="p" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<path d="M0 0H7V7H0z" fill="{UNSEEN}"/><path d="M0 0V7" stroke="{STRIPE}" stroke-width="2"/></pattern>'
        f'<path d="M0 0H{SIDE}V{SIDE}H0z" fill="{SEEN}" stroke="#424a53"/>{shapes}'
        '<text x="0" y="-22">key position →</text><text x="-48" y="-22">query ↓</text>'
        f"{label(a, train) if train < test else ''}{label(SIDE, test)}</svg>"
    )
    return "data:image/svg+xml," + quote(svg, safe=" =:/'(),;")
