"""How large what goes into an inbox may be."""

from __future__ import annotations

from ...errors import LimitError
from ...limits import CALL_BYTES, ENTRY_BYTES, NAME_CHARACTERS, NOTE_CHARACTERS
from ...suspension.wire import require_size, require_text
from .store import Asking


def require_keepable(asking: Asking) -> None:
    """Make sure that a question may be kept.

    Raises:
        TypeError: If a name is no text.
        ContractError: If a name cannot be written.
        LimitError: If something is too large.
    """
    require_name("the name of a host", asking.host)
    if asking.owner is not None:
        require_name("an owner", asking.owner)
    require_size("a request", asking.request.to_dict(), ENTRY_BYTES)
    if asking.call is not None:
        require_size("a call", asking.call, CALL_BYTES)


def require_name(what: str, name: object) -> str:
    """A name of a host or a person, if it is one.

    Raises:
        TypeError: If it is no text.
        ContractError: If it cannot be written.
        LimitError: If it is too long.
    """
    return _short(what, name, NAME_CHARACTERS)


def require_note(note: object) -> str:
    """A note, if it may be kept; as `require_name`."""
    return _short("a note", note, NOTE_CHARACTERS)


def _short(what: str, text: object, most: int) -> str:
    require_text(what, text, may_be_blank=True)
    if len(str(text)) > most:
        raise LimitError(f"{what} has {len(str(text)):,} characters, and may have {most:,}")
    return str(text)
