"""The names that a model knows tools by: `server_tool`, of what every API of models takes, and each only once."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Final

MOST_CHARACTERS: Final = 64
"""The longest name that every API of models takes."""

_REFUSED = re.compile(r"[^A-Za-z0-9_-]")


class Names:
    """Gives each tool of each server a name of its own, which it then keeps.

    >>> names = Names()
    >>> names.name("shop", "check out"), names.name("shop", "check/out"), names.name("shop", "check out")
    ('shop_check_out', 'shop_check_out_2', 'shop_check_out')

    Args:
        taken: Names that are given to nobody.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._given: dict[Hashable, str] = {}
        self._taken = set(taken)

    def name(self, server: str, tool: str) -> str:
        """The name of a tool of a server."""
        return self.unique((server, tool), prefix_of(server) + tool)

    def unique(self, owner: Hashable, wanted: str) -> str:
        """The name of an owner: the one that is wanted, or one like it where another has that already."""
        if owner not in self._given:
            self._given[owner] = self._free(_REFUSED.sub("_", wanted))
        return self._given[owner]

    def _free(self, wanted: str) -> str:
        name, number = wanted[:MOST_CHARACTERS], 1
        while name in self._taken:
            number += 1
            name = f"{wanted[: MOST_CHARACTERS - len(f'_{number}')]}_{number}"
        self._taken.add(name)
        return name


def prefix_of(server: str) -> str:
    """What the names of a server's tools begin with."""
    return _REFUSED.sub("_", f"{server}_")
