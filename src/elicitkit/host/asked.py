"""Reading what a server asks: an elicitation as a `Request` with its origin, or the reason why nobody is shown it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, TypeAlias

from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, InputRequest

from ..bridge import elicitation_to_request, required_elicitations_to_requests
from ..errors import ContractError, LimitError, ProtocolError
from ..safety import link_problem, plain_line
from ..suspension import Request
from .origins import Origin

logger = logging.getLogger(__name__)

Mode: TypeAlias = Literal["form", "url"]
"""A mode of elicitation."""

Params: TypeAlias = ElicitRequestFormParams | ElicitRequestURLParams

MODES: Final[tuple[Mode, ...]] = ("form", "url")
_SHORT = 300


class Unanswerable(Exception):
    """A question that is shown to nobody; its answer is `unsupported`."""


def read_question(params: Params, modes: Collection[Mode], *, server: str, tool: str, call: str) -> Request:
    """The request of an elicitation, with where it comes from.

    Raises:
        Unanswerable: If it cannot be read, is of a mode that was not declared, or is a link nobody should open.
    """
    mode: Mode = "url" if isinstance(params, ElicitRequestURLParams) else "form"
    id, meta = getattr(params, "elicitation_id", None), dict(params.meta or {})
    if mode not in modes:
        raise _unanswerable(server, f"it asks in the mode {mode!r}, which was not declared")
    try:
        request = elicitation_to_request(params)
        origin = Origin(server, tool, call=call, elicitation_id=id or "", meta=meta)
        return _opened_safely(origin.noted_in(request), server)
    except (ProtocolError, ContractError, LimitError) as error:
        raise _unanswerable(server, str(error)) from None


def read_links(data: Any, modes: Collection[Mode], *, server: str, tool: str, call: str) -> list[Request]:
    """The requests of the links in the data of the error -32042, with where they come from.

    Raises:
        Unanswerable: As `read_question` does.
    """
    if "url" not in modes:
        raise _unanswerable(server, "it requires a link to be opened, and that was not declared")
    try:
        found = required_elicitations_to_requests(data if isinstance(data, Mapping) else {})
        ids = [entry.get("elicitationId") for entry in data["elicitations"]]
        origins = [Origin(server, tool, call=call, elicitation_id=id if isinstance(id, str) else "") for id in ids]
        noted = [origin.noted_in(request) for origin, request in zip(origins, found, strict=True)]
        return [_opened_safely(request, server) for request in noted]
    except (ProtocolError, ContractError, LimitError) as error:
        raise _unanswerable(server, str(error)) from None


def params_of(request: InputRequest) -> Params:
    """The elicitation of an entry of `inputRequests`.

    Raises:
        ProtocolError: If it asks for something else, which this host never declared.
    """
    if not isinstance(request, ElicitRequest):
        raise ProtocolError(f"the server asks for {request.method}, which this host did not declare")
    return request.params


def _opened_safely(request: Request, server: str) -> Request:
    """Design, section 10: only `https` and this machine, and no credentials in a link."""
    problem = link_problem(request.url) if request.kind == "authorization" else None
    if problem is not None:
        raise _unanswerable(server, f"it asks to open a link that {problem}")
    return request


def _unanswerable(server: str, problem: str) -> Unanswerable:
    logger.warning("a question of the server %r is shown to nobody: %s", server, plain_line(problem, limit=_SHORT))
    return Unanswerable(problem)
