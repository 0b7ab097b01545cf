"""What is wrong with an `ElicitResult`, without what the person typed."""

from __future__ import annotations

from pydantic import ValidationError

from ..safety import plain_line


def result_problem(error: ValidationError) -> str:
    """The problem of a result, as a sentence; an action that does not exist is named, and no content ever."""
    wrong = error.errors(include_url=False)[0]
    is_action = wrong["loc"] == ("action",) and wrong["type"] != "missing" and isinstance(wrong["input"], str)
    got = f", not {plain_line(wrong['input'], limit=40)!r}" if is_action else ""
    where = ".".join(str(part) for part in wrong["loc"][:1]) or "the top"
    return (
        "The client answered a question with something the protocol does not allow, at "
        f"{where}: an ElicitResult has the action accept, decline or cancel{got}, and flat content."
    )
