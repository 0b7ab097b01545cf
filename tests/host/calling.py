"""Small things that the tests of tools share: people who answer at once, and what a log holds."""

from typing import Any

from elicitkit import Answer, Request
from elicitkit.host.results import ToolResult
from elicitkit.host.toolkit import Toolkit


class Person:
    """A `wait_for` that answers all with the same data, or with what a function makes of each request."""

    def __init__(self, answer: Any = None) -> None:
        self.asked: list[Request] = []
        self._answer = answer

    def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        return self._answer(request) if callable(self._answer) else request.accept(self._answer)


def declining(request: Request) -> Answer:
    return request.decline()


async def call(tool: Any, arguments: dict[str, Any] | None = None, **settings: Any) -> ToolResult:
    """What one call of one tool comes to."""
    kit = Toolkit([tool], **settings)
    return await kit.execute(kit.tools[0].name, arguments)


def all_text(caplog: Any) -> str:
    """Everything that was logged, tracebacks too."""
    return "\n".join([caplog.text, *(record.getMessage() for record in caplog.records)])
