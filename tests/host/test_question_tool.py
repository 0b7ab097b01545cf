"""`question`: the tool a model asks people with (issue 5, point 5), compatible with other hosts of the contract."""

from typing import Any

import pytest

from elicitkit import Toolkit, ToolResult, question
from elicitkit.host.question_tool import QuestionTool
from elicitkit.limits import MESSAGE_CHARACTERS
from tests.host.calling import Person, call, declining

pytestmark = pytest.mark.anyio

QUESTIONS = [
    {"question": "Which colour?", "header": "Colour", "options": ["red", "blue"], "multiple": True},
    {"question": "Warum, Ärger?"},
]


async def test_the_questions_become_one_request() -> None:
    """The prompt and the data are what `toolnexus` writes for the same questions."""
    result = await call(question, {"questions": QUESTIONS})

    assert result.request is not None
    assert result.request.kind == "question"
    assert result.request.prompt == "Which colour? (options: red, blue)\nWarum, Ärger?"
    assert result.request.data is not None
    assert result.request.data["questions"] == QUESTIONS


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"answers": [["red"], ["ärgerlich"]]}, '{"answers": [["red"], ["ärgerlich"]]}'),
        ({"output": "They want red."}, "They want red."),
        ({"output": "x", "more": 1}, '{"output": "x", "more": 1}'),
        ({"output": 7}, '{"output": 7}'),
        (None, "{}"),
    ],
)
async def test_the_answer_comes_back_as_text_for_the_model(data: Any, text: str) -> None:
    assert await call(question, {"questions": QUESTIONS}, wait_for=Person(data)) == ToolResult(text)


async def test_a_person_who_does_not_answer_is_an_error_for_the_model() -> None:
    result = await call(question, {"questions": [{"question": "Why?"}]}, wait_for=declining)

    assert result == ToolResult.error("declined/expired: Why?")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, '"questions" is a required property'),
        ({"questions": []}, "questions: "),
        ({"questions": "Why?"}, 'questions: what was given is not of type "array"'),
        ({"questions": ["Why?"]}, 'questions.0: what was given is not of type "object"'),
        ({"questions": [{}]}, 'questions.0: "question" is a required property'),
        ({"questions": [{"question": 7}]}, "questions.0.question: "),
        ({"questions": [{"question": "Why?", "options": [1]}]}, "questions.0.options.0: "),
        ({"questions": [{"question": " "}]}, "One of the questions is blank"),
        ({"questions": [{"question": "x" * (MESSAGE_CHARACTERS + 1)}]}, "have 10,001 characters, and may have 10,000"),
        ({"questions": [{"question": "Why?"}], "more": 1}, "Additional properties"),
    ],
)
async def test_questions_that_cannot_be_asked_are_told_to_the_model(arguments: dict[str, Any], problem: str) -> None:
    person = Person()

    result = await call(question, arguments, wait_for=person)

    assert result.is_error
    assert problem in result.output
    assert not person.asked


async def test_questions_of_just_the_longest_prompt_are_asked() -> None:
    result = await call(question, {"questions": [{"question": "x" * MESSAGE_CHARACTERS}]})

    assert result.pending is not None


async def test_it_may_have_another_name() -> None:
    kit = Toolkit([question, QuestionTool("ask_user")])

    assert [info.name for info in kit.tools] == ["question", "ask_user"]
