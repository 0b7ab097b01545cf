"""Pages: from what is to be shown to HTML. Pure; all that a template prints is escaped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...limits import MESSAGE_CHARACTERS
from ...safety import plain
from ..details import CAME_WITH
from ..text import drawable
from .moments import since, until, written

STATIC: Final[Mapping[str, str]] = {
    "inbox.css": "text/css; charset=utf-8",
    "inbox.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The static files by name, with their media types."""


@cache
def static_file(name: str) -> bytes:
    """A static file.

    Raises:
        KeyError: If there is none of that name.
    """
    if name not in STATIC:
        raise KeyError(name)
    return files(__name__.rpartition(".")[0]).joinpath("static", name).read_bytes()


@cache
def static_version(name: str) -> str:
    """What changes when a static file does, so that browsers may keep it."""
    return hashlib.sha256(static_file(name)).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Site:
    """What every page of an app has."""

    title: str
    root: str = ""
    """Where the app is mounted."""

    has_list: bool = True
    """Whether whoever looks may see the list; a link to one question opens that question alone."""

    @property
    def home(self) -> str:
        """The address of the list; empty if there is none to see."""
        return f"{self.root}/" if self.has_list else ""

    @property
    def closed(self) -> str:
        """The address of the list of what is closed."""
        return f"{self.root}/closed"

    def static(self, name: str) -> str:
        """The address of a static file."""
        return f"{self.root}/static/{name}?v={static_version(name)}"


class Act(NamedTuple):
    """What a form posts to, and the secret that shows that it is one of ours."""

    url: str
    csrf: str


class Live(NamedTuple):
    """Where a page hears of changes, and what it shows: when that is another, it is out of date."""

    events: str
    state: str


def page(template: str, site: Site, *, now: datetime | None = None, live: Live | None = None, **given: Any) -> str:
    """A page as HTML.

    Args:
        template: The name of its template, without `.html`.
        site: What every page has.
        now: What time it is.
        live: Where it hears of changes; `None` for a page that has none.
        given: What the template needs.
    """
    moment = datetime.now(UTC) if now is None else now
    return _environment().get_template(f"{template}.html").render(site=site, now=moment, live=live, **given)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(__package__ or ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "line": drawable,
        "many": lambda text: plain(text, limit=MESSAGE_CHARACTERS),
        "iso": lambda moment: moment.isoformat(),
        "since": since,
        "until": until,
        "written": written,
    }
    made.globals["came_with"] = CAME_WITH
    return made
