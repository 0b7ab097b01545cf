"""`Answers`: what answers in place of a person, at a client of the SDK's and at a host; and what it may reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import anyio
from mcp_types import INTERNAL_ERROR, ElicitResult, ErrorData
from pydantic import ValidationError

from ..bridge import answer_to_elicit_result
from ..errors import ScriptError
from ..naming import nearest
from ..suspension import Answer, Request
from .asked import Asked, Params

Sent: TypeAlias = ElicitResult | ErrorData | Answer
"""What an answer can be. An `Answer` is for what is no form, such as the kind `question`; its id does not matter."""

_MEMBERS = ("action", "content", "_meta")
"""What an answer as JSON has. Another key is a slip of the pen, and what it holds would be lost without a word."""

Reply: TypeAlias = Sent | Mapping[str, Any] | Callable[[Asked], Any]
"""What a test may have answered: a result, one as JSON has it, an error, or a function from the question to these."""


def accept(content: Mapping[str, Any] | None = None, /, **fields: Any) -> ElicitResult:
    """An accepted form, by wire names."""
    return ElicitResult(action="accept", content={**(content or {}), **fields})


def decline() -> ElicitResult:
    """A refusal."""
    return ElicitResult(action="decline")


def cancel() -> ElicitResult:
    """A dismissal."""
    return ElicitResult(action="cancel")


def fail(message: str = "the client failed") -> ErrorData:
    """A client that fails: an error in place of an answer, which is no person's doing."""
    return ErrorData(code=INTERNAL_ERROR, message=message)


async def never(_: Asked) -> ElicitResult:
    """A person who never answers: write it without calling it. It waits until the question is withdrawn."""
    await anyio.sleep_forever()
    raise AssertionError("this is never reached")  # The type of `sleep_forever` does not tell.


class Answers(ABC):
    """Answers what is asked, and keeps it in `asked`. Make a subclass with an `answer` of its own, or use ours.

    It is the `elicitation_callback` of a client; its `wait_for` is that of a host.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        """The questions so far, in the order they came."""

    @abstractmethod
    async def answer(self, asked: Asked) -> Sent:
        """The answer to one question."""

    async def __call__(self, context: object, params: Params) -> ElicitResult | ErrorData:
        """Answer one question of a client."""
        sent = await self._noted(Asked.of(params, context))
        return answer_to_elicit_result(sent) if isinstance(sent, Answer) else sent

    async def wait_for(self, request: Request) -> Answer:
        """Answer one request of a host.

        Raises:
            ScriptError: Where a client would send an error back: a host knows failures by what is raised.
        """
        sent = await self._noted(Asked.of_request(request))
        if isinstance(sent, ErrorData):
            raise ScriptError(sent.message)
        if isinstance(sent, Answer):
            return replace(sent, id=request.id)
        if sent.action == "accept":
            return request.accept(sent.content)
        return request.decline() if sent.action == "decline" else request.cancel()

    async def _noted(self, asked: Asked) -> Sent:
        self.asked.append(asked)
        return await self.answer(asked)


async def sent(reply: Reply, asked: Asked) -> Sent:
    """What is sent for a reply; a function among them is called with the question.

    Raises:
        ScriptError: If it is no answer.
    """
    if callable(reply):
        given = reply(asked)
        return checked(await given if isinstance(given, Awaitable) else given, "what a function of the script gave")
    return checked(reply, "a reply of the script")


def checked(given: object, what: str) -> Sent:
    """Make sure that something is an answer.

    Raises:
        ScriptError: If it is none; *what* says which.
    """
    if isinstance(given, (ElicitResult, ErrorData, Answer)):
        return given
    if isinstance(given, Mapping) and (strange := [key for key in given if key not in _MEMBERS]):
        raise ScriptError(f"{what} has a {strange[0]!r}, which no answer has: {nearest(str(strange[0]), _MEMBERS)}")
    try:
        return ElicitResult.model_validate(given, by_name=False)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the whole"
        raise ScriptError(
            f"{what} is none ({where}): it needs an action, one of accept, decline and cancel, "
            "and for accept its content, an object of text, numbers, true or false, and lists of text"
        ) from None


def named(reply: Reply) -> str:
    """A reply in a failure: what it does and to which fields, never with what values."""
    if callable(reply):
        return getattr(reply, "__name__", type(reply).__name__)
    if isinstance(reply, (ErrorData, Answer)):
        return "fail" if isinstance(reply, ErrorData) else repr(reply)
    assert isinstance(reply, ElicitResult), "a script is checked when it is made"
    return f"{reply.action}({', '.join(reply.content or {})})"
