"""`RandomAnswers`: right answers to any form, and wrong ones on purpose; the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from mcp_types import ElicitResult

from ..errors import AnswerError, ElicitkitError, ScriptError
from ..fields import Field, UnknownField
from ..forms import Content, Form, FormSource
from .answers import Answers, Sent, accept, cancel, decline
from .asked import Asked
from .values import right_value
from .wrong import ABSENT, WrongAnswer, wrong_values

_TRIES = 200
"""How often an answer is made anew when a form's own checks refuse it."""

_LEFT_OUT, _CLEARED = 0.2, 0.15
"""How often an optional field is left out, and answered with `null`."""


class RandomAnswers(Answers):
    """Answers any question with something that fits, as a person might: optional fields are left out at times.

    What is answered depends on the seed, the question and how often it was asked, and on nothing else: not on the order
    of the questions. It is the `elicitation_callback` of a client; its `wait_for` is that of a host.

    On 2025-06-18 a multiple choice is asked as a yes or no for each option, and how many may be chosen stands there in
    words alone: such a form may be answered wrongly.

    >>> from elicitkit import FormElicitation
    >>> form = FormElicitation.create("Which size?").choice("size").options(["S", "M"]).required()
    >>> RandomAnswers(1).content(form) in ({"size": "S"}, {"size": "M"})
    True

    Args:
        seed: What makes it random.
        wrong_first: How many wrong answers each question gets before a right one; `elicit` takes two by default, and
            gives up at the third.
        refuses: How often a question is declined or cancelled, between 0 and 1.
        nulls: Whether optional fields are answered with `null` at times, as a person who clears one does. Servers that
            are not written with elicitkit may refuse that.
    """

    def __init__(self, seed: int = 0, *, wrong_first: int = 0, refuses: float = 0.0, nulls: bool = True) -> None:
        super().__init__()
        self._seed = seed
        self._wrong_first = wrong_first
        self._refuses = refuses
        self._nulls = nulls
        self._times: Counter[str] = Counter()

    def content(self, form: FormSource[Any]) -> dict[str, Any]:
        """An answer that the form accepts, `validate` functions and all, by wire names; another one each time.

        Raises:
            ScriptError: If there is none: a required field cannot be answered, or the form's own checks refuse
                whatever is tried.
        """
        built = form.build()
        random = self._random(built.digest())
        refusal: AnswerError | None = None
        for attempt in range(1, _TRIES + 1):
            content = self._filled(built, random, with_nulls=self._nulls and attempt <= _TRIES // 2)
            try:
                built.accept(content)
                return content
            except AnswerError as error:
                refusal = error
        raise ScriptError(f"no answer was found in {_TRIES} tries that the form's own checks accept: {refusal}")

    def wrong(self, form: FormSource[Any]) -> list[WrongAnswer]:
        """Answers that the form refuses: one for each constraint of each field, right in all else.

            @pytest.mark.parametrize("wrong", RandomAnswers(1).wrong(form), ids=str)
            def test_it_is_refused(wrong):
                with pytest.raises(AnswerError):
                    form.check(wrong.content)

        Raises:
            ScriptError: As `content` does.
        """
        built = form.build()
        random = self._random(f"wrong {built.digest()}")
        return [wrong for field in built.fields for wrong in self._wrong(built, field, random)]

    def _wrong(self, form: Form[Any], field: Field, random: Random) -> Iterator[WrongAnswer]:
        for breaks, value in wrong_values(field, random):
            content = {**self.content(form), field.name: value}
            if value is ABSENT:
                del content[field.name]
            yield WrongAnswer(field.name, breaks, content)

    def _filled(self, form: Form[Any], random: Random, *, with_nulls: bool) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for field in form.fields:
            if isinstance(field, UnknownField) and not field.required:
                continue
            value = _value(field, random, with_nulls=with_nulls)
            if value is not ABSENT:
                content[field.name] = value
        return content

    def _random(self, question: str) -> Random:
        self._times[question] += 1
        return Random(f"{self._seed} {self._times[question]} {question}")

    async def answer(self, asked: Asked) -> Sent:
        """Answer one question. A form that cannot be answered, or read, is cancelled, as a host would."""
        about = f"asked {asked.question}"
        random = self._random(about)
        if random.random() < self._refuses:
            return random.choice((decline, cancel))()
        if asked.url is not None or not asked.schema:
            return accept()
        try:
            return ElicitResult(action="accept", content=self._content(asked.form, self._times[about]))
        except ElicitkitError:
            return cancel()

    def _content(self, form: Form[Content], time: int) -> dict[str, Any]:
        if time <= self._wrong_first and (wrong := self.wrong(form)):
            return dict(wrong[(time - 1) % len(wrong)].content)
        return self.content(form)


def _value(field: Field, random: Random, *, with_nulls: bool) -> object:
    """A right value for a field, or `ABSENT` where it may be left out."""
    chance = random.random()
    if isinstance(field, UnknownField):
        return right_value(field, random)
    if chance < _LEFT_OUT and (not field.required or field.default is not None):
        return ABSENT
    if chance > 1 - _CLEARED and with_nulls and not field.required:
        return None
    try:
        return right_value(field, random)
    except ScriptError:
        if field.required:
            raise
        return ABSENT
