"""`Misbehaving`: a middleware that sends what no SDK would, by the same table on every revision.

What a middleware returns in place of the call, the SDK's server sends as it is, unchecked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import BaseModel, ConfigDict

from .wrongs import WRONGS, Params, Rounds, form

_MODERN = "2026-07-28"
_SOON = 0.2
"""How long a question is given to reach the client before something happens to the server, in seconds."""


class _Create(BaseModel):
    """An `elicitation/create` with any params."""

    method: str = "elicitation/create"
    params: dict[str, Any]


class _Any(BaseModel):
    model_config = ConfigDict(extra="allow")


class Misbehaving:
    """Serves the tools whose names begin with `wrong_`; all other calls it leaves alone."""

    def __init__(self, dies: Callable[[], None] | None) -> None:
        self._dies = dies
        self._late: set[asyncio.Task[None]] = set()
        self.late_answers: list[Any] = []
        """What came back for the questions of `wrong_moment`."""

    def add_to(self, server: MCPServer[Any]) -> None:
        """List the tools at a server that has this as a middleware."""
        for name, (description, _) in WRONGS.items():
            server.tool(name, description=description, structured_output=False)(_listed_alone)
        late = "Ask when the call is over; `after` is how long after, in seconds."
        server.tool("wrong_moment", description=late, structured_output=False)(_late)
        death = "End the process while a question is open."
        server.tool("wrong_death", description=death, structured_output=False)(_listed_alone)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message."""
        params = ctx.params or {}
        name = params.get("name") if ctx.method == "tools/call" else None
        given = params.get("arguments") or {}
        if name == "wrong_moment":
            return self._ask_later(ctx, given)
        if name == "wrong_death":
            return await self._ask_and_die(ctx)
        if name not in WRONGS:
            return await call_next(ctx)
        _, rounds = WRONGS[name]
        return await (_round if ctx.protocol_version == _MODERN else _live)(ctx, rounds, given)

    def _ask_later(self, ctx: ServerRequestContext[Any, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        if ctx.protocol_version == _MODERN:
            return _result("2026-07-28 has no question outside of a call")

        async def ask() -> None:
            await asyncio.sleep(given.get("after", _SOON))
            self.late_answers.append(await _sent(ctx, form("Is it too late to ask?"), related=False))

        task = asyncio.create_task(ask())
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        return _result("done, for now")

    async def _ask_and_die(self, ctx: ServerRequestContext[Any, Any]) -> HandlerResult:
        if self._dies is None:
            return _result("this server dies only in a process of its own")
        if ctx.protocol_version == _MODERN and not (ctx.params or {}).get("inputResponses"):
            return _asking({"q": form("Can you hear me?")}, 0)
        if ctx.protocol_version != _MODERN:
            asking = asyncio.create_task(_sent(ctx, form("Can you hear me?")))
            await asyncio.sleep(_SOON)
            asking.cancel()
        self._dies()
        return _result("it lives on")


async def _listed_alone(times: int = 0, size: int = 0) -> str:
    raise AssertionError("the middleware serves this")


async def _late(after: float = _SOON) -> str:
    raise AssertionError("the middleware serves this")


async def _live(ctx: ServerRequestContext[Any, Any], rounds: Rounds, given: Mapping[str, Any]) -> dict[str, Any]:
    """Ask in the middle of the call, on 2025-06-18 and 2025-11-25: a round's questions at the same time."""
    answers: list[Any] = []
    while (asked := rounds(len(answers), given)) is not None:
        answers.append(await asyncio.gather(*(_sent(ctx, params) for params in asked.values())))
    return _result(answers[-1] if answers else [])


async def _round(ctx: ServerRequestContext[Any, Any], rounds: Rounds, given: Mapping[str, Any]) -> dict[str, Any]:
    """Ask by round trip, on 2026-07-28; the number of the round is the state."""
    params = ctx.params or {}
    state = params.get("requestState")
    number = int(state) + 1 if state is not None else 0
    asked = rounds(number, given)
    if asked is not None:
        return _asking(asked, number)
    return _result(list((params.get("inputResponses") or {}).values()))


def _asking(asked: Mapping[str, Params], number: int) -> dict[str, Any]:
    requests = {key: {"method": "elicitation/create", "params": params} for key, params in asked.items()}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": str(number)}


async def _sent(ctx: ServerRequestContext[Any, Any], params: Params, *, related: bool = True) -> Any:
    """Send a question, and give what came back; an error, too."""
    metadata = ServerMessageMetadata(related_request_id=ctx.request_id) if related else None
    try:
        result = await ctx.session.send_request(_Create(params=params), _Any, metadata=metadata)  # type: ignore[arg-type]
    except MCPError as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}
    except ValueError:
        return {"error": {"message": "the client sent what is no answer"}}
    return result.model_dump(by_alias=True, mode="json")


def _result(said: object) -> dict[str, Any]:
    text = said if isinstance(said, str) else json.dumps(said)
    return {"resultType": "complete", "content": [{"type": "text", "text": text}]}
