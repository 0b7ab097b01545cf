"""Ask a person, from anywhere in an MCP system, and get a checked, typed answer back.

The names below are loaded when they are first used, so that `import elicitkit` loads no server and no framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asking import confirm, elicit
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
    from .forms import Content, Form, FormElicitation, FormSource, bind
    from .outcomes import Accepted, Cancelled, Declined, Outcome
    from .server.mcpserver import Elicitation, state_security

__all__ = [
    "Accepted",
    "AdapterMissing",
    "AnswerError",
    "CallOver",
    "Cancelled",
    "Content",
    "Declined",
    "Elicitation",
    "ElicitationUnsupported",
    "ElicitkitError",
    "Fault",
    "Form",
    "FormElicitation",
    "FormError",
    "FormSource",
    "LimitError",
    "MissingExtra",
    "Outcome",
    "ProtocolError",
    "ScriptError",
    "SensitiveFieldError",
    "bind",
    "confirm",
    "elicit",
    "state_security",
]

_HOMES = {
    "asking": "confirm elicit",
    "forms": "Content Form FormElicitation FormSource bind",
    "outcomes": "Accepted Cancelled Declined Outcome",
    "server.mcpserver": "Elicitation state_security",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
"""Where a public name lives, `errors` unless told here; a test compares it with the imports above."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME.get(name, 'errors')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
