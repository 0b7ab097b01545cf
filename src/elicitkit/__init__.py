"""Ask a person, from anywhere in an MCP system, and get a checked, typed answer back.

The names below are loaded when they are first used, so that `import elicitkit` loads no server and no framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asking import call_id, complete, confirm, elicit, elicit_all, elicit_sync, elicit_url, step, url_required
    from .bridge import answer_to_elicit_result, elicitation_to_request, required_elicitations_to_requests
    from .errors import (
        AdapterMissing,
        AnswerError,
        CallOver,
        ContractError,
        ElicitationUnsupported,
        ElicitkitError,
        Fault,
        FormError,
        LimitError,
        LinkError,
        MissingExtra,
        ProtocolError,
        ScriptError,
        SensitiveFieldError,
        StepError,
    )
    from .forms import Content, Form, FormElicitation, FormSource, bind
    from .outcomes import Accepted, Cancelled, Declined, Outcome
    from .server.mcpserver import Elicitation, state_security
    from .suspension import (
        Answer,
        Pending,
        Request,
        answer_accepted,
        answer_cancelled,
        answer_declined,
        auth_required,
        pending,
        pending_of,
    )

__all__ = [
    "Accepted",
    "AdapterMissing",
    "Answer",
    "AnswerError",
    "CallOver",
    "Cancelled",
    "Content",
    "ContractError",
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
    "LinkError",
    "MissingExtra",
    "Outcome",
    "Pending",
    "ProtocolError",
    "Request",
    "ScriptError",
    "SensitiveFieldError",
    "StepError",
    "answer_accepted",
    "answer_cancelled",
    "answer_declined",
    "answer_to_elicit_result",
    "auth_required",
    "bind",
    "call_id",
    "complete",
    "confirm",
    "elicit",
    "elicit_all",
    "elicit_sync",
    "elicit_url",
    "elicitation_to_request",
    "pending",
    "pending_of",
    "required_elicitations_to_requests",
    "state_security",
    "step",
    "url_required",
]

_HOMES = {
    "asking": "call_id complete confirm elicit elicit_all elicit_sync elicit_url step url_required",
    "bridge": "answer_to_elicit_result elicitation_to_request required_elicitations_to_requests",
    "forms": "Content Form FormElicitation FormSource bind",
    "outcomes": "Accepted Cancelled Declined Outcome",
    "server.mcpserver": "Elicitation state_security",
    "suspension": "Answer Pending Request auth_required pending pending_of "
    "answer_accepted answer_cancelled answer_declined",
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
