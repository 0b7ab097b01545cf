"""Kinds of requests whose shape is known: one check for all who answer (`docs/inbox-web.md`, "What people see")."""

from typing import Any

import pytest

from elicitkit import AnswerError, ContractError, FormElicitation, Request
from elicitkit.host.checking import Refusal
from elicitkit.host.shapes import fitting, shape_of

ASKED = [
    {"question": "Which colour?", "options": ["red", "blue"]},
    {"question": "Which sizes?", "options": ["s", "l"], "multiple": True},
    {"question": "Why?"},
]
QUESTIONS = Request("r1", "question", "Three things", data={"questions": ASKED})
FORM = FormElicitation.create("Who?").string("name").required().build()


def fitted(request: Request, data: dict[str, Any] | None) -> object:
    return fitting(request, request.accept(data)).data


@pytest.mark.parametrize(
    "data",
    [
        {"answers": ["red", ["s", "l"], "because"]},
        {"answers": [None, None, None]},
        {"answers": ["blue", [], ""]},
        {"output": "a text of the host's own"},
    ],
)
def test_answers_to_questions_pass_as_they_are(data: dict[str, Any]) -> None:
    assert fitted(QUESTIONS, data) == data


def test_what_is_no_answer_is_left_out() -> None:
    assert fitted(QUESTIONS, {"answers": [None, None, "x"], "more": 1}) == {"answers": [None, None, "x"]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, '"answers" must be a list with one answer to each of the 3 questions'),
        ({}, "must be a list"),
        ({"foo": 1}, "must be a list"),
        ({"answers": "red"}, "must be a list"),
        ({"answers": {"0": "red"}}, "must be a list"),
        ({"answers": ["green"]}, "one answer to each of the 3 questions"),
        ({"answers": ["green", None, None]}, "Which colour?: must be one of red, blue"),
        ({"answers": [["red"], None, None]}, "Which colour?: must be one of"),
        ({"answers": [None, "s", None]}, "Which sizes?: must be a list of options"),
        ({"answers": [None, ["x"], None]}, "Which sizes?: may only hold s, l"),
        ({"answers": [None, None, 7]}, "Why?: must be text"),
        ({"output": 7}, "must be a list"),
        ({"output": "x", "answers": "red"}, "must be a list"),
    ],
)
def test_what_does_not_answer_the_questions_is_a_fault(data: dict[str, Any] | None, words: str) -> None:
    with pytest.raises(AnswerError, match=words.replace("?", r"\?")):
        fitted(QUESTIONS, data)


def test_every_wrong_answer_is_told_at_once() -> None:
    with pytest.raises(AnswerError) as error:
        fitted(QUESTIONS, {"answers": ["green", "s", 7]})

    assert [fault.label for fault in error.value.faults] == ["Which colour?", "Which sizes?", "Why?"]
    assert {fault.field for fault in error.value.faults} == {"answers"}


@pytest.mark.parametrize(
    "request_",
    [
        Request("r1", "input", "Who?"),
        Request("r1", "input", "Who?", data={"schema": "none"}),
        Request("r1", "input", "Who?", data={"schema": {"type": "array"}}),
        Request("r1", "question", "Which?"),
        *(
            Request("r1", "question", "Which?", data={"questions": questions})
            for questions in ("?", [], [7], [{"question": 7}], [{"question": "x", "options": [1]}])
        ),
    ],
)
def test_what_has_not_the_shape_of_its_kind_can_only_be_refused(request_: Request) -> None:
    assert isinstance(shape_of(request_), Refusal)
    with pytest.raises(ContractError, match="nobody can answer this"):
        fitted(request_, {"answers": []})
    assert fitting(request_, request_.decline()) == request_.decline()


@pytest.mark.parametrize("data", [None, {"anything": [1]}])
@pytest.mark.parametrize("kind", ["approval", "signature", "questions"])
def test_kinds_of_a_host_s_own_pass(kind: str, data: dict[str, Any] | None) -> None:
    request = Request("r1", kind, "?")

    assert shape_of(request) is None
    assert fitted(request, data) == data


def test_a_form_is_checked_as_ever() -> None:
    request = Request("r1", "input", "Who?", data={"schema": FORM.schema()})

    assert fitted(request, {"name": "Ada", "more": 1}) == {"name": "Ada"}
    with pytest.raises(AnswerError):
        fitted(request, {})
