"""The inbox over HTTP, for programs: a few routes that list questions and take answers, as JSON.

`routes` says what there is, `bodies` reads what was sent, `problems` tells what is wrong (RFC 9457). Only this module
can be imported without the extra `web`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import MissingExtra

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from ...host.inbox import Inbox

__all__ = ["api_routes"]


def api_routes(inbox: Inbox, token: str) -> list[BaseRoute]:
    """The routes, to be mounted somewhere: `Mount("/api", routes=api_routes(inbox, token))`.

    Each request has the header `Authorization: Bearer …` with the token; or with one of `inbox.token(id)`, which lets
    in to that question alone. Cookies count for nothing, so that no other site can make a browser ask. Whoever mounts
    the routes opens the inbox, and looks at the host.

    Args:
        inbox: Whose questions are served.
        token: What lets in to all of them; nobody can guess it.

    Raises:
        TypeError, ValueError: If the token is no text, or shorter than 16 characters.
        MissingExtra: If the extra `web` is not installed.
    """
    try:
        from .routes import routes
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "starlette":
            raise
        raise MissingExtra("web", "The inbox over HTTP") from None
    return routes(inbox, token)
