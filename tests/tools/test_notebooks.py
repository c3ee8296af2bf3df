"""What every built notebook must be: executed, small, described, and without a number that nothing produces."""

import html
import json
import re
from pathlib import Path

import pytest

from tools.check import asking

from .. import ROOT

BUILT = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("*s/*.ipynb"))]
SOURCED = json.loads((ROOT / "tests" / "tools" / "numbers_with_source.json").read_text(encoding="utf-8"))


def cells(path: str, kind: str) -> list[dict]:
    nb = json.loads((ROOT / path).read_text(encoding="utf-8"))
    return [cell for cell in nb["cells"] if cell["cell_type"] == kind]


def shown(cell: dict) -> str:
    """All text a code cell puts out, HTML as a reader sees it."""
    text = []
    for output in cell["outputs"]:
        text.append("".join(output.get("text", "")))
        data = output.get("data", {})
        text.append("".join(data.get("text/plain", "")))
        page = re.sub(r"(?s)<(script|style).*?</\1>", " ", "".join(data.get("text/html", "")))
        text.append(html.unescape(re.sub(r"<[^>]+>", " ", page)))
    return "\n".join(text)


def numbers(text: str) -> set[str]:
    """The numbers of a text that somebody must have computed: with a decimal point, or of three digits and more."""
    elsewhere = r"\]\([^)]*\)|(section|chapter|table|eq\.) [\d.]+|\*\*Time\*\* about \d+"  # links, places, minutes
    text = re.sub(elsewhere, "", text)
    found = re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?", text)
    plain = {number.replace(",", "") for number in found}
    return {x for x in plain if "." in x or (len(x) >= 3 and not re.fullmatch(r"(19|20)\d\d", x))}


@pytest.mark.parametrize("path", BUILT)
def test_nothing_in_it_breaks_a_viewer_and_its_links_lead_somewhere(path):
    nb = json.loads((ROOT / path).read_text(encoding="utf-8"))
    assert "widgets" not in nb["metadata"], "widget state: GitHub may refuse to draw the notebook"
    assert (ROOT / path).stat().st_size <= 320_000
    for cell in nb["cells"]:
        page = "".join("".join(o.get("data", {}).get("text/html", "")) for o in cell.get("outputs", []))
        assert not re.search(r'<img(?![^>]*\balt="[^"])', page + "".join(cell["source"])), "a picture without alt text"
        assert all("image/png" not in o.get("data", {}) for o in cell.get("outputs", [])), "a PNG has no alt text"
        assert 'role="alert"' not in page, "a picture that tells an error"
    text = "\n".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    targets = {target for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in target}
    assert not [target for target in targets if not (ROOT / path).parent.joinpath(target).exists()]


@pytest.mark.parametrize("path", BUILT)
def test_no_formula_shows_a_backslash(path):
    """MathJax shows the text inside \\text{…} as it is, a backslash before an underscore included."""
    text = "\n".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    assert not re.findall(r"\\text\{[^}]*\\[^}]*\}", text)


@pytest.mark.parametrize("path", BUILT)
def test_what_training_gave_is_not_compared_but_asserted_or_only_printed(path):
    """Processors add in different orders, and training magnifies the difference, so little holds on all of them."""
    code = cells(path, "code")
    for k, cell in enumerate(code):
        tags, source = cell["metadata"].get("tags", []), "".join(cell["source"])
        ignored = "nbval-ignore-output" in tags
        assert ignored or not path.startswith("notebooks") or not re.search(r"study\.fit\(|\btrain\(", source), source
        if ignored and "prints-only" not in tags:  # the assert is in the cell or in the next one
            assert "assert" in "".join(line for near in code[k : k + 2] for line in near["source"])


@pytest.mark.parametrize("path", [path for path in BUILT if path.startswith("notebooks")])
def test_every_number_in_the_prose_is_produced_by_a_cell_or_has_a_source(path):
    prose = numbers("\n".join("".join(cell["source"]) for cell in cells(path, "markdown")))
    produced = numbers("\n".join("".join(cell["source"]) + "\n" + shown(cell) for cell in cells(path, "code")))
    unexplained = prose - produced - set(SOURCED.get(Path(path).stem[3:], {}))
    assert not unexplained, f"no cell produces {sorted(unexplained)}"


def test_a_notebook_runs_again_in_ci_where_it_imports_a_package_that_a_learner_lacks(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = re.findall(r"(?m)^([\w-]+)==", (ROOT / "tests" / "requirements.txt").read_text(encoding="utf-8"))
    imports = re.compile(rf"(?m)^ *(from|import) ({'|'.join(names).replace('-', '_')})\b")
    more = [path for path in BUILT if any(imports.search("".join(cell["source"])) for cell in cells(path, "code"))]
    assert more and sorted(asking()) == sorted(more)
