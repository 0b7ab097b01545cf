"""Who may look: the token of the link becomes a cookie, and the cookie a secret in each form. Nothing is stored.

A cookie of the keeper's is signed with a key made of the token, so that it survives a restart with the same one. The
cookie of a link to one question is that question's own token, sent to its address alone; the inbox says what it opens.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from typing import Final, NamedTuple

SECONDS: Final = 7 * 24 * 3600
"""How long a browser stays signed in."""

LEAST_TOKEN: Final = 16
"""A shorter token could be guessed."""


class Session(NamedTuple):
    """Somebody who may look."""

    secret: str
    """The value of the cookie."""

    entry: str = ""
    """The only entry that it opens; empty for who keeps the inbox."""

    @property
    def is_keeper(self) -> bool:
        """Whether all of the inbox is theirs to see."""
        return not self.entry


class Sessions:
    """Makes and reads cookies, and the secrets of forms.

    Args:
        token: What the link of the inbox holds.
        clock: What time it is, in seconds.

    Raises:
        TypeError: If the token is no text.
        ValueError: If it is too short.
    """

    def __init__(self, token: str, *, clock: Callable[[], float] = time.time) -> None:
        if not isinstance(token, str):
            raise TypeError(f"the token of an inbox is text, not {type(token).__name__}")
        if len(token) < LEAST_TOKEN:
            raise ValueError(f"the token of an inbox has at least {LEAST_TOKEN} characters: secrets.token_urlsafe(32)")
        self._token = token.encode()
        self._key = hashlib.sha256(b"elicitkit inbox\0" + self._token).digest()
        self._clock = clock
        self.cookie: Final = f"elicitkit-{self._signed('name')[:8]}"
        """The name of the keeper's cookie: another for each token, since a browser mixes up the ports of a machine."""

        self.entry_cookie: Final = f"{self.cookie}-q"
        """The name of the cookie of a link to one question."""

        self.sent_cookie: Final = f"{self.cookie}-s"
        """The name of the cookie that tells which question this browser has answered last."""

    def is_token(self, given: str) -> bool:
        """Tell whether something is the token. The time it takes says nothing."""
        return hmac.compare_digest(given.encode(errors="replace"), self._token)

    def start(self) -> str:
        """The value of a new cookie for the keeper."""
        started = f"{int(self._clock()) + SECONDS}.{secrets.token_urlsafe(16)}"
        return f"{started}.{self._signed('session', started)}"

    def keeper(self, cookie: str) -> Session | None:
        """Whose a keeper's cookie is; `None` if it is none of ours, or too old."""
        started, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(errors="replace"), self._signed("session", started).encode()):
            return None
        return Session(cookie) if int(started.partition(".")[0]) > self._clock() else None

    def form_secret(self, session: Session) -> str:
        """What each form of a session has in it; another site knows neither it nor the cookie."""
        return self._signed("form", session.entry, session.secret)

    def is_form_of(self, session: Session, given: str) -> bool:
        """Tell whether a form was one of this session's."""
        return hmac.compare_digest(given.encode(errors="replace"), self.form_secret(session).encode())

    def sent(self, entry: str) -> str:
        """What a browser is given that has answered a question."""
        return f"{entry}.{self._signed('sent', entry)}"

    def is_sent(self, cookie: str, entry: str) -> bool:
        """Tell whether it is the browser with this cookie that has answered a question."""
        return hmac.compare_digest(cookie.encode(errors="replace"), self.sent(entry).encode())

    def _signed(self, *parts: str) -> str:
        return hmac.new(self._key, "\0".join(parts).encode(errors="replace"), hashlib.sha256).hexdigest()
