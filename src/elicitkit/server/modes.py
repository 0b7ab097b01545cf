"""What a client declared that it can be asked (specification: Elicitation, "Capabilities")."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from ..errors import ElicitationUnsupported

if TYPE_CHECKING:
    from mcp_types import ClientCapabilities

    from ..asking import Mode

_NAMES: dict[Mode, str] = {"form": "forms", "url": "links"}


def declared_modes(capabilities: ClientCapabilities | None) -> frozenset[Mode]:
    """The modes a client declared; an empty `elicitation` object means forms alone."""
    elicitation = capabilities.elicitation if capabilities else None
    if elicitation is None:
        return frozenset()
    modes: set[Mode] = set()
    if elicitation.form is not None or elicitation.url is None:
        modes.add("form")
    if elicitation.url is not None:
        modes.add("url")
    return frozenset(modes)


def require_mode(capabilities: ClientCapabilities | None, mode: Mode, of_revision: Container[Mode]) -> None:
    """Make sure that a client declared a mode, and that its revision of the protocol has it.

    Raises:
        ElicitationUnsupported: If not; the text tells a person what to do.
    """
    if mode not in of_revision or mode not in declared_modes(capabilities):
        raise ElicitationUnsupported(
            f"This needs an answer from you, and the application you use does not show {_NAMES[mode]} that a server "
            f"asks for (MCP elicitation, {mode} mode). Use one that does, or turn it on there, and try again."
        )
