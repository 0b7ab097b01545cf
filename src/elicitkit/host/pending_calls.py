"""`PendingCall`: a call that waits for a person, as a value that outlives the process it was made in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .._json import frozen, thawed
from ..errors import ContractError
from ..suspension import Pending, pending_of
from ..suspension.wire import frozen_object, require_keys, require_text

_CALL = "call"


@dataclass(frozen=True, slots=True)
class PendingCall(Pending):
    """A call that cannot go on before a person has answered, with all that its source needs to go on.

    It is a `Pending`: `pending_of` finds its request, and every host of the contract can show it. As JSON it is one as
    well, with what makes it a call beside it. Arguments and state may hold what people said; `repr` leaves them out.

    Raises:
        TypeError: If something is of the wrong type; arguments and state hold what JSON has, and nothing else.
        ContractError: If the tool is blank, or something cannot be written as JSON.
    """

    server: str
    """The name of the server in its source's configuration; empty for a tool of the host's own."""

    tool: str
    """The tool that was called, under its server's own name for it."""

    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, hash=False)
    """What it was called with."""

    state: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, hash=False)
    """What its source goes on with. It is that source's alone, and may change from release to release."""

    _noun: ClassVar[str] = "a pending call"

    def __post_init__(self) -> None:
        Pending.__post_init__(self)
        require_text("a pending call's server", self.server, may_be_blank=True)
        require_text("a pending call's tool", self.tool)
        self._set(
            arguments=_object("a pending call's arguments", self.arguments),
            state=_object("a pending call's state", self.state),
        )

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, which `from_dict` and `pending_of` read; every change is yours."""
        call = {"server": self.server, "tool": self.tool, "arguments": self.arguments, "state": self.state}
        return {**Pending.to_dict(self), _CALL: thawed(call)}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        request, call = pending_of(given), given.get(_CALL)
        if request is None:
            raise ContractError("a pending call has a request under 'pending' in its 'metadata'")
        if not isinstance(call, Mapping):
            raise ContractError("a pending call has an object under 'call'")
        require_keys(cls._noun, call, ("server", "tool", "arguments", "state"))
        return cls(request, call["server"], call["tool"], call["arguments"], call["state"])


def _object(name: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
    if value is None:
        raise TypeError(f"{name} is an object (a dict), not None")
    found: Mapping[str, Any] = frozen_object(name, value) or frozen({})
    return found
