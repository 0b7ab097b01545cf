"""Asking a person: `elicit` and `confirm`, and the port behind them, `Road`.

Nothing here knows how a question travels. `elicit` finds the road of the running call and asks it; an adapter for a
framework puts the road there.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Literal, NoReturn, Protocol, TypeAlias, TypeVar, overload

from . import _json
from .errors import AdapterMissing, AnswerError, ElicitationUnsupported, Fault
from .forms import Content, Form, FormElicitation, FormSource
from .journal import Question, Reply
from .limits import MESSAGE_CHARACTERS
from .outcomes import Accepted, Cancelled, Declined, Outcome
from .schema.dialects import Dialect

T = TypeVar("T")
V = TypeVar("V")

Mode: TypeAlias = Literal["form", "url"]
"""The modes of elicitation the specification has."""

TRIES = 3
"""How often a person may answer one question before `elicit` gives up."""


class Road(Protocol):
    """How the questions of one call travel: the port that adapters implement.

    A road carries questions and gives back what came, unchecked. It guarantees that a question is put to a person
    once under one name, however often the call is replayed. It promises neither that anybody answers, nor in which
    time; and it may end the call at `ask` and bring it back to there in another run.
    """

    @property
    def dialect(self) -> Dialect:
        """How the other side wants a form to be written."""
        ...

    @property
    def answer_bytes(self) -> int:
        """The largest answer that is taken, in bytes of JSON."""
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

    async def ask(self, question: Question) -> Reply:
        """Put a question to the person and wait for what comes back.

        Raises:
            ElicitationUnsupported: If it turns out only now that the client cannot be asked.
            LimitError: If it is larger than the road can carry. Nothing was sent.
            ProtocolError: If the client answered with an error, or with what the protocol does not allow.
            CallOver: If the call it belongs to has ended.
        """
        ...


class Asking(Coroutine[Any, Any, T]):
    """A question that is asked when it is awaited. A forgotten `await` is an error, never a yes."""

    def __init__(self, asking: Coroutine[Any, Any, T]) -> None:
        self._asking = asking

    def __bool__(self) -> NoReturn:
        self.close()
        raise TypeError("the question was not asked: write `await` before elicit(…) or confirm(…)")

    def __await__(self) -> Generator[Any, Any, T]:
        return self._asking.__await__()

    def send(self, value: Any, /) -> Any:
        """Go on, as a coroutine does."""
        return self._asking.send(value)

    def throw(self, *error: Any) -> Any:
        """Go on with an error, as a coroutine does."""
        return self._asking.throw(*error)

    def close(self) -> None:
        """End it without asking."""
        self._asking.close()


class AskContext(Protocol):
    """What `elicit` needs of a framework's context: the session on which an adapter left the road."""

    @property
    def session(self) -> Any:
        """The session of the running call."""
        ...


@overload
def elicit(
    ctx: AskContext | None,
    form: FormSource[T],
    made: None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[T]]: ...


@overload
def elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[V],
    *,
    key: str | None = None,
    tries: int = TRIES,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[V]]: ...


def elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[Any]]:
    """Ask the person at the client to fill in a form, and give what it came to.

    The same line works on every era of the protocol. On 2026-07-28 the tool is run again from the top for each round
    of questions, and a question that was answered returns at once: what must happen only once belongs after the last
    question. An answer that does not fit is asked again with its faults above the message.

    Args:
        ctx: The context of the running tool; `None` finds the call by itself, where the framework allows it.
        form: A form, a builder, or any node of a builder's chain.
        made: A type to bind the answer to, for a form that did not come from one.
        key: What makes two askings the same question. Give one when the text changes from run to run (a price, a
            time); without one, the question is known by what is asked.
        tries: How often the person may answer before it is an error.
        unsupported: What to return where the client cannot be asked, in place of an error.

    Raises:
        FormError: If the form does not work. Nothing is sent.
        AnswerError: If the last try does not fit either.
        ElicitationUnsupported: If the client did not declare forms, or the connection cannot carry a question.
        LimitError: If the question, or all answers so far, are too large for the connection.
        ProtocolError: If the client failed, which is no person's doing.
        AdapterMissing: If no adapter is installed in the server; the text has the line to add.
    """
    return Asking(_elicit(ctx, form, made, key=key, tries=tries, unsupported=unsupported))


