"""`Request` and `Answer`: the neutral question to a person, and what came of it."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Self

from .._json import thawed
from ..errors import AnswerTooLarge, ContractError, LimitError
from ..limits import ANSWER_BYTES, MESSAGE_CHARACTERS, SCHEMA_BYTES
from .moments import at_fixed_offset, read_moment, write_moment
from .wire import Wire, frozen_and_sized, optional_text, present, require_keys, require_size, require_text, type_of


@dataclass(frozen=True, slots=True)
class Request(Wire):
    """A question for a person, wherever it comes from. It is a value: neither it nor the objects in its data change.

    Lists in data stay plain lists, because validators take no other kind. `repr` leaves out the link, which may let in
    whoever reads a log, and the data.

    >>> Request("r1", "approval", "Deploy to production?").to_json()
    '{"id":"r1","kind":"approval","prompt":"Deploy to production?"}'

    Raises:
        TypeError: If something is of the wrong type; data hold what JSON has, and nothing else.
        ContractError: If id or kind is blank, `expires_at` has no time zone, or something cannot be written as JSON.
        LimitError: If the prompt has more than 10,000 characters, or the schema of a form takes more than 128 KiB.
    """

    id: str
    """What its answer is known by."""

    kind: str
    """What is asked for: `input` (a form), `authorization` (a link), `approval`, `question`, or what others invent."""

    prompt: str
    """What the person is asked. It may be empty."""

    url: str | None = dataclasses.field(default=None, repr=False)
    """The link to open. It is a stranger's: check it before it is shown, and never fetch it."""

    data: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False, hash=False)
    """What belongs to the kind: `schema` for `input`, `questions` for `question`. An empty one is `None`."""

    expires_at: datetime | None = None
    """When it is too late to answer, with a time zone; `expiresAt` on the wire, as RFC 3339 has it."""

    _noun: ClassVar[str] = "a request"

    def __post_init__(self) -> None:
        require_text("a request's id", self.id)
        require_text("a request's kind", self.kind)
        require_text("a request's prompt", self.prompt, may_be_blank=True)
        if len(self.prompt) > MESSAGE_CHARACTERS:
            size = f"{len(self.prompt):,} characters, and may have {MESSAGE_CHARACTERS:,}"
            raise LimitError(f"a request's prompt has {size}")
        data, taken = frozen_and_sized("a request's data", self.data)
        self._set(data=data)
        if self.url is not None:
            self._set(url=optional_text("a request's url", self.url))
        if self.expires_at is not None:
            self._set(expires_at=at_fixed_offset("a request's expires_at", self.expires_at))
        if taken > SCHEMA_BYTES and self.schema is not None:
            require_size("a request's schema", self.schema, SCHEMA_BYTES)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The requested schema of a form, as it came; `None` for any other kind."""
        schema = (self.data or {}).get("schema") if self.kind == "input" else None
        return schema if isinstance(schema, Mapping) else None

    @property
    def is_confirmation(self) -> bool:
        """Whether it is a form without fields: to accept it is all the answer there is."""
        return self.schema is not None and self.schema.get("properties") == {}

    def is_expired(self, at: datetime) -> bool:
        """Tell whether it is too late to answer at a moment; never for a request that does not expire.

        Raises:
            TypeError: If *at* is no datetime.
            ContractError: If it has no time zone.
        """
        moment = at_fixed_offset("the moment", at)
        return self.expires_at is not None and moment >= self.expires_at

    def is_answered_by(self, answer: Answer) -> bool:
        """Tell whether an answer is one to this request. The time it takes says nothing about the ids."""
        return secrets.compare_digest(self.id.encode(), answer.id.encode())

    def accept(self, data: Mapping[str, Any] | None = None) -> Answer:
        """The answer of a person who agreed, with what they filled in."""
        return answer_accepted(self.id, data)

    def decline(self) -> Answer:
        """The answer of a person who said no."""
        return answer_declined(self.id)

    def cancel(self, reason: str = "cancelled") -> Answer:
        """The answer when nobody decided.

        Args:
            reason: Why: `cancelled`, `expired`, `headless`, `unsupported`, `failed`, or what others invent.

        Raises:
            ContractError: If the reason is `declined`, which is the person's to give.
        """
        return answer_cancelled(self.id, reason)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, by the keys of the wire; what is empty is absent. It is yours to change."""
        moment = None if self.expires_at is None else write_moment(self.expires_at)
        optional = {"url": self.url, "data": thawed(self.data), "expiresAt": moment}
        return {"id": self.id, "kind": self.kind, "prompt": self.prompt, **present(optional)}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        require_keys(cls._noun, given, ("id", "kind", "prompt"))
        moment = given.get("expiresAt")
        expires_at = None if moment is None else read_moment("a request's expiresAt", moment)
        return cls(given["id"], given["kind"], given["prompt"], given.get("url"), given.get("data"), expires_at)


