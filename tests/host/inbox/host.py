"""A process on a file of an inbox: `python -m tests.host.inbox.host WHAT FILE …`. It prints what came of it.

- `wait FILE ID`: a host that asks for a size, by this id, and prints the answer
- `call FILE SERVER TOOL`: a host that calls a tool of a server, with the inbox for its questions, and prints the result
- `suspend FILE SERVER TOOL`: a host that does not wait: it puts the call aside, and ends
- `resume FILE SERVER`: a host that goes on with what is ready, and puts aside what waits again
- `answer FILE NAME ID,ID,…`: somebody who answers all at once, on a line of standard input, and prints what won
"""

import asyncio
import json
import sys

from elicitkit import EntryClosed, Inbox, McpSource, PendingCall, SqliteInboxStore
from tests.host.hosting import text
from tests.host.inbox.questions import sizes


async def wait(inbox: Inbox, id: str) -> None:
    print((await inbox.wait_for(sizes(id))).to_json(), flush=True)


async def call(inbox: Inbox, server: str, tool: str) -> None:
    async with McpSource.load({"servers": {"a": json.loads(server)}}, wait_for=inbox.slot()) as source:
        print(text(await source.call(f"a_{tool}")), flush=True)


async def suspend(inbox: Inbox, server: str, tool: str) -> None:
    async with McpSource.load({"servers": {"a": json.loads(server)}}, suspend=True) as source:
        pending = await source.call(f"a_{tool}")
        assert isinstance(pending, PendingCall)
        print((await inbox.ask(pending)).id, flush=True)


async def resume(inbox: Inbox, server: str) -> None:
    async with McpSource.load({"servers": {"a": json.loads(server)}}, suspend=True) as source:
        for entry in await inbox.ready():
            if (taken := await inbox.take(entry.id)) is None:
                continue
            assert isinstance(taken.pending, PendingCall)
            result = await source.resume(taken.pending, taken.answer)
            print((await inbox.ask(result)).id if isinstance(result, PendingCall) else text(result), flush=True)


async def answer(inbox: Inbox, name: str, ids: str) -> None:
    async def one(id: str) -> None:
        try:
            await inbox.accept(id, {"size": name}, by=name)
        except EntryClosed:
            return
        print(id, flush=True)

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*map(one, ids.split(",")))


async def main(what: str, path: str, *arguments: str) -> None:
    doing = {"wait": wait, "call": call, "suspend": suspend, "resume": resume, "answer": answer}[what]
    async with Inbox(SqliteInboxStore(path, busy_timeout=30), host="agent") as inbox:
        await doing(inbox, *arguments)  # type: ignore[operator]  # each has arguments of its own


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
