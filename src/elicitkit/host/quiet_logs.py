"""Keeps the queries of URLs at our servers out of the logs of the libraries that send them: secrets are usual there."""

from __future__ import annotations

import logging
import re
from typing import Final
from urllib.parse import urlsplit

LOGGERS: Final = ("httpx2", "mcp.client.streamable_http", "mcp.client.sse")
"""Those that write whole URLs."""

_URL: Final = re.compile(r"(https?://)(?:[^\s/?#@\"']*@)?([^\s/?#\"']+)([^\s?#\"']*)(?:[?#][^\s\"']*)?", re.IGNORECASE)


class _WithoutQueries(logging.Filter):
    """Shows URLs at the places it was told of without user, query and fragment; all else stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        shown = _URL.sub(self._shown, said)
        if shown != said:
            record.msg, record.args = shown, ()
        return True

    def _shown(self, found: re.Match[str]) -> str:
        return found[1] + found[2] + found[3] if found[2].lower() in self.places else found[0]


_filter: Final = _WithoutQueries()


def hide_queries(url: str) -> None:
    """Let no log of those libraries have the query of a URL that leads to the same place as this one."""
    _filter.places.add(urlsplit(url).netloc.rpartition("@")[2].lower())
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_filter)  # It is added once, however often.
