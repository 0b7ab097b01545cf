"""Overwriting what was forgotten.

A row that is deleted leaves bytes behind, even with `secure_delete`: in older pages of the `-wal`, which a checkpoint
takes back, and in the gaps of pages that SQLite has rearranged, which only a rewritten file is without.
"""

from __future__ import annotations

import math
import sqlite3
import time
from pathlib import Path
from typing import Final

SMALL: Final = 32 * 1024 * 1024
"""Up to this size a file is rewritten without being asked to, in bytes: that takes some tenths of a second."""

EVERY: Final = 60.0
"""How long it is not rewritten again by itself, in seconds."""

_PATIENCE_MS: Final = 250
"""How long a reader is waited for that keeps old pages alive: who writes waits meanwhile."""


class Erasure:
    """What is still to be overwritten in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_in_log = True
        """Whether the `-wal` may have some: of a process that died, too."""
        self._is_in_gaps = False
        self._rewritten_at = -EVERY

    def add(self) -> None:
        """Something was forgotten."""
        self._is_in_log = self._is_in_gaps = True

    @property
    def is_due(self) -> bool:
        """Whether there is something to do now."""
        return self._is_in_log or self._is_to_rewrite

    @property
    def _is_to_rewrite(self) -> bool:
        is_time = time.monotonic() - self._rewritten_at >= EVERY
        return self._is_in_gaps and is_time and self._size <= SMALL

    @property
    def _size(self) -> float:
        try:
            return self._path.stat().st_size
        except OSError:  # It was moved; whoever writes next hears of it.
            return math.inf

    def run(self, connection: sqlite3.Connection, *, all_of_it: bool = False) -> bool:
        """Do what is due, outside of a transaction; tell whether nothing is left to do.

        Args:
            connection: One that may write.
            all_of_it: Whether to rewrite the file however large it is.

        Raises:
            sqlite3.Error: If it cannot be done now.
        """
        (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
        connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        try:
            if all_of_it or self._is_to_rewrite:
                self._is_in_log = True
                connection.execute("VACUUM")
                self._is_in_gaps, self._rewritten_at = False, time.monotonic()
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._is_in_log = bool(busy)
        finally:
            connection.execute(f"PRAGMA busy_timeout = {patience}")
        return not (self._is_in_log or self._is_in_gaps)
