"""Run the server that asks everything: over stdio, or with `--http [PORT]` on loopback; it prints its address."""

from __future__ import annotations

import argparse
import os
import socket

import uvicorn

from . import everything_server


def main() -> None:
    """Serve until the client is gone, or for ever."""
    parser = argparse.ArgumentParser(prog="python -m elicitkit.testing.everything", description=__doc__)
    parser.add_argument("--http", nargs="?", type=int, const=0, metavar="PORT", help="serve streamable HTTP")
    port = parser.parse_args().http
    if port is None:
        everything_server(dies=_die).run()
    else:
        _serve(port)


def _serve(port: int) -> None:
    app = everything_server(dies=_die).streamable_http_app()
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)  # Else each answer waits for 40 ms.
        # Whoever connects from here on waits until the server accepts.
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)).run([listener])


def _die() -> None:
    os._exit(3)


if __name__ == "__main__":
    main()
