"""Who answers the questions of a call: the person at the terminal, a script, or nobody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import anyio
from mcp.client import ClientRequestContext, ClientSession
from mcp_types import (
    INTERNAL_ERROR,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
)

from ..errors import FormError
from ..forms import Content, Form
from ..outcomes import Accepted
from ..render.terminal import fill, has_terminal, visit
from ..safety import plain_line
from ..testing import ScriptedAnswers
from .output import say
from .questions import link_lines, listed

Params: TypeAlias = ElicitRequestFormParams | ElicitRequestURLParams


class Question(NamedTuple):
    """One question of a call."""

    form: Form[Content]
    asker: str
    params: Params
    """The question as it came; a link has a form without fields."""

    waiting: Callable[[], int] = lambda: 0
    """How many questions of the same call wait for it."""


Answer: TypeAlias = Callable[[Question], Awaitable[ElicitResult | ErrorData]]
"""One way to get an answer: from a question to what goes back."""

_NAME_CHARACTERS = 100
"""What is left of the name a server gives itself."""


class People:
    """The `elicitation_callback` of a call: its questions are asked one after another, in the order they come.

    A form that cannot be read is cancelled, and standard error says why.

    Args:
        call: What asks, as it stands beside the name of its server: `tool order`.
        answer: The way to an answer.
    """

    def __init__(self, call: str, answer: Answer) -> None:
        self._call = call
        self._answer = answer
        self._turn = anyio.Lock()
        self._waiting = 0
        self._open: anyio.CancelScope | None = None
        self._is_over = False
        self.failure: Exception | None = None
        """Why a question could not be put to anybody; it is told here, and never to the server."""

    async def __call__(self, context: ClientRequestContext, params: Params) -> ElicitResult | ErrorData:
        """Answer one question."""
        return await self._in_turn(context.session, params)

    async def open_first(self, session: ClientSession, links: Sequence[ElicitRequestURLParams]) -> bool:
        """Put links that are to be opened before a call is made again; tell whether the person opened all of them."""
        for link in links:
            answer = await self._in_turn(session, link)
            if isinstance(answer, ErrorData) or answer.action != "accept":
                return False
        return bool(links)

    async def _in_turn(self, session: ClientSession, params: Params) -> ElicitResult | ErrorData:
        asker = f"{_name_of_server(session)} ({self._call})"
        self._waiting += 1
        async with self._turn:
            self._waiting -= 1
            if not self._is_over:
                with anyio.CancelScope() as self._open:
                    return await self._try_to_put(params, asker)
        return ErrorData(code=INTERNAL_ERROR, message="the question was withdrawn: the call has ended")

    @property
    def is_asking(self) -> bool:
        """Whether a question is open."""
        return self._turn.locked()

    async def withdraw(self) -> None:
        """Close the questions that are open or wait their turn, and leave the terminal free: the call has ended."""
        self._is_over = True
        if self._open is not None:
            self._open.cancel()
        async with self._turn:
            pass

    async def _try_to_put(self, params: Params, asker: str) -> ElicitResult | ErrorData:
        try:
            return await self._put(params, asker)
        except Exception as error:
            self.failure = error
            return ErrorData(code=INTERNAL_ERROR, message="the question could not be put to anybody")

    async def _put(self, params: Params, asker: str) -> ElicitResult | ErrorData:
        try:
            form = _form(params)
        except FormError as error:
            say(f"{asker} sent a form that cannot be read; cancelled. {plain_line(str(error))}")
            return ElicitResult(action="cancel")
        return await self._answer(Question(form, asker, params, lambda: self._waiting))


def whoever_is_there(script: ScriptedAnswers | None, *, takes_null: bool = False) -> Answer:
    """The script if there is one, else the person at the terminal, else nobody.

    Args:
        script: The scripted answers.
        takes_null: Whether the server takes `null` for a field that the person cleared, as one on elicitkit does.
    """
    if script is not None:
        return Scripted(script)
    return AtTerminal(takes_null=takes_null) if has_terminal() else nobody


class AtTerminal:
    """Asks the person at the terminal.

    A field that was cleared is left out: the specification has no `null` in an answer, and the TypeScript SDK refuses
    a whole answer for one. A server may then take its default, which the person is told.
    """

    def __init__(self, *, takes_null: bool = False) -> None:
        self._takes_null = takes_null
        self._last: _Sent | None = None

    async def __call__(self, question: Question) -> ElicitResult:
        """Put one form, or one link, to the person.

        Raises:
            MissingExtra: If the terminal prompt is not installed.
        """
        if isinstance(question.params, ElicitRequestURLParams):
            link = question.params
            visited = await visit(link.message, link.url, question.asker, waiting=question.waiting)
            return ElicitResult(action=visited.action)
        return await self._fill(question, question.params)

    async def _fill(self, question: Question, params: ElicitRequestFormParams) -> ElicitResult:
        form = question.form
        filled = self._last.of(params) if self._last is not None else {}
        outcome = await fill(form, question.asker, filled=filled, waiting=question.waiting)
        if not isinstance(outcome, Accepted):
            return ElicitResult(action=outcome.action)
        content, cleared = outcome.content, outcome.content.cleared
        nulled = {**content, **dict.fromkeys(cleared)}
        self._last = _Sent(params, nulled)
        if self._takes_null:
            return ElicitResult(action="accept", content=nulled)
        if cleared:
            labels = ", ".join(plain_line(field.label) for field in form.fields if field.name in cleared)
            say(f"left open: {labels}; the server may take its default all the same")
        return ElicitResult(action="accept", content=dict(content))


class _Sent(NamedTuple):
    """What the person sent last, which a server that refuses it asks for again."""

    params: ElicitRequestFormParams
    content: Mapping[str, Any]

    def of(self, params: ElicitRequestFormParams) -> Mapping[str, Any]:
        """What to fill in beforehand: the answer to the same form, where words were put above its message."""
        before = self.params
        is_again = params.message.endswith(before.message) and params.requested_schema == before.requested_schema
        return self.content if is_again and params.message != before.message else {}


async def nobody(question: Question) -> ElicitResult:
    """Cancel, and say so: a question without anybody is no refusal."""
    say("\n".join([f"{question.asker} asks: {plain_line(question.form.message)}", *_link(question.params)]))
    say("no terminal to ask at; cancelled (--answers FILE answers for you)")
    return ElicitResult(action="cancel")


class Scripted:
    """Answers from a script, each sent as it stands there, right or wrong. What is asked is printed."""

    def __init__(self, script: ScriptedAnswers) -> None:
        self._script = script

    async def __call__(self, question: Question) -> ElicitResult | ErrorData:
        """Print a question, take the next answer, and print which fields it has (never what they hold).

        Raises:
            ScriptError: If no answer is left.
        """
        asked = "\n".join([listed(question.form), *_link(question.params)])
        say(f"Question {len(self._script.asked) + 1}, from {question.asker}:\n{asked}")
        answer = await self._script(None, question.params)
        if isinstance(answer, ErrorData):
            self._script.finish()
            return answer
        say(f"  => {_told(answer)}\n")
        return answer


def _form(params: Params) -> Form[Content]:
    """What there is to fill in; nothing where a link is to be opened.

    Raises:
        FormError: If it cannot be read.
    """
    if isinstance(params, ElicitRequestURLParams):
        return Form(params.message)
    return Form.from_schema(params.message, params.requested_schema)


def _link(params: Params) -> list[str]:
    """The link of a question, in lines of a log; none where there is none."""
    return [f"  {line}" for line in link_lines(params.url)] if isinstance(params, ElicitRequestURLParams) else []


def _told(answer: ElicitResult) -> str:
    if answer.action != "accept":
        return answer.action
    names = ", ".join(map(plain_line, answer.content or {}))
    return f"accept, with {names}" if names else "accept, with nothing"


def _name_of_server(session: ClientSession) -> str:
    info = session.server_info
    name = plain_line(info.title or info.name, limit=_NAME_CHARACTERS) if info else ""
    return name or "a server without a name"
