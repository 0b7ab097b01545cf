"""What one call has asked, been told and done once; replaying it brings the call back to where it was.

A journal is pure: it sends nothing and knows no protocol. A question is known by its name: the author's key, else the
digest of what is asked, with a number when the same comes again. An answer is used for the question of its name alone,
and only while the question has the same shape (the same requested schema, the same link); anything else is asked anew.
Under a key the message may be another one: that is logged, as nobody but the author can tell whether it still means the
same; of a yes/no question, which is nothing but its message, the message is part of the shape.
A step is known by its name alone. A question with a time limit has its deadline from when it was asked first.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias, get_args

from . import _json
from .errors import ProtocolError

logger: logging.Logger = logging.getLogger(__name__)

Action: TypeAlias = Literal["accept", "decline", "cancel"]
"""What a person did with a question (specification: Elicitation, "Response Actions")."""

TRY = "~"
"""What stands in a question's name before the number of a try, from the second on."""

_MARK = "elicitkit"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Question:
    """What every question has on its way to a person: it is a `FormQuestion` or a `LinkQuestion`."""

    name: str
    """What the journal and the wire call it; unique in its call."""

    shape: str
    """A fingerprint of what is asked, of the message only where that is all there is; an answer is for no other."""

    message: str

    _: KW_ONLY

    until: float | None = None
    """When it ends, answered or not, in seconds since the epoch."""

    def again(self, attempt: int, message: str) -> Self:
        """The same question in another try, with another name and message."""
        return replace(self, name=f"{self.name}{TRY}{attempt}", message=message)


@dataclass(frozen=True, slots=True)
class FormQuestion(Question):
    """One form on its way to a person."""

    schema: Mapping[str, Any] = field(default_factory=dict)
    """The requested schema."""

    tries: int = 1
    """How often the person may still answer: a road that checks answers asks again by itself."""


@dataclass(frozen=True, slots=True)
class LinkQuestion(Question):
    """One link on its way to a person, who is asked to open it (elicitation, URL mode)."""

    url: str = ""
    elicitation_id: str = ""
    """What a completion notification calls it, in the eras that have those."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a question, unchecked."""

    action: Action
    content: Mapping[str, Any] | None = None
    problem: str | None = None
    """Why the content was not even looked at, as the end of a sentence."""

    is_early: bool = False
    """Whether it came before its question: nobody saw that one yet."""

    is_expired: bool = False
    """Whether it stands for none: the question's time was over."""

    tries: int = 1
    """How many tries it took: more than one where the road asked again by itself."""


EXPIRED = Reply("cancel", is_expired=True)
"""The reply to a question whose time is over."""


@dataclass(frozen=True, slots=True)
class _Answered:
    shape: str | None
    """`None` for an answer that came before its question."""
    reply: Reply


@dataclass(frozen=True, slots=True)
class Inner:
    """Where a tool that drives rounds of its own stands in them; nested in ours, and handed back to it."""

    state: str | None = None
    keys: tuple[str, ...] = ()
    """What it asked in its last round."""

    responses: Mapping[str, Any] = field(default_factory=dict)
    """What it was answered, until it moves on."""


_NOWHERE = Inner()


class Names:
    """The names of the questions and steps of one run: numbered from the second of the same on."""

    __slots__ = ("_questions", "_steps")

    def __init__(self) -> None:
        self._questions: dict[str, int] = {}
        self._steps: dict[str, int] | None = None  # Most calls have none.

    def question(self, base: str) -> str:
        """Name a question by its key or digest."""
        return _numbered(base, self._questions)

    def step(self, base: str) -> str:
        """Name a step by what its author calls it."""
        if self._steps is None:
            self._steps = {}
        return _numbered(base, self._steps)


