"""Sessions with a road on them, which also carry what stock code of a framework asks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from mcp_types import ElicitResult

from .. import _json
from ..asking import TRIES, Road, refuse_in_step
from ..asking.links import link_digest, link_shape
from ..errors import AnswerError, Fault
from ..journal import FormQuestion, LinkQuestion, Question
from ..safety import asks_for_credential, link_problem

logger: logging.Logger = logging.getLogger(__name__)


class AskingSession:
    """A session with a road on it; all else is the session of the SDK.

    The SDK's own `ctx.elicit` and `ctx.elicit_url` end in `elicit_form` and `elicit_url` here. A client that did not
    declare the mode is not sent them.
    """

    def __init__(self, session: Any, road: Road) -> None:
        self._session = session
        self.elicitkit_road = road

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def elicit_form(self, message: str, requested_schema: Mapping[str, Any], *more: Any, **named: Any) -> Any:
        """Ask with a form, as the SDK does."""
        refuse_in_step(self.elicitkit_road)
        self.elicitkit_road.require("form")
        _warn_of_fields(requested_schema)
        return await self._session.elicit_form(message, requested_schema, *more, **named)

    async def elicit(self, message: str, requested_schema: Mapping[str, Any], *more: Any, **named: Any) -> Any:
        """Ask with a form: an older name of `elicit_form`."""
        return await self.elicit_form(message, requested_schema, *more, **named)

    async def elicit_url(self, message: str, url: str, *more: Any, **named: Any) -> Any:
        """Ask to open a link, as the SDK does."""
        refuse_in_step(self.elicitkit_road)
        self.elicitkit_road.require("url")
        _warn_of_link(url)
        return await self._session.elicit_url(message, url, *more, **named)


class SuspendingSession(AskingSession):
    """A session whose questions travel on the road: what the SDK cannot send on 2026-07-28 goes as ours does."""

    async def elicit_form(self, message: str, requested_schema: Mapping[str, Any], *_: Any, **__: Any) -> ElicitResult:
        """Ask with a form; the answer is given as it came."""
        self.elicitkit_road.require("form")
        _warn_of_fields(requested_schema)
        schema = dict(requested_schema)
        name = self.elicitkit_road.name(_json.digest({"message": message, "schema": schema}), None)
        return await self._ask(FormQuestion(name, _json.digest(schema), message, schema, tries=TRIES))

    async def elicit_url(self, message: str, url: str, *_: Any, **__: Any) -> ElicitResult:
        """Ask to open a link."""
        self.elicitkit_road.require("url")
        _warn_of_link(url)
        name = self.elicitkit_road.name(link_digest(message, url), None)
        return await self._ask(LinkQuestion(name, link_shape(url), message, url=url))

    async def _ask(self, question: Question) -> ElicitResult:
        refuse_in_step(self.elicitkit_road)
        reply = await self.elicitkit_road.ask(question)
        if reply.problem is not None:
            raise AnswerError([Fault("", "", reply.problem)])
        return ElicitResult(action=reply.action, content=None if reply.content is None else dict(reply.content))


def _warn_of_fields(schema: Mapping[str, Any]) -> None:
    properties = schema.get("properties")
    for name, described in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(described, Mapping) and _is_typed_in(described) and _sounds_secret(name, described.get("title")):
            logger.warning("the form field %r seems to ask for a credential, which form mode must not", name)


def _is_typed_in(described: Mapping[str, Any]) -> bool:
    return described.get("type") in ("string", "number", "integer") and not described.keys() & {"enum", "oneOf"}


def _sounds_secret(name: str, title: object) -> bool:
    return asks_for_credential(name, title if isinstance(title, str) else None)


def _warn_of_link(url: str) -> None:
    if problem := link_problem(url):
        logger.warning("a link that a person is asked to open %s", problem)
