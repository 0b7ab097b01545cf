"""Secrets that open one question each: made for a link, kept as a digest, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from .store import Kept


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(16)


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def is_opened(kept: Kept, token: str) -> bool:
    """Whether a token opens an entry."""
    digest = digest_of(token)
    return bool(sum(hmac.compare_digest(digest, one) for one in kept.tokens))  # All of them: the time says nothing.


def is_answered_through(kept: Kept, token: str) -> bool:
    """Whether what an entry was answered with came by the link with this token."""
    return hmac.compare_digest(digest_of(token), kept.through)
