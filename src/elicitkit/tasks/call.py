"""What is kept of the call that became a task: all that is needed to run it again, and never an access token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class TaskCall:
    """One `tools/call`, as a store keeps it."""

    tool: str
    call_id: str
    """The random id of the call, the same in all its runs."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    """What the client declared that it can."""

    client: Mapping[str, Any] = field(default_factory=dict)
    """Who the client says it is (`clientInfo`)."""

    meta: Mapping[str, Any] = field(default_factory=dict)
    """The request's `_meta`, without what the protocol itself puts there."""

    identity: Mapping[str, Any] = field(default_factory=dict)
    """Who made it, as the transport authenticated them; the token itself is not kept."""

    journal: str | None = None
    """What was asked, answered and done before the call became a task, as `Journal.write` gives it."""

    rounds: Mapping[str, Any] = field(default_factory=dict)
    """`inputResponses` and `requestState` of the request that became a task: of rounds that the tool drives itself."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name))}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave, of this version or an older one."""
        return cls(**{name: value for name, value in kept.items() if name in cls.__slots__})