class Journal:
    """The questions, answers and steps of one call, across its rounds.

    Args:
        clock: What gives the time, in seconds since the epoch.
    """

    __slots__ = (  # A parked task keeps one in memory.
        *("_answers", "_asked", "_call_id", "_clock", "_deadlines", "_early", "_keyed", "_said", "_steps", "_used"),
        *("inner", "names", "rounds"),
    )

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._call_id: str | None = None
        self.rounds: int = 0
        """How many rounds of questions were sent."""
        self.inner: Inner = _NOWHERE
        """The rounds that the tool drives itself, beside ours."""
        self._clock = clock or now
        self._answers: dict[str, _Answered] = {}
        self._asked: dict[str, str] = {}
        self._deadlines: dict[str, float] = {}
        self._steps: dict[str, str] = {}
        self._early: dict[str, Reply] = {}
        self.names: Names = Names()
        """The names of this run, so far."""
        self._keyed: dict[str, None] = {}
        self._said: dict[str, str] = {}
        """The fingerprint of the message of each question with a key that was asked."""
        self._used: dict[str, None] = {}

    @property
    def call_id(self) -> str:
        """A random id of the call, the same in all its rounds: 32 hexadecimal digits."""
        if self._call_id is None:
            self._call_id = secrets.token_hex(16)
        return self._call_id

    # --- one run of the call -----------------------------------------------------------------------------------------

    def name(self, digest: str, key: str | None) -> str:
        """Name a question: its key or digest, numbered from the second of the same on. A replay names alike."""
        name = self.names.question(key or digest)
        if key:
            self._keyed[name] = None
        return name

    def step_name(self, name: str) -> str:
        """Name a step: as its author does, numbered from the second of the same on."""
        return self.names.step(name)

    def step(self, name: str) -> str | None:
        """What a step gave, as JSON text, if it was finished."""
        return self._steps.get(name)

    def keep_step(self, name: str, given: str) -> None:
        """Keep what a step gave, as JSON text."""
        self._steps[name] = given

    def deadline(self, name: str, seconds: float) -> float:
        """When a question ends: so many seconds after this was asked first, in all replays."""
        return self._deadlines.setdefault(name, self._clock() + seconds)

    def seconds_left(self, question: Question) -> float | None:
        """How much time a question has left, never less than 0; `None` for one without a time limit."""
        return None if question.until is None else max(0.0, question.until - self._clock())

    def reply_to(self, question: Question) -> Reply | None:
        """The answer to a question, if there is one; a question whose time is over has one.

        An answer that came before its question, which only one with a key can, is given once in a run: who asks for it
        again found that it does not fit.
        """
        name = question.name
        if name in self._keyed and name in self._early:
            self._answers.setdefault(name, _Answered(None, self._early.pop(name)))
        answered = self._answers.get(name)
        if answered is not None and self._is_usable(answered, question):
            self._used[name] = None
            return replace(answered.reply, is_early=answered.shape is None)
        self._answers.pop(name, None)
        return EXPIRED if self.seconds_left(question) == 0 else None

    def _is_usable(self, answered: _Answered, question: Question) -> bool:
        if answered.shape is None:
            return question.name not in self._used
        if answered.shape != question.shape:
            logger.warning("question %r is another one since it was answered; it is asked anew", question.name)
            return False
        if (said := self._said.get(question.name)) is not None and question.name not in self._used:
            warn_of_another_message(question.name, said, fingerprint(question.message))
        return True

    def note(self, question: Question) -> None:
        """Keep that a question is being asked."""
        self._asked[question.name] = question.shape
        if question.name.partition(TRY)[0] in self._keyed:  # The name of any other says what its message is.
            self._said[question.name] = fingerprint(question.message)

    def end_round(self) -> None:
        """Count the round that is about to be sent, and log a replay that went another way."""
        self.rounds += 1
        if unused := self._answers.keys() - self._used.keys():
            logger.warning(
                "a replayed call asked %s and never came to %s, which had been answered",
                sorted(self._asked),
                sorted(unused),
            )

    @property
    def known(self) -> set[str]:
        """The names of all questions that were answered and of all steps that were done, in any run."""
        return {*self._answers, *self._steps}

    # --- between runs ------------------------------------------------------------------------------------------------

    def receive(self, replies: Mapping[str, Reply]) -> None:
        """Take answers. Those to questions of the last round are kept; others wait for a question of that name.

        One that comes after its question's deadline is not kept: what stays is that the time was over.
        """
        for name, reply in replies.items():
            if (shape := self._asked.pop(name, None)) is not None:
                self._answers[name] = _Answered(shape, EXPIRED if self._is_over(name) else reply)
            elif name not in self._answers:
                self._early[name] = reply
        self._asked.clear()

    def _is_over(self, name: str) -> bool:
        until = self._deadlines.get(name.partition(TRY)[0])
        return until is not None and self._clock() >= until

    def is_asked(self, name: str) -> bool:
        """Tell whether the last round had a question of that name."""
        return name in self._asked

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked, answered, done or given out yet."""
        return not (self.rounds or self._answers or self._asked or self._steps or self._call_id)

    def write(self) -> str:
        """Write the journal as the text that travels in `requestState`."""
        # The standard library's JSON, because a wrong answer may hold what stricter writers refuse, and is kept too.
        answers = {name: _entry(answered) for name, answered in self._answers.items()}
        state = {_MARK: _VERSION, "call": self.call_id, "rounds": self.rounds, "answers": answers, "asked": self._asked}
        if self._deadlines:
            state["deadlines"] = self._deadlines
        if self._said:
            state["said"] = self._said
        if self._steps:
            state["steps"] = {name: json.loads(given) for name, given in self._steps.items()}
        if self.inner != _NOWHERE:
            state["inner"] = [self.inner.state, self.inner.keys, self.inner.responses]
        return json.dumps(state, separators=(",", ":"))

    @classmethod
    def read(cls, state: str) -> Journal | None:
        """Read what `write` wrote; `None` when it is the state of somebody else.

        Raises:
            ProtocolError: If it has our mark, and is not one of ours as a whole.
        """
        try:
            found = json.loads(state)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or _MARK not in found:
            return None
        journal = cls()
        try:
            journal._fill(found)
        except (KeyError, TypeError, ValueError) as error:
            raise ProtocolError(f"the state of the call is not one that this version wrote: {error!r}") from error
        return journal

    def _fill(self, found: Mapping[str, Any]) -> None:
        if found[_MARK] != _VERSION:
            raise ValueError(f"version {found[_MARK]!r}")
        self._call_id = _of(str, found["call"])
        self.rounds = _of(int, found["rounds"])
        self._answers = {name: _answered(*entry) for name, entry in _of(dict, found["answers"]).items()}
        self._asked = {name: _of(str, shape) for name, shape in _of(dict, found["asked"]).items()}
        self._deadlines = {name: _of(float, until) for name, until in _of(dict, found.get("deadlines", {})).items()}
        self._said = {name: _of(str, said) for name, said in _of(dict, found.get("said", {})).items()}
        self._steps = {name: json.dumps(given) for name, given in _of(dict, found.get("steps", {})).items()}
        state, keys, responses = found.get("inner", (None, [], {}))
        inner_keys = tuple(_of(str, key) for key in _of(list, keys))
        self.inner = Inner(None if state is None else _of(str, state), inner_keys, _of(dict, responses))


_EXPIRED_ACTION = "expired"
"""What stands in a written journal for an answer that did not come in time."""


def _entry(answered: _Answered) -> list[Any]:
    reply = answered.reply
    return [answered.shape, _EXPIRED_ACTION if reply.is_expired else reply.action, reply.content, reply.problem]


def _answered(shape: object, action: object, content: object, problem: object) -> _Answered:
    kept_shape = None if shape is None else _of(str, shape)
    if action == _EXPIRED_ACTION:
        return _Answered(kept_shape, EXPIRED)
    if action not in get_args(Action):
        raise ValueError(f"action {action!r}")
    kept = None if content is None else _of(dict, content)
    why = None if problem is None else _of(str, problem)
    return _Answered(kept_shape, Reply(action, kept, why))  # type: ignore[arg-type]  # it is an `Action`


def fingerprint(message: str) -> str:
    """A fingerprint of a message."""
    return _json.digest({"message": message})


def warn_of_another_message(name: str, asked: str, now: str) -> None:
    """Log that an answer is used for a question that says something else than the one it was given to.

    Args:
        name: The name of both.
        asked: The fingerprint of the message that the person saw.
        now: That of the message now.
    """
    if asked != now:
        logger.warning(
            "the answer to question %r is used, though its message is another one now (%s, and %s when it was asked): "
            "its key says that both are the same question",
            name,
            now,
            asked,
        )


def _numbered(base: str, seen: dict[str, int]) -> str:
    seen[base] = seen.get(base, 0) + 1
    return base if seen[base] == 1 else f"{base}#{seen[base]}"


def now() -> float:
    """The time by which journals judge deadlines, in seconds since the epoch."""
    return time.time()


def _of(kind: type[Any], value: object) -> Any:
    """*value*, if it is of that type and no subtype."""
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    return value
