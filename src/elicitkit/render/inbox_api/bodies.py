"""Reading what a client sent: a small JSON object, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request

from ... import _json
from ...limits import API_BODY_BYTES
from .problems import Problem

_JSON: Final = "application/json"


async def body_of(request: Request, keys: Mapping[str, type]) -> dict[str, Any]:
    """The members of the JSON object in a request; none where it has no body.

    Args:
        request: What was sent.
        keys: What the object may have, and of which type.

    Raises:
        Problem: If it is too large, of another media type, no JSON, or has something else.
    """
    raw = await _read(request)
    if not raw:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a body is {_JSON}", headers={"Accept": _JSON})
    try:
        found = _json.loads(raw)
    except ValueError:
        raise Problem(HTTPStatus.BAD_REQUEST, "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, "the body is to be a JSON object")
    if strange := [key for key in found if key not in keys]:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body may have {_listed(keys)}, and has {strange[0][:40]!r}")
    for key, value in found.items():
        if not isinstance(value, keys[key]):
            raise Problem(HTTPStatus.BAD_REQUEST, f"{key!r} is {_NOUNS[keys[key]]}")
    return found


async def _read(request: Request) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:19]) > API_BODY_BYTES:
        raise _too_large()
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > API_BODY_BYTES:
            raise _too_large()
    return bytes(raw)


def _too_large() -> Problem:
    headers = {"Connection": "close"}  # What is left of the body is not read.
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body may have {API_BODY_BYTES:,} bytes at most", headers=headers
    )


def _listed(keys: Mapping[str, type]) -> str:
    return ", ".join(map(repr, keys))


_NOUNS: Final[dict[type, str]] = {str: "text", dict: "an object"}
