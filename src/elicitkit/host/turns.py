"""`ToolCall` and `Turn`: the calls a model makes at once, and what they came to so far."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .._json import frozen, thawed
from ..errors import ContractError
from ..suspension import Answer, Request
from ..suspension.wire import Wire, frozen_object, require_keys, require_text, type_of
from .pending_calls import PendingCall
from .results import ToolResult


@dataclass(frozen=True, slots=True)
class ToolCall(Wire):
    """One call that a model makes. `repr` leaves out the arguments.

    Raises:
        TypeError: If something is of the wrong type; arguments hold what JSON has, and nothing else.
        ContractError: If id or name is blank, or something cannot be written as JSON.
    """

    id: str
    """What the model knows the call by."""

    name: str
    """The tool it calls."""

    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, hash=False)
    """What it calls the tool with."""

    _noun: ClassVar[str] = "a call"

    def __post_init__(self) -> None:
        require_text("a call's id", self.id)
        require_text("a call's name", self.name)
        self._set(arguments=frozen_object("a call's arguments", self.arguments) or frozen({}))

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, which `from_dict` reads; every change is yours."""
        return {"id": self.id, "name": self.name, "arguments": thawed(self.arguments)}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        require_keys(cls._noun, given, ("id", "name"))
        return cls(given["id"], given["name"], given.get("arguments") or {})


@dataclass(frozen=True, slots=True)
class Turn(Wire):
    """All calls of one turn and their results, some of which may wait for a person.

    It is a value that survives JSON, so that a turn can be stored and answered another day: what was done is in it, and
    is not done again.

    Raises:
        TypeError: If it is made of something else.
        ContractError: If there is not one result for each call.
    """

    calls: Sequence[ToolCall]
    """In the order the model made them."""

    results: Sequence[ToolResult]
    """One for each call, in the same order."""

    _noun: ClassVar[str] = "a turn"

    def __post_init__(self) -> None:
        self._set(calls=tuple(self.calls), results=tuple(self.results))
        for kind, values in ((ToolCall, self.calls), (ToolResult, self.results)):
            if wrong := [value for value in values if not isinstance(value, kind)]:
                raise TypeError(f"a turn is made of ToolCalls and ToolResults, not of {type_of(wrong[0])}")
        if len(self.calls) != len(self.results):
            raise ContractError(f"a turn has {len(self.calls)} calls and {len(self.results)} results")

    @property
    def pending(self) -> PendingCall | None:
        """The first call in their order that waits for a person; `None` if the turn is over."""
        return next((result.pending for result in self.results if result.pending is not None), None)

    @property
    def request(self) -> Request | None:
        """What the first call that waits, waits for; `None` if the turn is over."""
        return None if self.pending is None else self.pending.request

    @property
    def requests(self) -> tuple[Request, ...]:
        """All that is waited for, in the order of the calls. They can be answered in any order."""
        return tuple(result.request for result in self.results if result.request is not None)

    def answered_at(self, answer: Answer) -> int:
        """Where the call stands that an answer is for.

        Raises:
            ContractError: If no call waits for it.
        """
        for at, result in enumerate(self.results):
            if result.request is not None and result.request.is_answered_by(answer):
                return at
        raise ContractError("the answer is to no request that this turn waits for")

    def with_result(self, at: int, result: ToolResult) -> Turn:
        """The same turn with another result for one of its calls."""
        return Turn(self.calls, [*self.results[:at], result, *self.results[at + 1 :]])

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, which `from_dict` reads; every change is yours."""
        return {"calls": [one.to_dict() for one in self.calls], "results": [one.to_dict() for one in self.results]}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        require_keys(cls._noun, given, ("calls", "results"))
        if not isinstance(given["calls"], list) or not isinstance(given["results"], list):
            raise ContractError(f"{cls._noun} has lists under 'calls' and 'results'")
        return cls([*map(ToolCall.from_dict, given["calls"])], [*map(ToolResult.from_dict, given["results"])])
