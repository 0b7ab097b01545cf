"""A server of 2025-11-25 over stdio that writes its messages by itself, to do what no SDK does; the mode says what."""

import json
import os
import sys
import time
from typing import Any

FORM = {"message": "from t, late", "requestedSchema": {"type": "object", "properties": {}}}
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in "tu"]


def send(id: Any = None, **message: Any) -> None:
    body = {"jsonrpc": "2.0", **({} if id is None else {"id": id}), **message}
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


def ask(id: str) -> None:
    send(id, method="elicitation/create", params=FORM)


def tools(mode: str, cursor: str | None) -> dict[str, Any]:
    if mode == "twice":
        return {"tools": [*TOOLS, {**TOOLS[0], "description": "the second"}], "nextCursor": "again"}
    return {"tools": TOOLS}


def call(mode: str, id: Any, tool: str) -> None:
    done = {"content": [{"type": "text", "text": f"{tool} done"}]}
    if mode == "late" and tool == "u":
        ask("q")  # It is still about the call of `t`, which was given up.
        time.sleep(0.3)
        send(id, result=done)
    elif mode == "die":
        ask("q")
        time.sleep(0.3)
        os._exit(1)
    elif mode == "flood":
        for number in range(1001):
            ask(f"q{number}")
    elif mode == "twice":
        send(id, result=done)


def main(mode: str) -> None:
    running: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if method == "initialize":
            about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}
            send(id, result={"protocolVersion": params["protocolVersion"], **about})
        elif method == "tools/list":
            send(id, result=tools(mode, params.get("cursor")))
        elif method == "tools/call":
            running = id
            call(mode, id, params["name"])
        elif method is None and mode == "flood" and "error" in message:
            send(running, result={"content": [{"type": "text", "text": json.dumps(message)}]})
        elif method is not None and id is not None:
            send(id, error={"code": -32601, "message": "no"})


if __name__ == "__main__":
    main(sys.argv[1])
