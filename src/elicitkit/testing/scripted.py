"""Scripted answers: an `elicitation_callback` for the SDK's client that answers in order, and keeps what was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Self

from mcp_types import (
    INTERNAL_ERROR,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
)
from pydantic import ValidationError

from .. import _json
from ..errors import ScriptError
from ..forms import Content, Form


def accept(content: Mapping[str, Any] | None = None, /, **fields: Any) -> ElicitResult:
    """An accepted form, by wire names."""
    return ElicitResult(action="accept", content={**(content or {}), **fields})


def decline() -> ElicitResult:
    """A refusal."""
    return ElicitResult(action="decline")


def cancel() -> ElicitResult:
    """A dismissal."""
    return ElicitResult(action="cancel")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that reached the client."""

    message: str
    schema: Mapping[str, Any]
    """The requested schema; empty for a link."""

    url: str | None = None

    @property
    def form(self) -> Form[Content]:
        """The question as a form."""
        return Form.from_schema(self.message, self.schema)


class ScriptedAnswers:
    """Answers questions in order, from a script.

    Use it as the `elicitation_callback` of a client, and as a context manager around the test: leaving the block
    checks that the answers neither ran out nor were left over.

    >>> with ScriptedAnswers([accept(name="Ada"), decline()]) as answers:
    ...     answers.left
    ...     answers.skip()
    2
    """

    def __init__(self, answers: Iterable[ElicitResult | Mapping[str, Any]]) -> None:
        self._answers = deque(_answer(number, given) for number, given in enumerate(answers, 1))
        self._unanswered = 0
        self.asked: list[Asked] = []
        """The questions so far, in the order they came."""

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read JSON lines, one answer each: `{"action": "accept", "content": {…}}`; blank lines are passed over.

        Only a line feed ends a line: JSON text may hold other separators. A byte order mark is no part of it.

        Raises:
            ScriptError: If a line is no answer; the text has its number.
            OSError: If the file cannot be read.
        """
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
        return cls(_parsed(number, line) for number, line in enumerate(lines, 1) if line.strip())

    async def __call__(
        self, context: object, params: ElicitRequestFormParams | ElicitRequestURLParams
    ) -> ElicitResult | ErrorData:
        """Answer one question; when the script has ended, with an error, which `finish` then raises as well."""
        match params:
            case ElicitRequestFormParams():
                self.asked.append(Asked(params.message, params.requested_schema))
            case ElicitRequestURLParams():
                self.asked.append(Asked(params.message, {}, params.url))
        if not self._answers:
            self._unanswered += 1
            return ErrorData(code=INTERNAL_ERROR, message="no scripted answer is left for this question")
        return self._answers.popleft()

    @property
    def left(self) -> int:
        """How many answers were not used yet."""
        return len(self._answers)

    def skip(self) -> None:
        """Drop the answers that are left, so that they are no fault."""
        self._answers.clear()

    def finish(self) -> None:
        """Check that questions and answers came out even.

        Raises:
            ScriptError: If they did not.
        """
        if self._unanswered:
            raise ScriptError(f"{_counted(self._unanswered, 'question')} found no answer left in the script")
        if self._answers:
            were = "was" if self.left == 1 else "were"
            raise ScriptError(f"{_counted(self.left, 'answer')} of the script {were} never asked for")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.finish()


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _answer(number: int, given: ElicitResult | Mapping[str, Any]) -> ElicitResult:
    if isinstance(given, ElicitResult):
        return given
    try:
        return ElicitResult.model_validate(given, by_name=False)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the whole"
        raise ScriptError(
            f"answer {number} of the script is none ({where}): it needs an action, one of accept, decline and cancel, "
            "and for accept its content, an object of text, numbers, true or false, and lists of text"
        ) from None


def _parsed(number: int, line: str) -> Mapping[str, Any]:
    try:
        found = _json.loads(line)
    except JSONDecodeError as error:  # Its words hold nothing of the line, which may be private.
        raise ScriptError(f"line {number} of the answers is not JSON: {error.msg}, at column {error.colno}") from None
    if not isinstance(found, dict):
        raise ScriptError(f"line {number} of the answers is not an object")
    return found
