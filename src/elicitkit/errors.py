"""Every exception that leaves elicitkit, and nothing else.

    ElicitkitError
    ├── FormError (ValueError)                  a form is described wrongly: the author's fault
    │   └── SensitiveFieldError                 a form field asks for a credential
    ├── AnswerError (ValueError)                an answer does not fit its form: the person's or the client's fault
    ├── LinkError (ValueError)                  a link is one that must not be sent: the author's fault
    ├── StepError (RuntimeError)                a step gave what JSON cannot keep, or asked something
    ├── ContractError (ValueError)              a request or an answer is not what the contract of hosts allows
    ├── LimitError (ValueError)                 something is larger than a limit allows
    │   └── AnswerTooLarge                      it is an answer: the person's or the client's fault
    ├── ElicitationUnsupported (RuntimeError)   the client, or the connection to it, cannot be asked this
    ├── AdapterMissing (RuntimeError)           `elicit` runs where no adapter is installed
    ├── CallOver (RuntimeError)                 a question was asked after its call had ended
    ├── UnknownTask (LookupError)               there is no such task, or it belongs to somebody else
    ├── TaskKeyError (ValueError)               a key of a task's question was used before, or never
    ├── StaleClaim (RuntimeError)               a worker was overtaken by another
    ├── TaskStuck (RuntimeError)                a task at a server did not change for longer than anybody waits
    ├── UnknownEntry (LookupError)              there is no such question in an inbox, or it is for somebody else
    ├── EntryClosed (RuntimeError)              a question in an inbox was answered before, or is no longer asked
    ├── StoreError (RuntimeError)               a store of tasks or questions cannot be read or written
    ├── ProtocolError (RuntimeError)            the other side broke the protocol, or failed
    │   └── TaskOutOfReach                      a task cannot be waited for, and was left as it is: `task_id`
    ├── ToolError (RuntimeError)                a tool of the host's own failed, and says why to the model
    ├── ServerUnavailable (ConnectionError)     a server cannot be reached, and nothing was sent to it
    ├── ScriptError (AssertionError)            scripted answers and the questions asked do not match
    └── MissingExtra (ImportError)              an optional dependency is not installed

Declining and cancelling are no errors: they are outcomes. A wrong type of argument is a plain `TypeError`.

What a package raises for itself, to end a piece of work early (the person goes back, a request becomes a page), stands
beside the code that catches it. It is no `ElicitkitError`: those are collected for who is to be told of them (`watch`),
and a handler of theirs would take it for a fault of the call.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple, cast


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a form or an answer, and where."""

    field: str
    """The wire name of the field; empty when it is the whole form or answer."""

    label: str
    """What a person calls the field."""

    problem: str
    """What is wrong and what would do, as the end of a sentence that starts with the label."""

    value: object = dataclasses.field(default=None, repr=False, compare=False)
    """What was given. No text ever shows it: it may be private."""

    def __str__(self) -> str:
        return _sendable(f"{self.label}: {self.problem}" if self.label else self.problem)


def _sendable(text: str) -> str:
    """Text that can be written to the wire: half a character (a lone surrogate) is shown as its escape."""
    return text.encode(errors="backslashreplace").decode()


_KEPT = 100


class Made(NamedTuple):
    """An error, and the task it was made in."""

    error: ElicitkitError
    task: asyncio.Task[Any] | None


_watched: ContextVar[list[Made] | None] = ContextVar("_watched", default=None)


class watch:  # each call of a server enters one: the decorator would cost four times as much
    """Collect the last errors that are made inside the block, for adapters to frameworks that mask what a tool raises.

    They are forgotten with the block. Tasks that outlive it go on collecting, which the bound keeps small.
    """

    __slots__ = ("_before", "_made")

    def __enter__(self) -> list[Made]:
        self._before = _watched.get()
        self._made = watching()
        return self._made

    def __exit__(self, *_: object) -> None:
        _watched.set(self._before)
        self._made.clear()


def watching() -> list[Made]:
    """What collects them from here on, as `watch` does, until the running task ends; whoever began clears it then."""
    made: list[Made] = []
    _watched.set(made)
    return made


def _running_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # In a thread, or in no loop at all.
        return None


class ElicitkitError(Exception):
    """The root of all errors of elicitkit."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        if (made := _watched.get()) is not None:
            made.append(Made(self, _running_task()))
            del made[:-_KEPT]

    def __str__(self) -> str:
        return _sendable(super().__str__())


class _WithFaults:
    """What the errors that carry faults share: `args` is one tuple of them."""

    args: tuple[Any, ...]
    _subject: ClassVar[str]
    _verdict: ClassVar[str]

    def __init__(self, faults: Iterable[Fault]) -> None:
        super().__init__(_faults(type(self).__name__, faults))  # type: ignore[call-arg]  # the next is an exception

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that is wrong, each with its field."""
        return cast("tuple[Fault, ...]", self.args[0])

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self._subject} {self._verdict}: {self.faults[0]}"
        lines = "".join(f"\n- {fault}" for fault in self.faults)
        return f"{self._subject} has {len(self.faults)} faults:{lines}"


def _faults(error: str, given: object) -> tuple[Fault, ...]:
    """The faults an error is made of.

    Raises:
        TypeError: If it is a lone text, or anything else that is no faults.
    """
    found: tuple[Any, ...]
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes)) else (given,)
    if isinstance(given, Fault) or not all(isinstance(one, Fault) for one in found):
        raise TypeError(f'{error} takes a list of faults: {error}([Fault("age", "Age", "must be at least 18")])')
    return found


