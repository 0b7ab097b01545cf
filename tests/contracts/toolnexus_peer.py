"""The other side of `test_toolnexus.py`: run by a Python that has `toolnexus`, and knows nothing of elicitkit.

It reads a JSON object from standard input: what a host on elicitkit wrote. It writes one to standard output: what
toolnexus makes of that, and what it writes itself.
"""

import asyncio
import dataclasses
import json
import sys
from typing import Any

import toolnexus
from toolnexus import builtin, mcp_source
from toolnexus.types import ToolResult

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@dataclasses.dataclass
class Params:
    """The params of an elicitation, with the names that toolnexus looks for."""

    mode: str
    message: str
    url: str | None = None
    requestedSchema: dict[str, Any] | None = None


def written(value: Any) -> dict[str, Any]:
    """A value with its nulls, as `json.dumps(asdict(value))` leaves them."""
    return dataclasses.asdict(value)


def pruned(value: Any) -> dict[str, Any]:
    """A value without its nulls, as the contract has it."""
    return {key: inner for key, inner in written(value).items() if inner is not None}


def pendings() -> dict[str, ToolResult]:
    """A suspended result of each kind that toolnexus makes itself."""
    question = next(tool for tool in builtin.create_builtin_tools() if tool.name == "question")
    questions = [{"question": "Which colour?", "header": "Colour", "options": ["red", "blue"]}]
    return {
        "authorization": toolnexus.auth_required("https://example.com/login"),
        "approval": toolnexus.pending(kind="approval", prompt="Größe 👋?", expiresAt="2026-07-28T12:00:00.123Z"),
        "question": asyncio.run(question.execute({"questions": questions}, None)),
        "input": toolnexus.pending(kind="input", prompt="Who?", id="r1", data={"schema": SCHEMA}),
    }


def requests() -> dict[str, Any]:
    """A request of each mode that toolnexus's own bridge makes."""
    return {
        "form": mcp_source.elicitation_to_request(Params("form", "Your name?", requestedSchema=SCHEMA)),
        "link": mcp_source.elicitation_to_request(Params("url", "Log in", url="https://example.com/auth")),
    }


def answers() -> dict[str, Any]:
    """An answer of each kind that toolnexus's helpers make."""
    return {
        "accepted": toolnexus.Answer(id="r1", ok=True, data={"name": "Ada", "pets": ["cat"], "age": 36, "none": None}),
        "output": toolnexus.answer_output("r1", "done"),
        **{reason: toolnexus.answer_declined("r1", reason) for reason in ("declined", "cancelled", "expired")},
        "bare": toolnexus.Answer(id="r1", ok=False),
    }


def read_requests(texts: list[str]) -> list[dict[str, Any]]:
    """What toolnexus holds of requests that others wrote, found on a suspended result."""
    found = []
    for text in texts:
        request = toolnexus.Request(**json.loads(text))
        result = ToolResult(output=request.prompt, is_error=True, metadata={"pending": request})
        found.append(written(toolnexus.pending_of(result)))
    return found


def read_results(texts: list[str]) -> list[dict[str, Any]]:
    """What toolnexus holds of suspended results that others wrote."""
    found = []
    for text in texts:
        given = json.loads(text)
        request = toolnexus.Request(**given["metadata"]["pending"])
        result = ToolResult(output=given["output"], is_error=True, metadata={"pending": request})
        found.append({"output": result.output, "request": written(toolnexus.pending_of(result))})
    return found


def read_answers(texts: list[str]) -> list[dict[str, Any]]:
    """What toolnexus holds of answers that others wrote, and the result it would send to a server."""
    found = []
    for text in texts:
        answer = toolnexus.Answer(**json.loads(text))
        result = mcp_source.answer_to_elicit_result(answer)
        found.append({"answer": written(answer), "action": result.action, "content": result.content})
    return found


def main() -> None:
    given = json.load(sys.stdin)
    made = {"results": pendings(), "requests": requests(), "answers": answers()}
    wrote = {
        kind: {name: {"written": written(value), "pruned": pruned(value)} for name, value in values.items()}
        for kind, values in made.items()
    }
    read = {
        "requests": read_requests(given["requests"]),
        "results": read_results(given["results"]),
        "answers": read_answers(given["answers"]),
    }
    json.dump({"wrote": wrote, "read": read}, sys.stdout)


if __name__ == "__main__":
    main()
