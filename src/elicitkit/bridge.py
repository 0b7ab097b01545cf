"""Between MCP and the contract of a host: an elicitation becomes a `Request`, and its `Answer` an `ElicitResult`.

Both are pure. What only a source knows (server, tool, call, an elicitation's own id) is added by the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mcp_types import ElicitRequestFormParams, ElicitResult
from pydantic import BaseModel

from ._json import SCALARS
from .errors import AnswerError, Fault, ProtocolError
from .safety import plain_line
from .suspension import Answer, Request, new_id

Given: TypeAlias = Mapping[str, Any] | BaseModel
"""A message of the protocol: a plain dict as it is on the wire, or a model of an SDK, of whichever era."""

_ACCEPTED = ElicitResult(action="accept", content={})
"""What a result is copied from whose content needs no check of the SDK."""

_TEXTS = frozenset({str})
_METHOD = "elicitation/create"
_SHORT = 40
"""What is left of a stranger's word in an error, in characters."""


def elicitation_to_request(params: Given, *, id: str | None = None) -> Request:
    """The request of an `elicitation/create`: `input` for a form, `authorization` for a link.

    A form's requested schema is `data["schema"]`, unchanged; an empty form keeps its own, and `is_confirmation` tells
    it. (2026-07-28, "Elicitation", form and URL mode; an absent `mode` is form mode.)

    Args:
        params: The params of the request; or a whole one, with `method` and `params`, as in `inputRequests`.
        id: What the answer is known by; else one that nobody can guess, which starts with `elc-`.

    Raises:
        TypeError: If *params* is neither a mapping nor a model.
        ProtocolError: If it is another request than an elicitation, or lacks what its mode needs.
        ContractError: If the id is blank, or it holds what JSON has no place for.
        LimitError: If the message or the schema is larger than `elicitkit.limits` allows.
    """
    given = _form(params) if type(params) is ElicitRequestFormParams else _wire(_params_of(params))
    id = new_id("elc") if id is None else id
    message = _text(given, "message")
    match given.get("mode"):
        case None | "form":
            return Request(id, "input", message, data={"schema": _requested_schema(given)})
        case "url":
            return Request(id, "authorization", message, url=_text(given, "url", may_be_blank=False))
        case mode:
            raise ProtocolError(f"the server asks in the mode {_shown(mode)}, and there are 'form' and 'url'")


def required_elicitations_to_requests(data: Given) -> list[Request]:
    """The requests in the data of the error -32042: the links to open before the call is made again.

    (2025-11-25, "Elicitation", URL elicitation required error.)

    Raises:
        TypeError: If *data* is neither a mapping nor a model.
        ProtocolError: If it has no elicitations, or one that is no link.
        ContractError, LimitError: As `elicitation_to_request` does.
    """
    if not isinstance(data, (Mapping, BaseModel)):
        raise TypeError(f"the data of an error are a mapping or a model of the SDK, not {type(data).__name__}")
    found = _get(data, "elicitations")
    if not isinstance(found, (list, tuple)) or not found:
        raise ProtocolError("the server requires links to be opened first, and names none in 'elicitations'")
    return [_link_request(entry) for entry in found]


def answer_to_elicit_result(answer: Answer) -> ElicitResult:
    """The result that takes an answer back to the server (2026-07-28, "Elicitation", Response Actions).

    An answer that is ok accepts, with its data or `{}` as the content; the reason `declined` declines; anything else
    cancels. Nothing but an accepted answer takes its data along. Whether they fit the form is for others to check.

    Raises:
        TypeError: If *answer* is no `Answer`.
        AnswerError: If the content is not flat, as the protocol wants it. The text names the fields alone.
    """
    if not isinstance(answer, Answer):
        raise TypeError(f"what goes back to the server is made from an Answer, not from {type(answer).__name__}")
    if not answer.ok:
        return ElicitResult(action="decline" if answer.reason == "declined" else "cancel")
    data = answer.data or {}
    content = _plain(data)
    if content is None:
        return ElicitResult(action="accept", content=_flat(data))
    return _ACCEPTED.model_copy(update={"content": content})


def _link_request(entry: object) -> Request:
    if not isinstance(entry, (Mapping, BaseModel)) or _get(entry, "mode") != "url":
        raise ProtocolError("the server requires something to be opened first that is no elicitation in url mode")
    return elicitation_to_request(entry)


def _form(given: ElicitRequestFormParams) -> Mapping[str, Any]:
    """The SDK's own, which is by far the most frequent, under the keys of the wire."""
    return {"mode": given.mode, "message": given.message, "requestedSchema": given.requested_schema}


def _params_of(given: Given) -> Given:
    """The params of a whole request; what has no method is params already."""
    if not isinstance(given, (Mapping, BaseModel)):
        raise TypeError(f"an elicitation is a mapping or a model of the SDK, not {type(given).__name__}")
    method = _get(given, "method")
    if method is None:
        return given
    if method != _METHOD:
        raise ProtocolError(f"{_shown(method)} is no question to a person: {_METHOD!r} is the only one")
    params = _get(given, "params")
    if not isinstance(params, (Mapping, BaseModel)):
        raise ProtocolError(f"the server sent {_METHOD!r} without params")
    return params


def _wire(given: Given) -> Mapping[str, Any]:
    """A message under the keys of the wire. What was not set in a model is left out, for it was not sent either."""
    if isinstance(given, Mapping):
        return given
    if type(given) is ElicitRequestFormParams:
        return _form(given)
    # The mode apart, which those who make a model themselves leave to its default.
    return {**given.model_dump(by_alias=True, exclude_unset=True), "mode": _get(given, "mode")}


def _requested_schema(given: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = given.get("requestedSchema")
    if schema is None:
        raise ProtocolError("the server sent a form without 'requestedSchema'; an empty form has one, too")
    if not isinstance(schema, Mapping):
        raise ProtocolError("the server sent a form whose 'requestedSchema' is no object")
    return schema


def _text(given: Mapping[str, Any], key: str, *, may_be_blank: bool = True) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not (may_be_blank or value.strip()):
        raise ProtocolError(f"the server sent an elicitation without {key!r}, or with one that is no text")
    return value


def _plain(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """A copy of the data of an answer that are what the SDK would make of them, as nearly all are; else `None`."""
    content = dict(data)
    for name, value in data.items():
        if type(value) is list and _TEXTS.issuperset(map(type, value)):
            content[name] = [*value]
        elif type(value) not in SCALARS:
            return None
    return content if _TEXTS.issuperset(map(type, data)) else None


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the data of an answer, down to its lists, which could be changed from there.

    Raises:
        AnswerError: If they are not flat.
    """
    content, faults = dict(data), []
    for name, value in data.items():
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            content[name] = [*value]
        elif isinstance(value, (list, dict)):
            problem = "holds more than a field can: it may be text, a number, true or false, or a list of text"
            faults.append(Fault(name, name, problem, value))
    if faults:
        raise AnswerError(faults)
    return content


def _get(holder: Given, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _shown(word: object) -> str:
    return repr(plain_line(word, limit=_SHORT)) if isinstance(word, str) else f"a {type(word).__name__}"
