"""What comes from a browser, read with bounds: the body of a form, and whether it was ours."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from .controls import Posted
from .sessions import Session, Sessions

BODY_BYTES: Final = 1_500_000
"""The largest form that is read: an answer of 256 KiB, each byte of which may take three in a form, twice over."""

FIELDS: Final = 70_000
"""The most controls of a form, each tick of a box counted: 64 fields of 1,000 options."""


class TooLarge(Exception):
    """More was posted than anybody can have typed."""


class Foreign(Exception):
    """What was posted is no form of ours."""


async def posted_by(request: Request, sessions: Sessions, session: Session) -> Posted:
    """The form that was posted, if it is one of this session's.

    Raises:
        TooLarge: If there is more than is read.
        Foreign: If another site sent it, or it is no form.
    """
    if not is_same_origin(request):
        raise Foreign
    posted: dict[str, list[str]] = {}
    for name, text in _parsed(await _body(request)):
        posted.setdefault(name, []).append(text)
    if not sessions.is_form_of(session, next(iter(posted.pop("csrf", [])), "")):
        raise Foreign
    return posted


def is_same_origin(request: Request) -> bool:
    """Tell whether a browser says that a request comes from a page of ours. Very old ones say nothing."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host", "")


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Foreign
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_BYTES:
            raise TooLarge
    return bytes(body)


def _parsed(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS, errors="replace")
    except UnicodeDecodeError:
        raise Foreign from None
    except ValueError:
        raise TooLarge from None