@dataclass(frozen=True, slots=True)
class Answer(Wire):
    """What came of a `Request`. `request.accept(data)`, `.decline()` and `.cancel(reason)` make one with the right id.

    Neither `repr` nor an error ever shows its data, which is what a person typed.

    >>> Answer("r1", ok=True, data={"name": "Ada"})
    Answer(id='r1', ok=True, reason=None)

    Raises:
        TypeError: If something is of the wrong type; data hold what JSON has, and nothing else.
        ContractError: If the id is blank, or something cannot be written as JSON.
        AnswerTooLarge: If the data take more than 256 KiB.
    """

    id: str
    """The id of the request."""

    ok: bool
    """Whether the person agreed. It alone decides; all else is for the record."""

    data: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False, hash=False)
    """What the person filled in. An empty one is `None`."""

    reason: str | None = None
    """Why it is not ok: `declined`, `cancelled`, `expired`, `headless`, `unsupported`, `failed`, or another word."""

    _noun: ClassVar[str] = "an answer"

    def __post_init__(self) -> None:
        require_text("an answer's id", self.id)
        if not isinstance(self.ok, bool):
            raise TypeError(f"an answer's ok is true or false, not {type_of(self.ok)}")
        data, size = frozen_and_sized("an answer's data", self.data)
        self._set(data=data)
        if self.reason is not None:
            self._set(reason=optional_text("an answer's reason", self.reason))
        if size > ANSWER_BYTES and data is not None:
            require_size("an answer's data", data, ANSWER_BYTES, excess=AnswerTooLarge)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, by the keys of the wire; what is empty is absent. It is yours to change."""
        return {"id": self.id, "ok": self.ok, **present({"data": thawed(self.data), "reason": self.reason})}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        require_keys(cls._noun, given, ("id", "ok"))
        return cls(given["id"], given["ok"], given.get("data"), given.get("reason"))


def new_id(prefix: str) -> str:
    """An id that nobody can guess: the prefix and 128 random bits."""
    return f"{prefix}-{secrets.token_hex(16)}"


def answer_accepted(id: str, data: Mapping[str, Any] | None = None) -> Answer:
    """The answer of a person who agreed, with what they filled in, to the request of that id."""
    return Answer(id, ok=True, data=data)


def answer_declined(id: str, reason: str = "declined") -> Answer:
    """The answer that refuses the request of that id.

    Args:
        id: The id of the request.
        reason: Why. A reason other than `declined` says that it was not the person who refused.
    """
    return Answer(id, ok=False, reason=reason)


def answer_cancelled(id: str, reason: str = "cancelled") -> Answer:
    """The answer when nobody decided about the request of that id.

    Raises:
        ContractError: If the reason is `declined`, which is the person's to give.
    """
    if reason == "declined":
        raise ContractError("a person who declines is no reason to cancel: answer with decline()")
    return Answer(id, ok=False, reason=reason)


def unresolved(request: Request) -> str:
    """The error that a call ends with whose tool waits again after it was answered. All hosts say the same."""
    return f"unresolved: {request.prompt}"


def declined_or_expired(request: Request) -> str:
    """The error that a call ends with whose request was not accepted, for whatever reason. All hosts say the same."""
    return f"declined/expired: {request.prompt}"
