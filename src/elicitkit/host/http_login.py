"""How an API says where to log in, when it refuses a call with 401 or 403. Pure: a link is found, and never fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from ..safety import link_problem
from .asked import LINK_CHARACTERS

REFUSALS: Final = (401, 403)
"""The statuses that may come with a login link."""

_KEYS: Final = (
    *("login_url", "loginUrl", "login_uri", "auth_url", "authUrl"),
    *("authorization_url", "authorizationUrl", "authorization_uri", "authorizationUri"),
)
_PARAMETER: Final = re.compile(
    rf"(?:^|[\s,])(?:{'|'.join(_KEYS)})\s*=\s*(?:\"([^\"]*)\"|([^\s,\"]+))", re.ASCII | re.IGNORECASE
)


def login_link(url: str, headers: Mapping[str, str], body: Any) -> str | None:
    """The first link to log in at that a person may open; `None` if the answer names none.

    It is looked for in the JSON of the body (`login_url`, `authorization_url` and their like, at the top or in
    `error`), then in the parameters of `WWW-Authenticate`, then in `Location`.

    Args:
        url: What was asked for; a `Location` may be relative to it.
        headers: Those of the answer, by any spelling.
        body: Its JSON, if it has some.
    """
    found = (link for link in _links(url, headers, body) if len(link) <= LINK_CHARACTERS)
    return next((link for link in found if link_problem(link) is None), None)


def login_prompt(link: str) -> str:
    """What the person is asked, in our words: an API has no say in it, and the host of the link is shown."""
    return f"Log in at {urlsplit(link).hostname} to go on"


def _links(url: str, headers: Mapping[str, str], body: Any) -> Iterator[str]:
    holders = [body, body.get("error")] if isinstance(body, Mapping) else []
    for holder in holders:
        if isinstance(holder, Mapping):
            yield from (holder[key] for key in _KEYS if isinstance(holder.get(key), str))
    for quoted, bare in _PARAMETER.findall(headers.get("www-authenticate") or ""):
        yield quoted or bare
    if location := headers.get("location"):
        yield _joined(url, location)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return ""
