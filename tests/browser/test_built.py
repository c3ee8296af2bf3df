"""Every built notebook in JupyterLab as it is committed: it fits, and everyone can use it."""

import pytest

from .conftest import ROOT
from .judged import assert_everyone_can_use_the_outputs, assert_it_fits
from .pages import as_built, errors

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BUILT = [p.relative_to(ROOT).as_posix() for name in ("notebooks", "solutions") for p in sorted((ROOT / name).glob("*"))]
# A built notebook holds its pictures whole, with style and script: what is seen of it depends on no other file.


@pytest.mark.parametrize("path", BUILT)
def test_it_fits_a_narrow_page_and_everyone_can_use_it(desk, path):
    with as_built(desk, path):
        assert errors(desk) == []
        for width in (800, 390):
            desk.set_viewport_size({"width": width, "height": 900})
            # At 800 pixels the file browser is open beside the notebook; on a phone one closes it.
            desk.evaluate(f"jupyterapp.shell.{'expandLeft' if width == 800 else 'collapseLeft'}()")
            assert desk.locator("#jp-left-stack").is_visible() == (width == 800)
            assert_it_fits(desk)
        if path.startswith("notebooks"):
            assert_everyone_can_use_the_outputs(desk)
