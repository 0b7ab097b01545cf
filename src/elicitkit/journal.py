"""What one call has asked and been told; replaying it brings the call back to where it was.

A journal is pure: it sends nothing and knows no protocol. A question is known by its name: the author's key, else the
digest of what is asked, with a number when the same comes again. An answer is used for the question of its name alone,
and only while the question has the same shape (the same requested schema); anything else is asked anew.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from .errors import ProtocolError

logger = logging.getLogger(__name__)

Action: TypeAlias = Literal["accept", "decline", "cancel"]
"""What a person did with a question (specification: Elicitation, "Response Actions")."""

_MARK = "elicitkit"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Question:
    """One form on its way to a person."""

    name: str
    """What the journal and the wire call it; unique in its call."""

    shape: str
    """A fingerprint of the requested schema alone."""

    message: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a question, unchecked."""

    action: Action
    content: Mapping[str, Any] | None = None
    problem: str | None = None
    """Why the content was not even looked at, as the end of a sentence."""

    is_early: bool = False
    """Whether it came before its question: nobody saw that one yet."""


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


class Journal:
    """The questions and answers of one call, across its rounds."""

    def __init__(self) -> None:
        self.call_id = secrets.token_hex(16)
        """A random id of the call, the same in all its rounds."""
        self.rounds = 0
        """How many rounds of questions were sent."""
        self.inner = Inner()
        """The rounds that the tool drives itself, beside ours."""
        self._answers: dict[str, _Answered] = {}
        self._asked: dict[str, str] = {}
        self._early: dict[str, Reply] = {}
        self._names: Counter[str] = Counter()
        self._keyed: set[str] = set()
        self._used: set[str] = set()

    # --- one run of the call -----------------------------------------------------------------------------------------

    def name(self, digest: str, key: str | None) -> str:
        """Name a question: its key or digest, numbered from the second of the same on. A replay names alike."""
        base = key or digest
        self._names[base] += 1
        name = base if self._names[base] == 1 else f"{base}#{self._names[base]}"
        if key:
            self._keyed.add(name)
        return name

    def reply_to(self, question: Question) -> Reply | None:
        """The answer to a question, if there is one.

        An answer that came before its question, which only one with a key can, is given once in a run: who asks for it
        again found that it does not fit.
        """
        name = question.name
        if name in self._keyed and name in self._early:
            self._answers.setdefault(name, _Answered(None, self._early.pop(name)))
        answered = self._answers.get(name)
        if answered is None:
            return None
        if answered.shape is None:
            if name in self._used:
                del self._answers[name]
                return None
        elif answered.shape != question.shape:
            logger.warning("question %r changed its fields since it was answered; it is asked anew", name)
            del self._answers[name]
            return None
        self._used.add(name)
        return replace(answered.reply, is_early=answered.shape is None)

    def note(self, question: Question) -> None:
        """Keep that a question is being asked."""
        self._asked[question.name] = question.shape

    def end_round(self) -> None:
        """Count the round that is about to be sent, and log a replay that went another way."""
        self.rounds += 1
        if unused := self._answers.keys() - self._used:
            logger.warning(
                "a replayed call asked %s and never came to %s, which had been answered",
                sorted(self._asked),
                sorted(unused),
            )

    # --- between runs ------------------------------------------------------------------------------------------------

    def receive(self, replies: Mapping[str, Reply]) -> None:
        """Take answers. Those to questions of the last round are kept; others wait for a question of that name."""
        for name, reply in replies.items():
            if (shape := self._asked.pop(name, None)) is not None:
                self._answers[name] = _Answered(shape, reply)
            elif name not in self._answers:
                self._early[name] = reply
        self._asked.clear()

    def is_asked(self, name: str) -> bool:
        """Tell whether the last round had a question of that name."""
        return name in self._asked

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked or answered yet."""
        return not (self.rounds or self._answers or self._asked)

    def write(self) -> str:
        """Write the journal as the text that travels in `requestState`."""
        # The standard library's JSON, because a wrong answer may hold what stricter writers refuse, and is kept too.
        answers = {
            name: [a.shape, a.reply.action, a.reply.content, a.reply.problem] for name, a in self._answers.items()
        }
        state = {_MARK: _VERSION, "call": self.call_id, "rounds": self.rounds, "answers": answers, "asked": self._asked}
        if self.inner != Inner():
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
        self.call_id = _of(str, found["call"])
        self.rounds = _of(int, found["rounds"])
        self._answers = {name: _answered(*entry) for name, entry in _of(dict, found["answers"]).items()}
        self._asked = {name: _of(str, shape) for name, shape in _of(dict, found["asked"]).items()}
        state, keys, responses = found.get("inner", (None, [], {}))
        inner_keys = tuple(_of(str, key) for key in _of(list, keys))
        self.inner = Inner(None if state is None else _of(str, state), inner_keys, _of(dict, responses))


def _answered(shape: object, action: object, content: object, problem: object) -> _Answered:
    if action not in get_args(Action):
        raise ValueError(f"action {action!r}")
    kept = None if content is None else _of(dict, content)
    why = None if problem is None else _of(str, problem)
    return _Answered(None if shape is None else _of(str, shape), Reply(action, kept, why))  # type: ignore[arg-type]


def _of(kind: type[Any], value: object) -> Any:
    """*value*, if it is of that type and no subtype."""
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    return value
