"""`${NAME}`: what a text of a configuration has in place of a variable of the environment."""

from __future__ import annotations

import os
import re
from typing import Final

_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def variables_of(text: str) -> list[str]:
    """What stands between braces in a text, in its order, whether it is a name or not."""
    return _VARIABLE.findall(text)


def is_variable(name: str) -> bool:
    """Whether a name is one that a variable can have. What is none may be a value, and is never to be shown."""
    return _NAME.fullmatch(name) is not None


def first_unset(text: str) -> str | None:
    """The first variable of a text that the environment does not have."""
    return next((name for name in variables_of(text) if name not in os.environ), None)


def filled_in(text: str) -> str:
    """A text with its variables filled in.

    Raises:
        KeyError: If one is not set.
    """
    return _VARIABLE.sub(lambda found: os.environ[found[1]], text)
