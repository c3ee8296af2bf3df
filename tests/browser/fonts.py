"""The font of the browser: the tests choose it, because a page is as wide as its letters.

matplotlib brings DejaVu Sans, so every machine that can run the course has it. It is wide: a table that fits in it fits
in Arial and Liberation Sans, which are a seventh narrower.
"""

from pathlib import Path

import matplotlib

TTF = Path(matplotlib.get_data_path(), "fonts", "ttf")
FAMILY = "DejaVu Sans"
CONFIG = f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{TTF}</dir>
  <cachedir>{{folder}}/cache</cachedir>
  <match target="pattern">
    <test name="family" qual="all" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>{FAMILY}</string></edit>
  </match>
  <match target="pattern">
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
  </match>
</fontconfig>
"""


def fontconfig(folder: Path) -> Path:
    """Write a fontconfig file that answers every name but monospace with this font and knows none of the machine."""
    path = folder / "fonts.conf"
    path.write_text(CONFIG.format(folder=folder), encoding="utf-8")
    return path
