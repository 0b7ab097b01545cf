"""The page of `elicitkit preview --web`, served on this machine until the person ends it."""

from __future__ import annotations

import secrets
import socket
from importlib import import_module
from typing import Any

from ..errors import MissingExtra
from ..forms import Form
from .exits import Exit
from .output import say

_EXTRA = frozenset({"starlette", "jinja2", "uvicorn", "python_multipart", "elicitkit"})
_LOOPBACK = "127.0.0.1"


def serve(form: Form[Any]) -> Exit:
    """Serve the page of a form, and say where it is.

    Raises:
        MissingExtra: If the extra `web` is not installed.
    """
    try:
        import uvicorn

        web = import_module("elicitkit.render.web")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtra("web", "The page") from None
    token = secrets.token_urlsafe(16)
    app = web.preview_app(form, token=token)
    with socket.create_server((_LOOPBACK, 0)) as listening:
        say(f"http://{_LOOPBACK}:{listening.getsockname()[1]}/?token={token}\nCtrl-C ends it.")
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
    return Exit.FINE