def confirm(
    ctx: AskContext | None,
    message: str,
    *,
    label: str = "Confirm",
    empty: bool = False,
    key: str | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[None]]:
    """Ask a yes/no question. Anything but a clear yes is falsy: a no, declining, cancelling.

    It sends one required boolean without default, since some hosts hang on a form without fields, or wave it through.

    Args:
        ctx: As for `elicit`.
        message: The question.
        label: What stands beside the yes or no.
        empty: Send a form without fields instead: the person accepts or declines it.
        key: As for `elicit`.
        unsupported: As for `elicit`.

    Raises:
        ElicitkitError: As `elicit` does.
    """
    form = FormElicitation.create(message)
    if not empty:
        form.boolean("confirm").title(label).required()

    async def asking() -> Outcome[None]:
        return _confirmed(await elicit(ctx, form, key=key, unsupported=unsupported), empty=empty)

    return Asking(asking())


def _confirmed(outcome: Outcome[Content], *, empty: bool) -> Outcome[None]:
    if not isinstance(outcome, Accepted):
        return outcome
    return Accepted(None, raw=outcome.raw) if empty or outcome.content["confirm"] else Declined()


async def _elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None,
    *,
    key: str | None,
    tries: int,
    unsupported: Declined | Cancelled | None,
) -> Outcome[Any]:
    _refuse_arguments(form, key, tries)
    built, road = form.build(), _road_of(ctx)
    if made is not None:
        built = built.bound_to(made)
    built.require_askable()
    try:
        return await _ask_until_it_fits(road, built, key, tries)
    except ElicitationUnsupported:
        if unsupported is None:
            raise
        return unsupported


def _refuse_arguments(form: object, key: object, tries: int) -> None:
    if not hasattr(form, "build"):
        raise TypeError(f"elicit takes a context and a form, such as FormElicitation.create(…), not {_named(form)}")
    if tries < 1:
        raise ValueError(f"tries is at least 1, not {tries}")
    if key is None:
        return
    if not isinstance(key, str):
        raise TypeError(f"a key is text, not {_named(key)}")
    if not key.strip() or "#" in key or "~" in key:
        raise ValueError(f"a key is text without '#' and '~', and not blank: {key!r}")


def _named(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


async def _ask_until_it_fits(road: Road, form: Form[T], key: str | None, tries: int) -> Outcome[T]:
    road.require("form")
    schema = form.schema_in(road.dialect)
    question = Question(road.name(form.digest(), key), _json.digest(schema), form.message, schema)
    reply = await road.ask(question)
    if reply.is_early and not _fits(road, form, reply):
        reply = await road.ask(question)  # Nobody saw it yet, so it costs no try.
    for attempt in range(2, tries + 2):
        if reply.action != "accept":
            return Declined() if reply.action == "decline" else Cancelled()
        try:
            return _accepted(road, form, reply)
        except AnswerError as error:
            if attempt > tries:
                raise
            again = _message_with_faults(form.message, error)
        reply = await road.ask(replace(question, name=f"{question.name}~{attempt}", message=again))
    raise AssertionError("the last try returns or raises")


def _fits(road: Road, form: Form[T], reply: Reply) -> bool:
    try:
        return reply.action != "accept" or bool(_accepted(road, form, reply))
    except AnswerError:
        return False


def _accepted(road: Road, form: Form[T], reply: Reply) -> Accepted[T]:
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    return form.accept(road.dialect.fold(form.fields, reply.content or {}))


def _message_with_faults(message: str, error: AnswerError) -> str:
    """The message with the faults above it; where both are too long, the faults are cut."""
    faults = "\n".join(f"- {fault}" for fault in error.faults)
    head, gap = "Please correct this:\n", "\n\n"
    room = MESSAGE_CHARACTERS - len(message) - len(head) - len(gap)
    if room < len("- …"):
        return message
    return f"{head}{faults if len(faults) <= room else faults[: room - 1] + '…'}{gap}{message}"


# --- what adapters use ------------------------------------------------------------------------------------------------

_current: ContextVar[Road | None] = ContextVar("_current", default=None)


@contextmanager
def travelling(road: Road) -> Iterator[None]:
    """Make *road* the one that `elicit(None, …)` finds inside the block."""
    token = _current.set(road)
    try:
        yield
    finally:
        _current.reset(token)


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
    except TypeError:
        return 0  # Not JSON: the check finds the field, and says so.


def _road_of(ctx: AskContext | None) -> Road:
    try:
        session = None if ctx is None else ctx.session
    except ValueError as error:  # The SDK's word for "there is no running request".
        raise AdapterMissing("A question can only be asked while a client's call is running.") from error
    except AttributeError:
        raise TypeError(f"elicit takes the tool's context first, not {_named(ctx)}: elicit(ctx, form)") from None
    road: Road | None = _current.get() if session is None else getattr(session, "elicitkit_road", None)
    if road is None:
        raise AdapterMissing(
            "Nothing here can carry a question yet: add the middleware to the server, as in\n"
            "    from elicitkit import Elicitation\n"
            '    mcp = MCPServer("my-server", middleware=[Elicitation()])'
        )
    return road
