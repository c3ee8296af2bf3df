"""What was measured as a markdown table and as a picture."""

import datetime
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

PACKAGES = ("torch", "numpy", "transformers", "x-transformers")


def machine(device: str) -> dict[str, str]:
    """Date, machine and versions: what a figure means nothing without."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "date": datetime.date.today().isoformat(),
        "machine": torch.cuda.get_device_name() if device == "cuda" else _processor(),
        "threads": str(torch.get_num_threads()),
        "python": platform.python_version(),
        **versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def markdown(results: dict[str, Any]) -> str:
    """A table per pass: time as a multiple of the limit in the same round, extra memory, growth."""
    lines = ["# Measured: " + ", ".join(f"{k} {v}" for k, v in results["machine"].items()), "", results["settings"], ""]
    lengths = results["lengths"]
    for backward in (False, True):
        rows = [row for row in results["rows"] if row["backward"] == backward]
        if not rows:
            continue
        lines += [f"## {'Forward + backward, all tables learning' if backward else 'Forward'}", ""]
        head = ["scheme", "contender", *(f"n = {n}" for n in lengths), *["grows as"] * bool(lengths)]
        head += [f"extra MB, n = {n}" for n in results["memory_lengths"]]
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for row in rows:
            cells = [row["scheme"], row["contender"]]
            cells += [_time(row, str(n)) for n in lengths]
            if lengths:
                cells.append("—" if row.get("exponent") is None else f"n^{row['exponent']:.2f}")
            cells += [_memory(row, str(n)) for n in results["memory_lengths"]]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def _time(row: dict[str, Any], n: str) -> str:
    if n not in row["ms"]:
        return row.get("note", "—")
    if row["contender"] == "limit":
        return f"{row['ms'][n]:.1f} ms"
    return f"{row['ratio'][n]:.2f}×"


def _memory(row: dict[str, Any], n: str) -> str:
    value = row.get("mb", {}).get(n)
    return "—" if value is None else f"{value:.0f}"


def plot(results: dict[str, Any], path: Path) -> None:
    """A panel per scheme: milliseconds of the forward pass over n, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = [row for row in results["rows"] if not row["backward"] and row["ms"]]
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    figure, axes = plt.subplots(1, len(schemes), figsize=(4 * len(schemes), 3.5), squeeze=False, layout="constrained")
    for axis, scheme in zip(axes[0], schemes):
        for row in rows:
            if row["scheme"] == scheme:
                n = sorted(map(int, row["ms"]))
                style = {"limit": "k--", "ours": "C0o-"}.get(row["contender"], ".-")
                axis.loglog(n, [row["ms"][str(m)] for m in n], style, label=row["contender"])
        axis.set(title=scheme, xlabel="n", ylabel="ms")
        axis.legend(fontsize=7)
    figure.savefig(path, dpi=120)
