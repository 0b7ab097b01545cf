"""`Road`: the port between asking and travelling, and how the road of the running call is found.

`elicit` and its like know no protocol. An adapter for a framework puts a road on the context's session, or makes it the
one of the running context, and they find it here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeAlias

from .. import _json
from ..errors import AdapterMissing, StepError
from ..journal import LinkQuestion, Question, Reply
from ..schema.dialects import Dialect

Mode: TypeAlias = Literal["form", "url"]
"""The modes of elicitation the specification has."""


class Road(Protocol):
    """How the questions of one call travel: the port that adapters implement.

    A road carries questions and gives back what came, unchecked. It guarantees that a question is put to a person
    once under one name, and that a step that finished is not run again, however often the call is replayed. It promises
    neither that anybody answers, nor in which time, but for a question with a deadline; and it may end the call at
    `ask` and bring it back to there in another run.
    """

    @property
    def dialect(self) -> Dialect:
        """How the other side wants a form to be written."""
        ...

    @property
    def answer_bytes(self) -> int:
        """The largest answer that is taken, in bytes of JSON."""
        ...

    @property
    def call_id(self) -> str:
        """A random id of the call, the same in all its rounds: 32 hexadecimal digits."""
        ...

    @property
    def task_id(self) -> str | None:
        """The id of the task that the call is; `None` for a call that is none."""
        ...

    @property
    def is_cancelled(self) -> bool:
        """Whether the call is cancelled, as far as the running task is concerned."""
        ...

    @property
    def running(self) -> set[str]:
        """The names of the steps that run now; those who run them keep it."""
        ...

    def require(self, mode: Mode) -> None:
        """Make sure that a question of that mode may be sent.

        Raises:
            ElicitationUnsupported: If the client did not declare the mode, or the connection cannot carry it.
        """
        ...

    def name(self, digest: str, key: str | None) -> str:
        """A name for a question, unique in its call and the same in every replay."""
        ...

    def deadline(self, name: str, seconds: float) -> float:
        """When a question ends: so many seconds after this was asked first, since the epoch."""
        ...

    async def ask(self, question: Question) -> Reply:
        """Put a question to the person and wait for what comes back; at its deadline that is `EXPIRED`.

        Raises:
            ElicitationUnsupported: If it turns out only now that the client cannot be asked.
            LimitError: If it is larger than the road can carry. Nothing was sent.
            ProtocolError: If the client answered with an error, or with what the protocol does not allow.
            CallOver: If the call it belongs to has ended.
        """
        ...

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """Give what *run* gave, in this run of the call or an earlier one: some JSON text.

        Raises:
            CallOver: If the call it belongs to has ended.
            Exception: What *run* raises, which is not kept.
        """
        ...

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        """End the call with the error that asks for a visit (-32042), by raising it, in the one era that has it."""
        ...

    async def complete(self, elicitation_id: str) -> None:
        """Tell the client that what it opened a link for is done, in the eras that have a notification for it."""
        ...


class AskContext(Protocol):
    """What asking needs of a framework's context: the session on which an adapter left the road."""

    @property
    def session(self) -> Any:
        """The session of the running call."""
        ...


class _Step:
    """A step that runs, or ran, on a road. What it started has it in its context, even after it ended."""

    def __init__(self, name: str, road: Road) -> None:
        self.name = name
        self.road = road
        self.is_running = True


_current: ContextVar[Road | None] = ContextVar("_current", default=None)
_step: ContextVar[_Step | None] = ContextVar("_step", default=None)


def road_of(ctx: AskContext | None) -> Road:
    """Find the road of the running call.

    Raises:
        AdapterMissing: If no adapter is installed, or no call is running.
        TypeError: If *ctx* is no context.
    """
    try:
        session = None if ctx is None else ctx.session
    except (ValueError, RuntimeError) as error:  # The words of both frameworks for "there is no running request".
        raise AdapterMissing("A question can only be asked while a client's call is running.") from error
    except AttributeError:
        raise TypeError(f"elicit takes the tool's context first, not {named(ctx)}: elicit(ctx, form)") from None
    road: Road | None = _current.get() if session is None else getattr(session, "elicitkit_road", None)
    if road is None:
        raise AdapterMissing(
            "Nothing here can carry a question: no call is running, or the server has no middleware for it, as in\n"
            "    from elicitkit import Elicitation\n"
            '    mcp = MCPServer("my-server", middleware=[Elicitation()])\n'
            "or, for FastMCP, the one of elicitkit.server.fastmcp."
        )
    return road


def refuse_in_step(road: Road) -> None:
    """Make sure that this is not inside a step of the same call: the round that would carry a question waits for it.

    Raises:
        StepError: If it is.
    """
    step = _step.get()
    if step is not None and step.is_running and step.road is road:
        raise StepError(f"the step {step.name!r} asks a question or runs a step: do that before it, or behind it")


@contextmanager
def inside_step(name: str, road: Road) -> Iterator[None]:
    """A step runs inside the block."""
    step = _Step(name, road)
    token = _step.set(step)
    try:
        yield
    finally:
        step.is_running = False
        _step.reset(token)


def named(value: object) -> str:
    """What kind of thing was given, for an error."""
    return "nothing" if value is None else type(value).__name__


def refuse_name(what: str, name: object) -> None:
    """Make sure that a name of the author's can stand in a journal.

    Raises:
        TypeError: If it is not text.
        ValueError: If it is blank, or has a character that our own names have.
    """
    if not isinstance(name, str):
        raise TypeError(f"{what} is text, not {named(name)}")
    if not name.strip() or "#" in name or "~" in name or not _json.is_sendable(name):
        raise ValueError(f"{what} is text without '#' and '~', not blank, that can be sent: {name!r}")


def seconds_of(timeout: timedelta | float | None, *, what: str = "timeout") -> float | None:
    """How long something may take, in seconds.

    Raises:
        TypeError: If it is neither a number nor a `timedelta`.
        ValueError: If it is not positive, or has no end.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float, timedelta)):
        raise TypeError(f"{what} is a number of seconds or a timedelta, not {named(timeout)}")
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
    if not 0 < seconds < math.inf:
        raise ValueError(f"{what} is a positive time, not {timeout!r}")
    return seconds


# --- what adapters use ------------------------------------------------------------------------------------------------


class travelling:  # each call of a server enters one: the decorator would cost four times as much
    """Make *road* the one that `elicit(None, …)` finds inside the block."""

    __slots__ = ("_road", "_token")

    def __init__(self, road: Road) -> None:
        self._road = road

    def __enter__(self) -> None:
        self._token = _current.set(self._road)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


def travel(road: Road) -> None:
    """As `travelling`, until the running task ends: for one that does nothing else."""
    _current.set(road)


def reply_from(action: Any, content: Mapping[str, Any] | None, answer_bytes: int) -> Reply:
    """Make a reply of what came over the wire; content that is too large is not kept."""
    if action != "accept" or content is None:
        return Reply(action)
    if (size := _size(content)) > answer_bytes:
        return Reply(action, problem=f"The answer takes {size:,} bytes, and may take {answer_bytes:,}: shorten it")
    return Reply(action, content)


def _size(content: Mapping[str, Any]) -> int:
    try:
        return _json.size(content)
    except TypeError:  # Half a character, or a number of any size: the check finds the field, and says so.
        return len(json.dumps(content, default=str))
