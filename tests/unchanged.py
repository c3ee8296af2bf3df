"""Which slow tests may be left out: those whose protected files are as they were in the last green run on this machine.

`tests/protects.py` says which files each group of slow tests protects. A green run of `tools/check.py` writes down a
digest of each group's files; `pytest --changed` leaves out the groups whose digest is still the same.
"""

import json
import platform
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from .protects import PROTECTS

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "build" / "reports" / "green.json"


def digest(patterns: list[str], root: Path = ROOT) -> str:
    """One digest of the files that match and of this Python and system."""
    found = {path for pattern in patterns for path in root.glob(pattern) if path.is_file()}
    parts = [sys.version, platform.platform()]
    parts += [f"{path.relative_to(root)} {sha256(path.read_bytes()).hexdigest()}" for path in sorted(found)]
    return sha256("\n".join(parts).encode()).hexdigest()


def digests(protects: Mapping[str, list[str]] = PROTECTS, root: Path = ROOT) -> dict[str, str]:
    """The digest of each group as the files are now."""
    return {group: digest(patterns, root) for group, patterns in protects.items()}


def unchanged() -> list[str]:
    """The groups whose files have not changed since the last green run."""
    before = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return [group for group, now in digests().items() if before.get(group) == now]
