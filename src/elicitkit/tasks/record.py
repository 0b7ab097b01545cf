"""What a store keeps of a task: frozen values, and the arithmetic of its time.

All moments are seconds since the epoch, all spans are seconds, unless a name ends in `_ms`.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .. import _json
from ..asking import TRIES
from ..journal import Reply
from .states import TERMINAL, Status

InputState: TypeAlias = Literal["open", "answered", "expired", "closed", "withdrawn"]
"""What became of a question: `closed` is one whose answer did not fit, and that is asked again under another key."""

_NO_INPUTS: Final[Mapping[str, Any]] = MappingProxyType({})


def new_key() -> str:
    """A random id of a task, or key of a question: 32 hexadecimal digits, 128 bits."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class TaskInput:
    """One question that a task asks, or asked."""

    key: str
    """What the wire calls it; unique in the whole life of its task."""

    name: str
    """What the journal calls it. All tries of one question have the same name."""

    shape: str
    """A fingerprint of what is asked, without the message, as `Question.shape`."""

    request: Mapping[str, Any]
    """What the wire has of it: `method` and `params`. Not to be changed."""

    until: float
    """When it ends, answered or not."""

    _: KW_ONLY

    message: str | None = None
    """The author's message, where the request has faults above it; `None` where the request's is the author's."""

    attempt: int = 1
    """Which try it is."""

    tries: int = TRIES
    """How often the person may answer, in all."""

    state: InputState = "open"

    reply: Reply | None = None
    """What came. A `closed` one has the faults as its `problem`, and never what was typed."""

    parked_at: float = 0.0
    """When it was parked; the store sets it."""

    settled_at: float | None = None
    """When it was answered, expired, closed or withdrawn."""

    @property
    def has_passed(self) -> bool:
        """Whether it was withdrawn because its tool seemed to ask it no longer."""
        return self.state == "withdrawn" and self.reply == PASSED

    @property
    def authors_message(self) -> str:
        """The message without what was put above it."""
        return str(self.request["params"]["message"]) if self.message is None else self.message

    @property
    def mode(self) -> str:
        """`form` or `url`."""
        return str(self.request["params"].get("mode", "form"))


