"""The losses of models while they train, a line for each."""

from collections.abc import Mapping, Sequence

from ..display.colours import LINES
from ..display.formatting import escape
from ..display.picture import Picture
from ..display.svg import svg_image

POINTS = 100  # of a curve that is complete; each is a mean of losses
WIDTH, HEIGHT = 520, 200  # pixels of the plot


def training_curves(losses: Mapping[str, Sequence[float]], steps: int, task: str) -> Picture:
    """The loss of each model by step, as far as all of them have come of `steps`; each point is a mean over some steps.

    `watch` passes no more models than there are colours.
    """
    taken = min(map(len, losses.values()))
    curves = {name: smoothed(found[:taken], size=-(-steps // POINTS)) for name, found in losses.items()}
    low, high = (f(map(f, curves.values())) for f in (min, max)) if taken else (0.0, 1.0)
    lines, names = [], []
    for colour, (name, curve) in zip(LINES, curves.items()):
        spots = " ".join(
            f"{40 + (WIDTH - 50) * (k + 1) / len(curve) * taken / steps:.1f},"
            f"{10 + (HEIGHT - 40) * (high - y) / (high - low or 1):.1f}"
            for k, y in enumerate(curve)
        )
        lines.append(f'<polyline points="{spots}" fill="none" stroke="{colour}" stroke-width="2"/>')
        last = f"{curve[-1]:.2f}" if curve else ""
        names.append(f'<span style="color:{colour};margin-right:16px"><b>— {escape(name)}</b> {last}</span>')
    words = ", ".join(f"{name} {curve[-1]:.2f}" for name, curve in curves.items() if curve)
    alt = f"Loss of each scheme in {task} after {taken} of {steps} steps: {words or 'none yet'}."
    plot = svg_image(axes(low, high, steps) + "".join(lines), width=WIDTH, height=HEIGHT, alt=alt)
    head = f"<p><b>Loss in {escape(task)}</b>, {taken} of {steps} steps</p>"
    return Picture("watch", f"{head}{plot}<p>{''.join(names)}</p>", alt=alt)


def axes(low: float, high: float, steps: int) -> str:
    """Two lines with the smallest and the largest loss, and the first and the last step."""
    labels = [
        (36, 14, "end", f"{high:.2f}"),
        (36, HEIGHT - 26, "end", f"{low:.2f}"),
        (40, HEIGHT - 12, "middle", "0"),
        (WIDTH - 10, HEIGHT - 12, "end", f"{steps} steps"),
    ]
    return f'<path d="M40 5V{HEIGHT - 30}H{WIDTH - 5}" fill="none" stroke="#57606a"/>' + "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="12" fill="#1b1f24">{text}</text>'
        for x, y, anchor, text in labels
    )


def smoothed(losses: Sequence[float], size: int) -> list[float]:
    """The mean of each `size` losses, and of those that remain."""
    parts = (losses[k : k + size] for k in range(0, len(losses), size))
    return [sum(part) / len(part) for part in parts]
