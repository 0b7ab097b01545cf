"""Where a question comes from: the key `source` in the data of a `Request`, which only a host's own sources write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Final

from ..suspension import Request

KEY: Final = "source"
"""The key in `request.data`. An elicitation never has it: its mapping gives the schema alone."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a question comes from, as far as its source could tell; what is not known is empty."""

    server: str = ""
    """The name the host knows the server by, which is that of its configuration; empty for a tool of the host's own."""

    tool: str = ""
    """The tool that was called, under the name its server gives it."""

    _: KW_ONLY

    call: str = ""
    """An id of the call that asks: the same for all its questions, and no other's."""

    task: str = ""
    """The id of the task that asks, at its server."""

    elicitation_id: str = ""
    """A link's own id, with which its server may tell that it is done (2025-11-25)."""

    meta: Mapping[str, Any] = field(default_factory=dict)
    """What the server sent along as `_meta`. It is a stranger's."""

    agents: Sequence[str] = ()
    """The path of agents that led to the call, the outermost first, where a host has several."""

    @classmethod
    def of(cls, request: Request) -> Origin:
        """The origin that a source noted in a request; an empty one where none did.

        >>> Origin.of(Request("r1", "approval", "Go?"))
        Origin(server='', tool='', call='', task='', elicitation_id='', meta={}, agents=())
        """
        noted = (request.data or {}).get(KEY)
        if not isinstance(noted, Mapping):
            return cls()
        meta, agents = noted.get("_meta"), noted.get("agents")
        texts = {name: noted.get(key) for name, key in _KEYS.items()}
        known = {name: text for name, text in texts.items() if isinstance(text, str)}
        path = tuple(one for one in agents if isinstance(one, str)) if isinstance(agents, (list, tuple)) else ()
        return cls(**known, meta=meta if isinstance(meta, Mapping) else {}, agents=path)

    def noted_in(self, request: Request) -> Request:
        """The same request with this origin in its data, in place of any it had; an empty one takes that out.

        Raises:
            TypeError, ContractError: If the meta data are not JSON.
        """
        noted: dict[str, Any] = {key: text for name, key in _KEYS.items() if (text := getattr(self, name))}
        if self.meta:
            noted["_meta"] = self.meta
        if self.agents:
            noted["agents"] = list(self.agents)
        others = {key: value for key, value in (request.data or {}).items() if key != KEY}
        return replace(request, data={**others, KEY: noted} if noted else others)


_KEYS = {"server": "server", "tool": "tool", "call": "call", "task": "task", "elicitation_id": "elicitationId"}
"""How each is spelt in JSON."""
