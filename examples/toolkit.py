"""A host's own tools, which wait for a person: nothing is deleted without a yes, however long that takes."""

import asyncio
from typing import Any

from elicitkit import Answer, HttpTool, Request, ToolCall, ToolContext, Toolkit, pending, question


def delete_files(paths: list[str], ctx: ToolContext) -> Any:
    """Delete files, if the person agrees."""
    if ctx.answer is None:
        return pending(f"Delete {len(paths)} files?", kind="approval", data={"paths": paths})
    return f"deleted {', '.join(paths)}"


issue = HttpTool(
    "issue",
    "GET",
    "https://api.example.com/issues/{id}",
    description="Read an issue.",
    headers={"Authorization": "Bearer ${ISSUES_TOKEN}"},
)

TOOLS = [delete_files, question, issue]


def ask_at_the_terminal(request: Request) -> Answer:
    if request.kind != "approval":
        return request.cancel("unsupported")
    return request.accept() if input(f"{request.prompt} [y/N] ").strip().lower() == "y" else request.decline()


async def main() -> None:
    kit = Toolkit(TOOLS, wait_for=ask_at_the_terminal)
    turn = await kit.execute_turn([ToolCall("1", "delete_files", {"paths": ["a.txt", "b.txt"]})])
    print(turn.results[0].output)


if __name__ == "__main__":
    asyncio.run(main())
