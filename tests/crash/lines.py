"""Lines of JSON in a file that several processes append to, and that outlive whoever wrote them.

The moments in them are `time.monotonic()`, which all processes of one machine share.
"""

import json
import os
import time
from pathlib import Path
from typing import Any


class Lines:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)

    def add(self, what: str, **more: Any) -> None:
        """Append one line, whole or not at all: what is killed afterwards takes nothing of it away."""
        os.write(self._file, json.dumps({"what": what, "at": time.monotonic(), **more}).encode() + b"\n")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
