"""What a class says when it refuses an answer: which member is wrong, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core.core_schema import ErrorType

from ..errors import AnswerError

UNSAID = "is not what the type allows"
"""What a person is told when a class gives no words of its own, or none that may be shown."""


class Misfit(ValueError):
    """A value that does not fit its member, in our own words."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing a class refuses."""

    member: str
    """The name of the member, as the class says it; empty for the whole."""

    words: str
    """The end of a sentence that starts with what a person calls the member."""

    may_quote: bool = True
    """Whether the words are a stranger's, and may hold what was typed."""


def refusals(error: Exception) -> Sequence[Refusal]:
    """What an error of a class, its validators or our converters refuses."""
    match error:
        case Misfit():
            return [Refusal("", str(error), may_quote=False)]
        case AnswerError():
            return [Refusal(fault.field, fault.problem) for fault in error.faults]
        case ValidationError():
            return [refusal for one in error.errors(include_url=False) for refusal in _of_pydantic(one)]
        case AssertionError():
            return [Refusal("", _said(error) or UNSAID)]
        case ValueError():
            return [Refusal("", str(error) or UNSAID)]
        case _:
            return []


def _said(error: AssertionError) -> str:
    """The message of an `assert`, without what pytest writes behind it where it rewrites them."""
    message, _, _ = f"\n{error}".partition("\nassert ")
    return message.strip()


_OF_VALIDATORS = ("value_error", "assertion_error")
_TEMPLATES = frozenset(get_args(ErrorType)) - {*_OF_VALIDATORS, "union_tag_invalid"}
"""The errors whose words are pydantic's own, made from the constraint and never from the input."""

_SUBJECT = re.compile(r"^[A-Za-z]+ (?:input )?should ")
_VALUE = re.compile(r"^value (?=is )")


def _of_pydantic(one: Any) -> Iterator[Refusal]:
    member = str(one["loc"][0]) if one["loc"] else ""
    raised = one.get("ctx", {}).get("error")
    if isinstance(raised, Exception) and one["type"] in _OF_VALIDATORS:
        for nested in refusals(raised):
            yield Refusal(member or nested.member, nested.words, nested.may_quote)
    elif one["type"] == "missing":
        yield Refusal(member, "is required", may_quote=False)
    else:
        is_made_up = one["type"] not in _TEMPLATES or raised is not None
        yield Refusal(member, _VALUE.sub("", _SUBJECT.sub("must ", one["msg"])), may_quote=is_made_up)
