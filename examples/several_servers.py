"""A host with several servers, one of which is not there: what any of them asks is put to the person, one by one.

python examples/several_servers.py
"""

import asyncio
import os
import sys
from pathlib import Path

from elicitkit import Answer, Form, McpSource, Origin, Policy, Request, Rule
from elicitkit.render.terminal import fill

HERE = Path(__file__).parent


def started(file: str) -> dict[str, object]:
    """A server that is started; it gets no other variables than it is given."""
    return {"command": sys.executable, "args": [str(HERE / file)], "env": {"PYTHONPATH": os.pathsep.join(sys.path)}}


CONFIG = {
    "mcpServers": {
        "shop": started("checkout.py"),
        "repository": started("approval.py"),
        "old": {"command": "a-program-that-is-gone"},
    }
}
CALLS = [("shop_checkout", {"cart": "42"}), ("repository_delete_branch", {"name": "release"})]

# Links are declined unseen: this host has no browser. Everything else is for the person.
POLICY = Policy([Rule("decline", kind="authorization")])


async def wait_for(request: Request) -> Answer:
    if request.schema is None:
        return request.cancel("unsupported")
    origin = Origin.of(request)
    outcome = await fill(Form.from_schema(request.prompt, request.schema), f"{origin.server}, {origin.tool}")
    if outcome:
        return request.accept(outcome.content)
    return request.decline() if outcome.action == "decline" else request.cancel()


def log(request: Request, answer: Answer) -> None:
    """The audit log of a host is one function; what was typed does not belong into it."""
    print(
        f"-- {Origin.of(request).server}: {request.kind}, {'accepted' if answer.ok else answer.reason}", file=sys.stderr
    )


async def main() -> None:
    async with McpSource.load(CONFIG, wait_for=wait_for, policy=POLICY, on_answer=log) as source:
        for name, status in source.statuses.items():
            print(f"{name}: {status.state}{f' ({status.reason})' if status.reason else ''}")
        results = await asyncio.gather(*(source.call(tool, arguments) for tool, arguments in CALLS))
    for result in results:
        print(result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main())
