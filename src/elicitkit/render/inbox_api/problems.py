"""What is wrong with a request, as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import Response

from ...errors import AnswerError, ContractError, EntryClosed, LimitError, StoreError, UnknownEntry
from ...suspension.moments import write_moment
from ...suspension.wire import present

HEADERS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""What every response has: it may hold what people said."""


class Problem(Exception):
    """A request that comes to nothing, and why; it becomes a response."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self._more = more
        self._headers = headers or {}

    def response(self) -> Response:
        """The response."""
        told = {"title": self.status.phrase, "status": int(self.status), "detail": str(self), **present(self._more)}
        return as_json(told, status=self.status, media_type="application/problem+json", headers=self._headers)


def as_json(
    found: Mapping[str, Any],
    *,
    status: HTTPStatus = HTTPStatus.OK,
    media_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response with JSON, which nobody keeps."""
    # By the standard library: whole numbers of more than 64 bits, which strangers may ask about, stay what they are.
    body = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(body, status, headers={**HEADERS, **(headers or {})}, media_type=media_type)


def problem_of(error: Exception) -> Problem:
    """What an error of the inbox is to a client.

    Raises:
        Exception: The error, if it is none that a client can do anything about.
    """
    match error:
        case Problem():
            return error
        case AnswerError():
            faults = [{"field": one.field, "label": one.label, "problem": one.problem} for one in error.faults]
            return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), faults=faults)
        case EntryClosed():
            status = HTTPStatus.CONFLICT if error.state == "answered" else HTTPStatus.GONE
            at = None if error.at is None else write_moment(error.at)
            return Problem(status, str(error), state=error.state, closedBy=error.by or None, closedAt=at)
        case UnknownEntry():
            return Problem(HTTPStatus.NOT_FOUND, str(error))
        case LimitError():
            return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error))
        case ContractError():
            return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        case StoreError():
            return Problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers={"Retry-After": "5"})
        case _:
            raise error
