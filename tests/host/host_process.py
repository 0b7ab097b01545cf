"""A host in a process of its own, which ends after each step: `call SERVER TOOL`, then `resume SERVER PENDING ANSWER`.

What it prints is all that is kept: the JSON of a pending call, or the text of a result. With `hold` before the step it
does not end, but keeps its connection until it is killed.
"""

import asyncio
import json
import sys

from elicitkit import McpSource, PendingCall
from tests.host.hosting import text


async def step(is_held: bool, verb: str, server: str, *given: str) -> None:
    async with McpSource.load({"servers": {"a": json.loads(server)}}, suspend=True) as source:
        if verb == "call":
            result = await source.call(f"a_{given[0]}")
        else:
            pending, data = PendingCall.from_json(given[0]), json.loads(given[1])
            result = await source.resume(pending, pending.request.accept(data))
        print(result.to_json() if isinstance(result, PendingCall) else text(result), flush=True)
        if is_held:
            await asyncio.Event().wait()


if __name__ == "__main__":
    words = sys.argv[1:]
    is_held = words[0] == "hold"
    asyncio.run(step(is_held, *words[is_held:]))
