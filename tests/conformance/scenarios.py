"""The scenarios that we are judged by, one row each, and what a server must offer for a row to mean anything."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Final

from tests.conformance.server import PREFIX


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario of the suite for servers."""

    name: str

    _: KW_ONLY

    needs: frozenset[str]
    """What it calls, as `tools/NAME` or `prompts/NAME`."""

    revision: str | None = "2026-07-28"
    """What is spoken; `None` for the scenarios of extensions, which the suite skips when it is given a revision."""

    def __str__(self) -> str:
        return f"{self.name}-{self.revision}" if self.revision else self.name


def _live(name: str, tool: str, *revisions: str) -> Iterable[Scenario]:
    return [Scenario(name, needs=frozenset({f"tools/{tool}"}), revision=revision) for revision in revisions]


def _rounds(name: str, *needs: str) -> Scenario:
    called = [need.partition("/")[::2] for need in needs]
    fixtures = frozenset(f"{kind}/{PREFIX}{fixture}" for kind, fixture in called)
    return Scenario(f"input-required-result-{name}", needs=fixtures)


def _job(name: str, *tools: str) -> Scenario:
    return Scenario(f"tasks-{name}", needs=frozenset(f"tools/{tool}" for tool in tools), revision=None)


SERVER: Final = (
    *_live("tools-call-elicitation", "test_elicitation", "2025-06-18", "2025-11-25"),
    *_live("elicitation-sep1034-defaults", "test_elicitation_sep1034_defaults", "2025-11-25"),
    *_live("elicitation-sep1330-enums", "test_elicitation_sep1330_enums", "2025-11-25"),
    _rounds("basic-elicitation", "tools/elicitation"),
    _rounds("basic-sampling", "tools/sampling"),
    _rounds("basic-list-roots", "tools/list_roots"),
    _rounds("request-state", "tools/request_state"),
    _rounds("multiple-input-requests", "tools/multiple_inputs"),
    _rounds("multi-round", "tools/multi_round"),
    _rounds("missing-input-response", "tools/elicitation"),
    _rounds("non-tool-request", "prompts/prompt"),
    _rounds("result-type", "tools/elicitation"),
    _rounds("unsupported-methods", "tools/elicitation", "prompts/prompt"),
    _rounds("tampered-state", "tools/tampered_state"),
    _rounds("capability-check", "tools/capabilities"),
    _rounds("ignore-extra-params", "tools/elicitation"),
    _rounds("validate-input", "tools/elicitation"),
)

TASKS: Final = (
    _job("lifecycle", "greet", "slow_compute", "failing_job", "protocol_error_job"),
    _job("capability-negotiation", "slow_compute"),
    _job("wire-fields", "slow_compute"),
    _job("request-state-removal", "slow_compute"),
    _job("mrtr-input", "confirm_delete", "multi_input"),
    _job("request-headers", "greet", "slow_compute"),
    _job("dispatch-and-envelope", "greet", "slow_compute", "failing_job", "confirm_delete"),
    _job("required-task-error", "failing_job"),
    _job("mrtr-composition", "test_tool_with_task"),
)
"""All that the suite has for tasks, but `tasks-status-notifications`, which it always skips."""

CLIENT: Final = ("elicitation-sep1034-client-defaults",)
