"""Scripted answers: in turn, or by what is asked. What nobody expected is a failure that shows it."""

from __future__ import annotations

import inspect
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Self, TypeAlias

from .. import _json
from ..errors import ScriptError
from ..journal import TRY
from .answers import Answers, Reply, Sent, checked, fail, named, sent
from .asked import Asked, says

Text: TypeAlias = str | re.Pattern[str]
"""A text that has to be the whole, or a pattern that is searched for."""


class When:
    """Answers to the questions of one sort; `ScriptedAnswers.when` makes one. Give it answers, or it expects none."""

    def __init__(self, fits: Callable[[Asked], bool]) -> None:
        self._fits = fits
        self._always: Reply | None = None
        self.left: deque[Reply] = deque()
        """The answers that were not used yet."""

    def then(self, *answers: Reply) -> Self:
        """Give these in turn, each once: `.then(accept(size="XXL"), accept(size="M"))` is wrong at first."""
        self.left.extend(_reply(number, given) for number, given in enumerate(answers, 1))
        return self

    def always(self, answer: Reply) -> Self:
        """Give this every time from then on; it is no fault if nobody asks."""
        self._always = _reply(1, answer)
        return self

    def take(self, asked: Asked) -> Reply | None:
        """The next answer, if this is of the sort and there is one."""
        if not self._fits(asked):
            return None
        return self.left.popleft() if self.left else self._always


class ScriptedAnswers(Answers):
    """Answers from a script, in turn; `when` adds answers by what is asked, which go first.

    It is the `elicitation_callback` of a client, its `wait_for` is that of a host, and it is a context manager around
    the test: leaving the block checks that every question found its answer, and every answer its question.

    >>> from elicitkit.testing import accept, decline
    >>> with ScriptedAnswers([accept(name="Ada"), decline()]) as answers:
    ...     answers.left
    ...     answers.skip()
    2

    Args:
        answers: What is answered in turn: results, functions of the question (`never` is one), or errors (`fail`).
        otherwise: What answers a question when the script has nothing for it, such as `RandomAnswers`.
    """

    def __init__(self, answers: Iterable[Reply] = (), *, otherwise: Answers | Reply | None = None) -> None:
        super().__init__()
        self._in_turn = deque(_reply(number, given) for number, given in enumerate(answers, 1))
        self._whens: list[When] = []
        self._otherwise = otherwise
        self._unanswered: list[Asked] = []

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

    def when(
        self,
        message: Text | None = None,
        /,
        *,
        field: str | None = None,
        key: str | None = None,
        url: Text | None = None,
        tool: str | None = None,
    ) -> When:
        """Answer a sort of questions by themselves: those that are all of what is named here.

            answers.when("Which size?").then(accept(size="XXL"), accept(size="M"))
            answers.when(field="email").always(accept(email="ada@example.com"))

        A question that is asked again is the same one. Where several fit, the first that has an answer left gives it.

        Args:
            message: What is asked, or a pattern to search for in it.
            field: A field of the form, by its wire name.
            key: What the wire calls the question: in a round trip of 2026-07-28 the author's `key=`, if any.
            url: The link, or a pattern to search for in it.
            tool: The tool that asks, at a host.
        """

        def fits(asked: Asked) -> bool:
            return (
                (message is None or says(message, asked.question))
                and (field is None or field in asked.names)
                and (key is None or key == asked.key.partition(TRY)[0])
                and (url is None or (asked.url is not None and says(url, asked.url)))
                and (tool is None or tool == asked.tool)
            )

        self._whens.append(When(fits))
        return self._whens[-1]

    async def answer(self, asked: Asked) -> Sent:
        """Answer one question; when the script has nothing for it, with an error, which `finish` then raises too."""
        reply = self._next(asked)
        if isinstance(reply, Answers):
            return await reply.answer(asked)
        if reply is not None:
            return await sent(reply, asked)
        self._unanswered.append(asked)
        return fail(f"no scripted answer is left for this question: {asked}")

    def _next(self, asked: Asked) -> Answers | Reply | None:
        for when in self._whens:
            if (reply := when.take(asked)) is not None:
                return reply
        return self._in_turn.popleft() if self._in_turn else self._otherwise

    @property
    def left(self) -> int:
        """How many answers were not used yet."""
        return len(self._left)

    @property
    def _left(self) -> list[Reply]:
        return [*self._in_turn, *(reply for when in self._whens for reply in when.left)]

    def skip(self) -> None:
        """Drop the answers that are left, so that they are no fault."""
        for left in (self._in_turn, *(when.left for when in self._whens)):
            left.clear()

    def finish(self) -> None:
        """Check that questions and answers came out even.

        Raises:
            ScriptError: If they did not; the text shows the questions nobody expected, or which answers are left.
        """
        if self._unanswered:
            raise ScriptError(self._told_unanswered())
        if left := self._left:
            were = "was" if len(left) == 1 else "were"
            which = ", ".join(map(named, left))
            raise ScriptError(f"{_counted(len(left), 'answer')} of the script {were} never asked for: {which}")

    def _told_unanswered(self) -> str:
        asked = "\n".join(f"  {one}" for one in self._unanswered)
        return f"{_counted(len(self._unanswered), 'question')} found no answer left in the script:\n{asked}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if error is None:
            self.finish()
        elif self._unanswered:  # The test failed of it, in all likelihood.
            error.add_note(self._told_unanswered())


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _reply(number: int, given: Reply) -> Reply:
    """One answer of a script, checked as soon as it is written down.

    Raises:
        ScriptError: If it is none.
    """
    if callable(given) and not inspect.isclass(given):
        return given
    return checked(given, f"answer {number} of the script")


def _parsed(number: int, line: str) -> Mapping[str, Any]:
    try:
        found = _json.loads(line)
    except JSONDecodeError as error:  # Its words hold nothing of the line, which may be private.
        raise ScriptError(f"line {number} of the answers is not JSON: {error.msg}, at column {error.colno}") from None
    if not isinstance(found, dict):
        raise ScriptError(f"line {number} of the answers is not an object")
    return found
