"""`question`: the tool a model asks people with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from .._json import frozen, thawed
from ..errors import ToolError
from ..limits import MESSAGE_CHARACTERS
from ..suspension import Answer, Pending, pending
from .arguments import ArgumentCheck
from .tools import ToolContext

_QUESTION: Final = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "header": {"type": "string", "description": "A word or two to stand above the question"},
        "options": {"type": "array", "items": {"type": "string"}, "description": "What to choose from"},
        "multiple": {"type": "boolean", "description": "Whether more than one option may be chosen"},
    },
    "required": ["question"],
}
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "questions": {"type": "array", "description": "Questions to ask", "items": _QUESTION, "minItems": 1},
    },
    "required": ["questions"],
    "additionalProperties": False,
}


class QuestionTool:
    """Lets a model ask its person one or more questions, in the words of other hosts that keep the contract.

    They become a request of the kind `question`, with the questions in its data, and a prompt that has each on a line,
    with its options behind it. The model is told the data of the answer as JSON; `{"output": "…"}` alone, by which a
    host gives a text of its own, as that text.

    Args:
        name: What the model calls it.
    """

    def __init__(self, name: str = "question") -> None:
        self.name = name
        self.description = "Ask the person you work for one or more questions, and wait for the answer."
        self.input_schema: Mapping[str, Any] = frozen(_SCHEMA)
        self._check = ArgumentCheck(name, _SCHEMA)

    def __repr__(self) -> str:
        return f"QuestionTool({self.name!r})"

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str | Pending:
        """Ask, or tell what was answered.

        Raises:
            ToolError: If the questions are none, or longer than a prompt may be.
        """
        if context.answer is not None:
            return answer_text(context.answer)
        self._check.require_fit(arguments)
        questions = arguments["questions"]
        prompt = question_prompt(questions)
        if len(prompt) > MESSAGE_CHARACTERS:
            raise ToolError(f"The questions have {len(prompt):,} characters, and may have {MESSAGE_CHARACTERS:,}.")
        if not all(one["question"].strip() for one in questions):
            raise ToolError("One of the questions is blank.")
        return pending(prompt, kind="question", data={"questions": questions})


def question_prompt(questions: list[Mapping[str, Any]]) -> str:
    r"""The questions as a person reads them, one to a line. All hosts of the contract write the same.

    >>> question_prompt([{"question": "Which?", "options": ["a", "b"]}, {"question": "Why?"}])
    'Which? (options: a, b)\nWhy?'
    """
    return "\n".join(map(_line, questions))


def answer_text(answer: Answer) -> str:
    """What the model is told of an answer: its data as JSON, or the text that a host gives as `output`."""
    data = thawed(answer.data or {})
    if data.keys() == {"output"} and isinstance(data["output"], str):
        return str(data["output"])
    return json.dumps(data, ensure_ascii=False)


def _line(question: Mapping[str, Any]) -> str:
    options = question.get("options")
    return f"{question['question']} (options: {', '.join(options)})" if options else str(question["question"])


question: Final = QuestionTool()
"""The tool itself, to be given to a `Toolkit`."""
