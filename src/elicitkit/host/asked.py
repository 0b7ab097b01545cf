"""Reading what a server asks: an elicitation as a `Request` with its origin, or the reason why nobody is shown it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, InputRequest

from ..bridge import elicitation_to_request, required_elicitations_to_requests
from ..errors import ContractError, LimitError, ProtocolError
from ..safety import link_problem, plain_line
from ..suspension import Request
from .origins import Origin

logger: logging.Logger = logging.getLogger(__name__)

Mode: TypeAlias = Literal["form", "url"]
"""A mode of elicitation."""

Params: TypeAlias = ElicitRequestFormParams | ElicitRequestURLParams

MODES: Final[tuple[Mode, ...]] = ("form", "url")
LINK_CHARACTERS: Final = 4_096
"""The longest link that a person is shown."""

_SHORT = 300


class Unanswerable(NamedTuple):
    """What is known of a question that is shown to nobody, and cancelled."""

    problem: str


def read_question(
    params: Params, modes: Collection[Mode], *, server: str, tool: str, call: str, task: str = ""
) -> Request | Unanswerable:
    """The request of an elicitation, with where it comes from.

    Nobody is to answer what cannot be read, is of a mode that was not declared, or is a link nobody should open.
    """
    mode: Mode = "url" if isinstance(params, ElicitRequestURLParams) else "form"
    id, meta = getattr(params, "elicitation_id", None), dict(params.meta or {})
    if mode not in modes:
        return _unanswerable(server, f"it asks in the mode {mode!r}, which was not declared")
    try:
        request = elicitation_to_request(params)
        origin = Origin(server, tool, call=call, task=task, elicitation_id=id or "", meta=meta)
        noted = origin.noted_in(request)
        return noted if (problem := _link_problem(noted)) is None else _unanswerable(server, problem)
    except (ProtocolError, ContractError, LimitError) as error:
        return _unanswerable(server, str(error))


def read_links(
    data: Any, modes: Collection[Mode], *, server: str, tool: str, call: str
) -> list[Request] | Unanswerable:
    """The requests of the links in the data of the error -32042, with where they come from; all, or nothing."""
    if "url" not in modes:
        return _unanswerable(server, "it requires a link to be opened, and that was not declared")
    try:
        found = required_elicitations_to_requests(data if isinstance(data, Mapping) else {})
        ids = [entry.get("elicitationId") for entry in data["elicitations"]]
        origins = [Origin(server, tool, call=call, elicitation_id=id if isinstance(id, str) else "") for id in ids]
        noted = [origin.noted_in(request) for origin, request in zip(origins, found, strict=True)]
        problems = filter(None, map(_link_problem, noted))
        return _unanswerable(server, first) if (first := next(problems, None)) is not None else noted
    except (ProtocolError, ContractError, LimitError) as error:
        return _unanswerable(server, str(error))


def unsafe_link(url: str | None) -> str | None:
    """Why nobody is to open a link, as the end of a sentence; `None` if they may.

    Design, section 10: only `https` and this machine, no credentials in it, and no more of it than can be looked at.
    """
    if url is not None and len(url) > LINK_CHARACTERS:
        return f"has {len(url):,} characters, and may have {LINK_CHARACTERS:,}"
    return link_problem(url)


def params_of(request: InputRequest) -> Params:
    """The elicitation of an entry of `inputRequests`.

    Raises:
        ProtocolError: If it asks for something else, which this host never declared.
    """
    if not isinstance(request, ElicitRequest):
        raise ProtocolError(f"the server asks for {request.method}, which this host did not declare")
    return request.params


def _link_problem(request: Request) -> str | None:
    problem = unsafe_link(request.url) if request.kind == "authorization" else None
    return None if problem is None else f"it asks to open a link that {problem}"


def _unanswerable(server: str, problem: str) -> Unanswerable:
    logger.warning("a question of the server %r is shown to nobody: %s", server, plain_line(problem, limit=_SHORT))
    return Unanswerable(problem)
