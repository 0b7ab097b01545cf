"""Running the tool of a task to its end, and what it gives as the wire has it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, CallToolRequestParams
from pydantic import BaseModel

from ..asking import Road, travel
from ..errors import ElicitkitError, LimitError, watch, watching
from ..limits import ROUNDS
from ..server.driving import with_session
from ..server.failures import error_result, unmasked
from .beginning import parked_road
from .call import TaskCall
from .identity import current_identity
from .own_rounds import answers_to
from .quiet import runs_on
from .road import ParkedRoad
from .session import TaskSession

_ROUND = ("inputResponses", "requestState")
"""What a request carries of a round."""

_STATE_ONLY_PAUSE = 0.05
"""How long a tool is left alone that drives a round without a question, in seconds."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One `tools/call` on its way through the extension."""

    ctx: ServerRequestContext[Any, Any]
    params: CallToolRequestParams
    call_next: CallNext

    def call(self, call_id: str, *, journal: str | None = None) -> TaskCall:
        """What is to be kept of it, so that it can be run again."""
        given = self.ctx.params or {}
        meta = given.get("_meta") or {}
        return TaskCall(
            self.params.name,
            call_id,
            arguments=self.params.arguments or {},
            # As they came, and as the SDK reads them: it reads them again for each run.
            capabilities=meta.get(CLIENT_CAPABILITIES_META_KEY) or {},
            client=meta.get(CLIENT_INFO_META_KEY) or {},
            # What the protocol puts there is made anew.
            meta={key: one for key, one in meta.items() if not key.startswith("io.modelcontextprotocol/")},
            identity=current_identity(),
            journal=journal,
            rounds={key: given[key] for key in _ROUND if given.get(key) is not None},
        )

    def resume(self, rounds: Mapping[str, Any]) -> None:
        """Give the tool what it had from rounds of its own when the call became a task."""
        resumed = CallToolRequestParams.model_validate({"name": self.params.name, **rounds})
        # The handler is called with this very object, whatever the context has.
        self.params.input_responses = resumed.input_responses
        self.params.request_state = resumed.request_state

    def on(self, road: Road) -> Coroutine[Any, Any, dict[str, Any]]:
        """What runs the tool on a road, in a task of its own. An error of ours that leaves it becomes an error result.

        Raises:
            MCPError: What the tool raises for the protocol.
        """
        return self._seeing(road, self.ctx.session)._run(road)

    def detached(self, road: ParkedRoad) -> Coroutine[Any, Any, dict[str, Any]]:
        """As `on`, without the request's session, which would be kept for as long as the call waits."""
        return self._seeing(road, road.session)._run(road)

    def _seeing(self, road: Road, session: ServerSession) -> Execution:
        """The same with a road on its session."""
        # What was read is kept, and not what was sent beside it.
        params, meta = {**(self.ctx.params or {}), "arguments": self.params.arguments}, self.params.meta
        stand_in = TaskSession(session, road)
        return Execution(with_session(self.ctx, stand_in, params=params, meta=meta), self.params, self.call_next)

    async def _run(self, road: Road) -> dict[str, Any]:
        """Run the tool; rounds that it drives itself inside a task are parked as well, and it is called again."""
        travel(road)
        runs_on(road)
        made = watching()
        try:
            for _ in range(ROUNDS + 1):
                result = unmasked(_wire(await self.call_next(self.ctx)), made)
                parked = parked_road(road)
                if parked is None or result.get("resultType") != "input_required":
                    return result
                await self._go_round(parked, result)
            raise LimitError(f"The call has asked in {ROUNDS} rounds of its own, and may not ask more.")
        except ElicitkitError as error:
            return error_result(error)
        finally:
            made.clear()

    async def _go_round(self, parked: ParkedRoad, result: Mapping[str, Any]) -> None:
        """Ask what the tool asks in a round of its own, and give it the answers."""
        requests = result.get("inputRequests") or {}
        answers = await answers_to(parked, requests)
        if not requests:
            await asyncio.sleep(_STATE_ONLY_PAUSE)
        self.resume({"inputResponses": answers, "requestState": result.get("requestState")})


async def plain_call(execution: Execution) -> HandlerResult:
    """A call that becomes no task. Where no adapter is installed, an error of ours keeps its text all the same."""
    if getattr(execution.ctx.session, "elicitkit_road", None) is not None:
        return await execution.call_next(execution.ctx)
    with watch() as made:
        return unmasked(_wire(await execution.call_next(execution.ctx)), made)


def _wire(result: HandlerResult) -> dict[str, Any]:
    """A result as the wire has it."""
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dict(result) if isinstance(result, Mapping) else {}
