"""The rules around a requested schema: the params of an elicitation, a request, a round of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ...errors import ProtocolError
from ...limits import MESSAGE_CHARACTERS
from ...naming import nearest
from ...safety import link_problem
from .finding import Breach, Finding, eras_of, merged, pointer, shown
from .grammar import FIELD_TYPES, FIRST, SECTIONS
from .properties import review_property
from .root import found_in_schema, hidden_characters

_METHOD = "elicitation/create"
_LINKS_REQUIRED = -32042
_LINK = re.compile(r"https?://", re.IGNORECASE)
_MODES = ("form", "url")


class _Asked(NamedTuple):
    """A question in a document, or a part of one that stands alone."""

    value: Any
    at: str
    part: Literal["params", "schema", "field"] = "params"


def review_request(document: object, era: str | None = None) -> list[Finding]:
    """Like `review_schema`, for all that a requested schema comes in.

    That is a requested schema or one of its properties, the params of an elicitation, a request with `method` and
    `params` (JSON-RPC or not), a map of `inputRequests`, a result that has one, or the error -32042 with its links.
    Requests other than elicitations in it are passed over.

    Raises:
        ProtocolError: If there is no question in it.
        ValueError: If *era* is no revision that can ask.
    """
    eras = eras_of(era)
    asked = [*_questions(document, "")]
    if not asked:
        raise ProtocolError(f"there is no question in it: {_why_none(document)}")
    return merged((finding for one in eras for each in asked for finding in _found(each, one)), eras)


def _questions(document: object, at: str) -> Iterator[_Asked]:
    """The questions of a document, whatever they come in."""
    if not isinstance(document, Mapping):
        return
    if "method" in document:
        if document["method"] == _METHOD:
            yield _Asked(document.get("params"), pointer(at, "params"))
    elif isinstance(document.get("result"), Mapping):
        yield from _questions(document["result"], pointer(at, "result"))
    elif isinstance(document.get("error"), Mapping):
        yield from _links(document["error"], pointer(at, "error"))
    elif "code" in document and "data" in document:
        yield from _links(document, at)
    elif isinstance(document.get("inputRequests"), Mapping):
        yield from _questions_in(document["inputRequests"], pointer(at, "inputRequests"))
    elif {"message", "requestedSchema", "mode"} & document.keys():
        yield _Asked(document, at)
    elif _is_schema(document):
        yield _Asked(document, at, "field" if _is_field(document) else "schema")
    else:
        yield from _questions_in(document, at)


def _questions_in(requests: Mapping[str, Any], at: str) -> Iterator[_Asked]:
    for key, request in requests.items():
        if isinstance(request, Mapping) and "method" in request:
            yield from _questions(request, pointer(at, key))


def _links(error: Mapping[str, Any], at: str) -> Iterator[_Asked]:
    """The links that an error -32042 wants opened; they are params, without a request around them."""
    data = error.get("data") if error.get("code") == _LINKS_REQUIRED else None
    links = data.get("elicitations") if isinstance(data, Mapping) else None
    for place, link in enumerate(links if isinstance(links, list) else ()):
        yield _Asked(link, pointer(f"{at}/data/elicitations", place))


def _why_none(document: object) -> str:
    held = document.get("result", document) if isinstance(document, Mapping) else None
    if isinstance(held, Mapping) and isinstance(requests := held.get("inputRequests"), Mapping):
        methods = {one["method"] for one in requests.values() if isinstance(one, Mapping) and "method" in one}
        known = ", ".join(sorted(shown(method) for method in methods))
        return f"its inputRequests hold {f'only {known}' if known else 'nothing'}, and questions are {_METHOD!r}"
    return (
        "a question is a requested schema, the params of an elicitation, a request of the method "
        f"{_METHOD!r}, a map of inputRequests, or the error {_LINKS_REQUIRED}"
    )


def _is_schema(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("type"), (str, list)) or "properties" in document or "$schema" in document


def _is_field(document: Mapping[str, Any]) -> bool:
    return document.get("type") in FIELD_TYPES and "properties" not in document


def _found(asked: _Asked, era: str) -> Iterator[Finding]:
    if asked.part == "schema":
        yield from found_in_schema(asked.value, asked.at, era)
    elif asked.part == "field":
        words = "is one field, and no form: in a requested schema it stands under 'properties', by its name"
        yield Finding(asked.at, "note", "one-field", words)
        yield from review_property("field", asked.value, asked.at, era)
        yield from hidden_characters(asked.value, asked.at)
    elif not isinstance(asked.value, Mapping):
        yield _breaks(era, "request", asked.at, "no-params", "has no params: there is no message and no form")
    else:
        yield from _message(asked.value, asked.at, era)
        yield from _mode(asked.value, asked.at, era)


def _message(params: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    message, place = params.get("message"), pointer(at, "message")
    if not isinstance(message, str):
        words = "has no message that is text: the person has to be told what is asked, and why"
        yield _breaks(era, "request", at, "no-message", words)
        return
    if not message.strip():
        yield Finding(place, "warning", "blank-message", "is blank: the person is not told what is asked, and why")
    if len(message) > MESSAGE_CHARACTERS:
        words = f"has {len(message):,} characters, and elicitkit shows no more than {MESSAGE_CHARACTERS:,}"
        yield Finding(place, "warning", "long-message", words)
    if "\n" in message.strip():
        yield Finding(place, "note", "line-breaks", "has line breaks, which some hosts fold: let it read well without")
    yield from hidden_characters(message, place)


def _mode(params: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    mode = params.get("mode", "form")
    if mode == "url":
        yield from _url(params, at, era)
    elif mode == "form":
        yield from _form(params, at, era)
    else:
        hint = nearest(mode, _MODES) if isinstance(mode, str) else "there are 'form' and 'url'"
        place = pointer(at, "mode")
        yield _breaks(era, "request", place, "unknown-mode", f"is {shown(mode)}, which is no mode: {hint}")


def _form(params: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    if "requestedSchema" in params:
        yield from found_in_schema(params["requestedSchema"], pointer(at, "requestedSchema"), era)
    else:
        near = next((key for key in ("schema", "requested_schema", "requestSchema") if key in params), None)
        words = f"; it has {near!r}, which no host reads" if near else ""
        words = f"has no 'requestedSchema'{words}: hosts show no form at all"
        yield _breaks(era, "form", at, "no-schema", words)
    if isinstance(params.get("message"), str) and _LINK.search(params["message"]):
        words = "has a link in it, which no host should make one to click: ask to open links in url mode"
        yield Finding(pointer(at, "message"), "warning", "link-in-message", words)


def _url(params: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    if era == FIRST:
        yield _breaks(era, "url", pointer(at, "mode"), "url-mode", "is 'url', which this revision does not have")
    url, place = params.get("url"), pointer(at, "url")
    if not isinstance(url, str) or not url.strip():
        yield _breaks(era, "url", at, "no-url", "has no 'url' that is text")
    elif (problem := link_problem(url)) is not None:
        yield Finding(place, "warning", "unsafe-url", f"{problem}: hosts refuse to open it, or warn of it")
    if era == "2025-11-25" and not isinstance(params.get("elicitationId"), str):
        words = "has no 'elicitationId', which this revision requires; the later ones have none"
        yield _breaks(era, "url", at, "no-elicitation-id", words)
    if "requestedSchema" in params:
        words = "is not looked at in url mode: nobody fills in a form there"
        yield Finding(pointer(at, "requestedSchema"), "warning", "schema-beside-url", words)


def _breaks(era: str, topic: str, at: str, rule: str, problem: str) -> Finding:
    return Finding(at, "fault", rule, problem, (Breach(era, SECTIONS[topic][era]),))