class FormError(_WithFaults, ElicitkitError, ValueError):
    """A form is described wrongly; `faults` says where and what would do. Nothing was sent."""

    _subject, _verdict = "The form", "does not work"


class SensitiveFieldError(FormError):
    """A form asks for a credential, which the specification forbids (Elicitation, "Security considerations").

    Use a URL question for it, or `.allow_sensitive()` on a field that only sounds like one.
    """


class AnswerError(_WithFaults, ElicitkitError, ValueError):
    """An answer does not fit its form; `faults` says where. Neither text nor `repr` shows what was typed."""

    _subject, _verdict = "The answer", "does not fit"


class LinkError(ElicitkitError, ValueError):
    """A link, or the message beside it, is one that must not be sent to a person. Nothing was sent."""


class StepError(ElicitkitError, RuntimeError):
    """A step gave what JSON cannot give back unchanged, or did what no step may: ask, or run another step."""


class ContractError(ElicitkitError, ValueError):
    """A `Request`, an `Answer` or a pending result is not what the contract of hosts allows, or is no JSON.

    Neither text nor `repr` shows what it holds.
    """


class LimitError(ElicitkitError, ValueError):
    """Something is larger than a limit of `elicitkit.limits` allows. Nothing was sent or stored."""


class AnswerTooLarge(LimitError):
    """An answer is larger than it may be: a shorter one would do."""


class ElicitationUnsupported(ElicitkitError, RuntimeError):
    """The client did not declare this kind of question, or the connection has no way to carry one."""


class AdapterMissing(ElicitkitError, RuntimeError):
    """`elicit` was called where no adapter is installed; the text shows the line to add."""


class CallOver(ElicitkitError, RuntimeError):
    """A question was asked after the call it belongs to had ended, or one that has ended was to be changed."""


class UnknownTask(ElicitkitError, LookupError):
    """There is no such task: the id is unknown, the task expired, or it belongs to somebody else.

    The text is the same for all three, so that nobody learns which ids exist (Tasks extension, "Security").
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(args or ("There is no such task.",)))


class TaskKeyError(ElicitkitError, ValueError):
    """A key for a question of a task was used before in the task's life; or the task never had one of that key."""


class StaleClaim(ElicitkitError, RuntimeError):
    """A worker was overtaken: another claimed the task since, or it was given back. Nothing was changed."""


class TaskStuck(ElicitkitError, RuntimeError):
    """A task at a server did not change for longer than its caller would wait, and was given up."""


class UnknownEntry(ElicitkitError, LookupError):
    """There is no such question in the inbox: its id is unknown, it was erased, or it is for somebody else.

    The text is the same for all three, so that nobody learns which ids exist.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(args or ("There is no such question.",)))


class EntryClosed(ElicitkitError, RuntimeError):
    """A question in an inbox cannot be answered any more: somebody was first, its time is over, or it was withdrawn.

    The text is for the person who was too late.
    """

    def __init__(self, state: str = "withdrawn", by: str = "", at: datetime | None = None) -> None:
        super().__init__(state, by, at)

    @property
    def state(self) -> str:
        """What became of it: `answered`, `expired` or `withdrawn`."""
        return str(self.args[0])

    @property
    def by(self) -> str:
        """Who closed it, as far as anybody said."""
        return str(self.args[1])

    @property
    def at(self) -> datetime | None:
        """When it was closed."""
        return cast("datetime | None", self.args[2])

    def __str__(self) -> str:
        match self.state:
            case "answered":
                text = f"This was answered by {self.by} already." if self.by else "This was answered already."
            case "expired":
                text = "The time for an answer is over."
            case _:
                text = "This is asked no longer."
        return _sendable(text)


class StoreError(ElicitkitError, RuntimeError):
    """A store of tasks cannot be used: its disk is full, its file read-only or locked, or of a newer version.

    Nothing was stored, unless the text says that this is not known: a connection was lost while PostgreSQL committed,
    and it could not be asked. The store goes on by itself when the cause is gone.
    """

    is_unknown: bool = False
    """Whether it is not known if something was stored."""


class ProtocolError(ElicitkitError, RuntimeError):
    """The other side answered with something the protocol does not allow, or with an error. No person's doing."""


class TaskOutOfReach(ProtocolError):
    """A task cannot be waited for any longer, and was left as it is: whoever has its id can take it up again.

    Its server could not be reached for too long, refused the request, does not know the task, or broke the protocol.
    """

    def __init__(self, task_id: str = "", why: str = "it cannot be reached") -> None:
        super().__init__(task_id, why)

    @property
    def task_id(self) -> str:
        """The task."""
        return str(self.args[0])

    @property
    def why(self) -> str:
        """What kept it from being waited for."""
        return str(self.args[1])

    def __str__(self) -> str:
        return _sendable(f"The task {self.task_id} is out of reach, and was left as it is: {self.why}")


class ToolError(ElicitkitError, RuntimeError):
    """A tool of the host's own cannot do what it was called for. Raise it in one: the model is told its text."""


class ServerUnavailable(ElicitkitError, ConnectionError):
    """A server cannot be reached. Nothing was sent to it, so the call may be made again. The text holds no secret."""


class ScriptError(ElicitkitError, AssertionError):
    """Scripted answers ran out, were left over, or cannot be read."""


class MissingExtra(ElicitkitError, ImportError):
    """An optional dependency is not installed; the text has the line that installs it."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(extra, purpose)

    def __str__(self) -> str:
        extra, purpose = self.args
        return _sendable(f"{purpose} needs an extra that is not installed: pip install 'elicitkit[{extra}]'")
