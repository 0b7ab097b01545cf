"""Ask a person, from anywhere in an MCP system, and get a checked, typed answer back.

The names below are loaded when they are first used, so that `import elicitkit` loads no server and no framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import (
        AdapterMissing,
        AnswerError,
        CallOver,
        ElicitationUnsupported,
        ElicitkitError,
        Fault,
        FormError,
        LimitError,
        MissingExtra,
        ProtocolError,
        ScriptError,
        SensitiveFieldError,
    )
    from .forms import Content, Form, FormElicitation, FormSource
    from .outcomes import Accepted, Cancelled, Declined, Outcome

_HOMES = {
    ".errors": (
        "AdapterMissing",
        "AnswerError",
        "CallOver",
        "ElicitationUnsupported",
        "ElicitkitError",
        "Fault",
        "FormError",
        "LimitError",
        "MissingExtra",
        "ProtocolError",
        "ScriptError",
        "SensitiveFieldError",
    ),
    ".forms": ("Content", "Form", "FormElicitation", "FormSource"),
    ".outcomes": ("Accepted", "Cancelled", "Declined", "Outcome"),
}
"""Where each public name lives; the imports above say the same to type checkers, and a test compares the two."""

_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
