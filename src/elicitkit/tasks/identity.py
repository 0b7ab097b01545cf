"""Who made a call, without the access token: what a store may keep, and what a replay runs as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp.server.auth.middleware.auth_context import auth_context_var, get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken


def current_identity() -> dict[str, Any]:
    """The identity of the running request; empty if nobody is authenticated."""
    token = get_access_token()
    if token is None:
        return {}
    issuer = (token.claims or {}).get("iss")
    kept = {"client_id": token.client_id, "scopes": [*token.scopes], "subject": token.subject, "issuer": issuer}
    return {name: value for name, value in kept.items() if value is not None}


@contextmanager
def acting_as(identity: Mapping[str, Any]) -> Iterator[None]:
    """Make what runs inside the block see an identity, as if the transport had authenticated it; its token is blank."""
    user = AuthenticatedUser(_token(identity)) if identity else None
    held = auth_context_var.set(user)
    try:
        yield
    finally:
        auth_context_var.reset(held)


def _token(identity: Mapping[str, Any]) -> AccessToken:
    issuer = identity.get("issuer")
    return AccessToken(
        token="",
        client_id=identity["client_id"],
        scopes=identity.get("scopes", []),
        subject=identity.get("subject"),
        claims=None if issuer is None else {"iss": issuer},
    )
