"""Ask a person, from anywhere in an MCP system, and get a checked, typed answer back.

The names below are loaded when they are first used, so that `import elicitkit` loads no server and no framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asking import (
        call_id,
        complete,
        confirm,
        elicit,
        elicit_all,
        elicit_sync,
        elicit_url,
        step,
        task_id,
        url_required,
    )
    from .bridge import answer_to_elicit_result, elicitation_to_request, required_elicitations_to_requests
    from .errors import (
        AdapterMissing,
        AnswerError,
        AnswerTooLarge,
        CallOver,
        ContractError,
        ElicitationUnsupported,
        ElicitkitError,
        EntryClosed,
        Fault,
        FormError,
        LimitError,
        LinkError,
        MissingExtra,
        ProtocolError,
        ScriptError,
        SensitiveFieldError,
        ServerUnavailable,
        StaleClaim,
        StepError,
        StoreError,
        TaskKeyError,
        TaskOutOfReach,
        TaskStuck,
        ToolError,
        UnknownEntry,
        UnknownTask,
    )
    from .forms import Content, Form, FormElicitation, FormSource, bind
    from .host.answering import Slot
    from .host.function_tools import FunctionTool
    from .host.http_tools import HttpTool
    from .host.inbox import Entry, Inbox, InboxStore
    from .host.inbox.addresses import open_inbox_store
    from .host.inbox.memory import MemoryInboxStore
    from .host.inbox.postgres import PostgresInboxStore
    from .host.inbox.sqlite import SqliteInboxStore
    from .host.origins import Origin
    from .host.pending_calls import PendingCall
    from .host.policy import Policy, Rule
    from .host.question_tool import question
    from .host.results import ToolResult
    from .host.retries import Retry, retry_of
    from .host.source import McpSource
    from .host.toolkit import Toolkit
    from .host.tools import ToolContext
    from .host.turns import ToolCall, Turn
    from .outcomes import Accepted, Cancelled, Declined, Outcome
    from .schema.review import Finding, review_request, review_schema
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
    from .tasks.client import TaskHandle, TasksClient
    from .tasks.engines.docket import DocketEngine
    from .tasks.extension import Tasks
    from .tasks.store import TaskStore
    from .tasks.stores.addresses import open_store
    from .tasks.stores.memory import MemoryTaskStore
    from .tasks.stores.postgres import PostgresTaskStore
    from .tasks.stores.sqlite import SqliteTaskStore

__all__ = [
    "Accepted",
    "AdapterMissing",
    "Answer",
    "AnswerError",
    "AnswerTooLarge",
    "CallOver",
    "Cancelled",
    "Content",
    "ContractError",
    "Declined",
    "DocketEngine",
    "Elicitation",
    "ElicitationUnsupported",
    "ElicitkitError",
    "Entry",
    "EntryClosed",
    "Fault",
    "Finding",
    "Form",
    "FormElicitation",
    "FormError",
    "FormSource",
    "FunctionTool",
    "HttpTool",
    "Inbox",
    "InboxStore",
    "LimitError",
    "LinkError",
    "McpSource",
    "MemoryInboxStore",
    "MemoryTaskStore",
    "MissingExtra",
    "Origin",
    "Outcome",
    "Pending",
    "PendingCall",
    "Policy",
    "PostgresInboxStore",
    "PostgresTaskStore",
    "ProtocolError",
    "Request",
    "Retry",
    "Rule",
    "ScriptError",
    "SensitiveFieldError",
    "ServerUnavailable",
    "Slot",
    "SqliteInboxStore",
    "SqliteTaskStore",
    "StaleClaim",
    "StepError",
    "StoreError",
    "TaskHandle",
    "TaskKeyError",
    "TaskOutOfReach",
    "TaskStore",
    "TaskStuck",
    "Tasks",
    "TasksClient",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "Toolkit",
    "Turn",
    "UnknownEntry",
    "UnknownTask",
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
    "open_inbox_store",
    "open_store",
    "pending",
    "pending_of",
    "question",
    "required_elicitations_to_requests",
    "retry_of",
    "review_request",
    "review_schema",
    "state_security",
    "step",
    "task_id",
    "url_required",
]

_HOMES = {
    "asking": "call_id complete confirm elicit elicit_all elicit_sync elicit_url step task_id url_required",
    "bridge": "answer_to_elicit_result elicitation_to_request required_elicitations_to_requests",
    "forms": "Content Form FormElicitation FormSource bind",
    "host.function_tools": "FunctionTool",
    "host.http_tools": "HttpTool",
    "host.inbox": "Entry Inbox InboxStore",
    "host.inbox.addresses": "open_inbox_store",
    "host.inbox.memory": "MemoryInboxStore",
    "host.inbox.postgres": "PostgresInboxStore",
    "host.inbox.sqlite": "SqliteInboxStore",
    "host.question_tool": "question",
    "host.results": "ToolResult",
    "host.retries": "Retry retry_of",
    "host.toolkit": "Toolkit",
    "host.tools": "ToolContext",
    "host.turns": "ToolCall Turn",
    "host.answering": "Slot",
    "host.origins": "Origin",
    "host.pending_calls": "PendingCall",
    "host.policy": "Policy Rule",
    "host.source": "McpSource",
    "outcomes": "Accepted Cancelled Declined Outcome",
    "schema.review": "Finding review_request review_schema",
    "server.mcpserver": "Elicitation state_security",
    "suspension": "Answer Pending Request auth_required pending pending_of "
    "answer_accepted answer_cancelled answer_declined",
    "tasks.client": "TaskHandle TasksClient",
    "tasks.engines.docket": "DocketEngine",
    "tasks.extension": "Tasks",
    "tasks.store": "TaskStore",
    "tasks.stores.addresses": "open_store",
    "tasks.stores.memory": "MemoryTaskStore",
    "tasks.stores.postgres": "PostgresTaskStore",
    "tasks.stores.sqlite": "SqliteTaskStore",
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
