"""The fonts of the browser: the tests choose them, because a page is as wide as its letters.

A font of the machine would decide the outcome: tables that fit in Liberation Sans are a seventh wider in DejaVu Sans.
matplotlib brings a wide font and a narrow one, so both are on every machine that can run the course.
"""

from pathlib import Path

import matplotlib

TTF = Path(matplotlib.get_data_path(), "fonts", "ttf")
# The width of a digit in em: Arial's and Liberation Sans's, 0.556, lies between the two.
DIGIT = {"DejaVu Sans": 0.636, "STIXGeneral": 0.5}
WIDE, NARROW = DIGIT
CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{ttf}</dir>
  <cachedir>{folder}/cache</cachedir>
  <match target="pattern">
    <test name="family" qual="all" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>{family}</string></edit>
  </match>
  <match target="pattern">
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
  </match>
</fontconfig>
"""


def fontconfig(folder: Path, family: str) -> Path:
    """Write a fontconfig file that answers every name but monospace with this font and knows none of the machine."""
    path = folder / f"{family.replace(' ', '')}.conf"
    path.write_text(CONFIG.format(ttf=TTF, folder=folder, family=family), encoding="utf-8")
    return path
