"""`Progress`: how far a call has come between two of its requests. It does no I/O, and survives as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from mcp_types import ElicitResult
from pydantic import ValidationError

from ..bridge import answer_to_elicit_result
from ..errors import ContractError
from ..limits import ROUNDS
from ..suspension import Answer, Request

VERSION: Final = 1
"""What the state of a call is written as; another number is another release's."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a round, and the key its answer goes back under.

    A link of the error -32042 has no key: it is opened before the call is made again, and no answer is sent.
    """

    key: str | None
    request: Request


@dataclass(frozen=True, slots=True)
class Progress:
    """What the next request of a call is made of, and what is to be answered before it."""

    call: str
    """The id of the call, the same after a restart."""

    rounds: int = 0
    """How many rounds of questions there were."""

    request_state: str | None = None
    """The server's own state, given back untouched."""

    answers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What goes with the next request: results by key, as they are on the wire."""

    questions: tuple[Question, ...] = ()
    """What is still to be answered before it, in this order."""

    task: str | None = None
    """The id of the task that the call became; its answers go there, and no request is made again."""

    has_opened: bool = False
    """Whether links were opened, which is done once in a call."""

    def asked(self, questions: Iterable[Question], *, answers: Mapping[str, Any], state: str | None) -> Self:
        """After a round came in: its questions, and the answers that needed nobody."""
        rounds = self.rounds + 1 if self.task is None else self.rounds
        return replace(self, rounds=rounds, questions=tuple(questions), answers=dict(answers), request_state=state)

    def blocked(self, links: Iterable[Request]) -> Self:
        """After the error -32042: the same request is made again when the links were opened."""
        return replace(self, questions=tuple(Question(None, link) for link in links), has_opened=True)

    def answered(self, question: Question, answer: Answer) -> Self:
        """With one question less to answer."""
        questions = tuple(one for one in self.questions if one is not question)
        if question.key is None:
            return replace(self, questions=questions)
        sent = sent_back(question.request, answer).model_dump(mode="json", by_alias=True, exclude_none=True)
        return replace(self, questions=questions, answers={**self.answers, question.key: sent})

    def responses(self) -> dict[str, Any] | None:
        """The answers as models of the SDK; `None` for a request without any."""
        return {key: ElicitResult.model_validate(sent) for key, sent in self.answers.items()} or None

    def to_state(self) -> dict[str, Any]:
        """All of it as JSON, but for the request of the first question, which the caller keeps."""
        first, *others = self.questions
        return {
            "version": VERSION,
            "call": self.call,
            "rounds": self.rounds,
            "requestState": self.request_state,
            "answers": dict(self.answers),
            "key": first.key,
            "others": [{"key": one.key, "request": one.request.to_dict()} for one in others],
            "task": self.task,
            "hasOpened": self.has_opened,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], request: Request) -> Self:
        """Read what `to_state` gave, with the request of the first question.

        Raises:
            ContractError: If it is something else; with the key.
        """
        if (found := _fault_in(state)) is not None:
            raise ContractError(f"the state of the pending call is not one that this release wrote: {found}")
        others = [Question(one["key"], Request.from_dict(one["request"])) for one in state["others"]]
        return cls(
            state["call"],
            rounds=state["rounds"],
            request_state=state["requestState"],
            answers=state["answers"],
            questions=(Question(state["key"], request), *others),
            task=state["task"],
            has_opened=state["hasOpened"],
        )


def sent_back(request: Request, answer: Answer) -> ElicitResult:
    """What goes back to the server. The consent to a link has no content (2026-07-28, "Elicitation", URL mode)."""
    if request.kind == "authorization" and answer.ok:
        return ElicitResult(action="accept")
    return answer_to_elicit_result(answer)


def _fault_in(state: Mapping[str, Any]) -> str | None:
    """The first key that is not as it was written, and why."""
    for key, is_right in _SHAPE.items():
        if key not in state:
            return f"it has no {key!r}"
        if not is_right(state[key]):
            return f"{key!r} holds something else"
    return None


def _is_results(value: object) -> bool:
    try:
        return isinstance(value, Mapping) and all(ElicitResult.model_validate(one) for one in value.values())
    except ValidationError:
        return False


def _is_question(value: object) -> bool:
    if not isinstance(value, Mapping) or not {"key", "request"} <= value.keys():
        return False
    return isinstance(value["key"], str | None) and isinstance(value["request"], Mapping)


_SHAPE: Final[Mapping[str, Callable[[Any], bool]]] = {
    "version": lambda value: type(value) is int and value == VERSION,
    "call": lambda value: isinstance(value, str),
    "rounds": lambda value: type(value) is int and 0 <= value <= ROUNDS,
    "requestState": lambda value: isinstance(value, str | None),
    "answers": _is_results,
    "key": lambda value: isinstance(value, str | None),
    "others": lambda value: isinstance(value, list | tuple) and all(map(_is_question, value)),
    "task": lambda value: isinstance(value, str | None),
    "hasOpened": lambda value: isinstance(value, bool),
}
