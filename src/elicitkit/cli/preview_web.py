"""The page of `elicitkit preview --web`, served on this machine until the person ends it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import anyio

from ..errors import MissingExtra
from ..forms import Form
from ..outcomes import Outcome
from .exits import Exit
from .output import say

_PAGES = "elicitkit.render.web"


def serve(form: Form[Any], judge: Callable[[Mapping[str, Any]], Outcome[Any]]) -> Exit:
    """Serve the page of a form, and say where it is.

    Args:
        form: The form as it is drawn.
        judge: What the tool makes of an answer to it.

    Raises:
        MissingExtra: If the extra `web` is not installed.
    """
    try:
        web = import_module(_PAGES)
    except ModuleNotFoundError as error:
        if error.name != _PAGES:
            raise
        raise MissingExtra("web", "The page") from None
    token = secrets.token_urlsafe(32)
    app = web.preview_app(form, token=token, judge=judge)

    async def until_ended() -> None:
        async with web.serving(app) as address:
            say(f"{web.link_of_app(address, token)}\nCtrl-C ends it.")
            await anyio.sleep_forever()

    try:
        anyio.run(until_ended)
    except KeyboardInterrupt:
        say("")
    return Exit.FINE