PASSED = Reply("cancel", problem="is asked no longer")
"""The reply to a question that a changed tool did not come to any more; one that does after all asks it anew."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to become of one open question: a reply, and where that did not fit, the question that comes instead."""

    key: str
    reply: Reply
    replacement: TaskInput | None = None
    """The same question again, under a new key; the old one is `closed`."""


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task as its store has it at one moment."""

    id: str
    owner: str | None
    """The principal it belongs to; `None` if nobody was authenticated."""

    call_json: str
    """The call as JSON text; see `call`."""

    created_at: float
    updated_at: float
    """When anything changed that a client can see."""

    last_activity: float
    """When anything happened, a renewed lease included: what the TTL counts from."""

    _: KW_ONLY

    status: Status = "working"
    status_message: str | None = None
    ttl: float | None = None
    """How long it is kept after the last activity; `None` for ever."""

    poll_interval_ms: int | None = None
    inputs: Mapping[str, TaskInput] = field(default_factory=lambda: _NO_INPUTS)
    """The open questions by key, in the order they were parked."""

    result_json: str | None = None
    error_json: str | None = None
    revision: int = 0
    """Grows with every change a client can see; no two changes in one store have the same."""

    wake: int = 0
    """The revision of the last settling since a worker put the task down, or of the cancellation behind which a tool is
    to clear up; 0 for none."""

    fence: int = 0
    """How often it was claimed: the token of the newest claim."""

    worker: str | None = None
    """Who has it."""

    lease_until: float = 0.0
    """Until when, unless renewed."""

    begun: int = 0
    """How many runs began since the task got on, but for those that were given back.

    It got on when a question was asked or came to its end, by whomever; when a step was kept; and when a run was put
    down, or its claim renewed while it waited for people.
    """

    @property
    def call(self) -> Any:
        """The call it came from, as it was given to `create`; read anew each time."""
        return json.loads(self.call_json)

    @property
    def result(self) -> Any:
        """What the call returned, or `None`; read anew each time."""
        return None if self.result_json is None else json.loads(self.result_json)

    @property
    def error(self) -> Any:
        """The JSON-RPC error the call failed with, or `None`; read anew each time."""
        return None if self.error_json is None else json.loads(self.error_json)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.status in TERMINAL

    @property
    def is_to_clear_up(self) -> bool:
        """Whether it was cancelled, and its tool, which somebody ran before, has not cleared up behind that."""
        return self.status == "cancelled" and self.wake > 0

    @property
    def is_waiting_to_run(self) -> bool:
        """Whether there is something to do for a worker, who may have it already."""
        return self.is_to_clear_up or (not self.is_over and (not self.inputs or self.wake > 0))

    @property
    def ready_at(self) -> float:
        """From when on any worker may take it, as things are now; infinity where there is nothing to do."""
        if not self.is_waiting_to_run:
            return math.inf
        return 0.0 if self.worker is None else self.lease_until

    @property
    def expires_at(self) -> float | None:
        """When it is forgotten, as things are now; `None` for never. A task that waits for a person does not expire."""
        if self.ttl is None:
            return None
        if not self.inputs:
            return self.last_activity + self.ttl
        return max(self.last_activity, *(asked.until for asked in self.inputs.values())) + self.ttl

    @property
    def ttl_ms(self) -> int | None:
        """The wire's `ttlMs`, true now: from its creation to `expires_at`, in whole milliseconds."""
        expires_at = self.expires_at
        return None if expires_at is None else max(1, int((expires_at - self.created_at) * 1000))

    @property
    def due(self) -> float | None:
        """The first moment at which something of it is over: a question, or all of it; `None` for never."""
        # While something is asked, the task expires after that.
        return min([asked.until for asked in self.inputs.values()]) if self.inputs else self.expires_at

    def is_expired(self, now: float) -> bool:
        """Whether it is to be treated as one that does not exist."""
        expires_at = self.expires_at
        return expires_at is not None and expires_at <= now

    def is_leased(self, now: float) -> bool:
        """Whether a worker has it whose lease lives."""
        return self.worker is not None and self.lease_until > now

    def lost_runs(self, now: float) -> int:
        """How many of its last runs got nothing done and were given back by nobody: their process died, or hung."""
        return max(self.begun - self.is_leased(now), 0)


class News(NamedTuple):
    """What whoever hears of a change knows without reading the store."""

    revision: int
    """That of the change."""

    ready_at: float | None = None
    """See `TaskRecord.ready_at`; `None` where that is not known."""

    is_own: bool = False
    """Whether this process made the change, so that it is the first to hear of it."""

    @classmethod
    def of(cls, record: TaskRecord) -> News:
        """That of a change that this process makes."""
        return cls(record.revision, record.ready_at, is_own=True)


@dataclass(frozen=True, slots=True)
class History:
    """All that a task asked, was told and did once: what a replay is made from."""

    record: TaskRecord
    inputs: tuple[TaskInput, ...]
    """Every question, in the order they were parked."""

    steps: Mapping[str, str]
    """What each finished step gave, as JSON text, by name; in the order in which they were kept."""

    def latest(self, key: str) -> TaskInput | None:
        """The newest try of the question that was asked under a key; `None` if none was."""
        name = next((asked.name for asked in self.inputs if asked.key == key), None)
        return next((asked for asked in reversed(self.inputs) if asked.name == name), None)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did."""

    expired: int
    """How many questions ended unanswered."""

    deleted: int
    """How many tasks were forgotten, with their answers."""


_COMPACT = json.JSONEncoder(separators=(",", ":"))


def to_json(what: str, value: object) -> str:
    """Write what a store keeps without looking into it.

    The standard library's JSON, because what others send may hold what stricter writers refuse: half a character, or a
    whole number of any size.

    Raises:
        TypeError: If JSON cannot hold it.
    """
    try:
        return _written_quickly(value) or _COMPACT.encode(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} of a task is JSON: {error}") from error


def _written_quickly(value: object) -> str | None:
    """What a quicker and stricter writer makes of a value, in ASCII; `None` unless it is read as an equal one again.

    That writer refuses much, and loses some of what it takes: what is not finite, and types that are none of JSON's.
    """
    try:
        written = _json.dumps(value)
        return written.decode() if written.isascii() and _json.loads(written) == value else None
    except (TypeError, ValueError):
        return None
