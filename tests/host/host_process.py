"""A host in a process of its own, which ends after each step: `call SERVER TOOL`, then `resume SERVER PENDING ANSWER`.

What it prints is all that is kept: the JSON of a pending call, or the text of a result.
"""

import asyncio
import json
import sys

from elicitkit import McpSource, PendingCall
from tests.host.hosting import text


async def step(verb: str, server: str, *given: str) -> str:
    async with McpSource.load({"servers": {"a": json.loads(server)}}, suspend=True) as source:
        if verb == "call":
            result = await source.call(f"a_{given[0]}")
        else:
            pending, data = PendingCall.from_json(given[0]), json.loads(given[1])
            result = await source.resume(pending, pending.request.accept(data))
    return result.to_json() if isinstance(result, PendingCall) else text(result)


if __name__ == "__main__":
    print(asyncio.run(step(*sys.argv[1:])))
