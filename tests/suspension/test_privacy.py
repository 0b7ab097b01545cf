"""No text or `repr` ever has what a person typed (design, section 5), nor the link that lets them in."""

import json
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from elicitkit import Answer, ContractError, ElicitkitError, Request

TYPED = "hunter2 is O'Brien's"
WRITTEN = json.dumps({"id": "r1", "ok": True, "data": {"it": TYPED}})


def shown(fail: Callable[[], object]) -> str:
    """Everything that may be written somewhere of an error."""
    with pytest.raises((TypeError, ElicitkitError)) as caught:
        fail()
    error = caught.value
    assert (error.__context__, error.__cause__) == (None, None)
    return f"{error}\n{error!r}\n{error.args!r}\n{''.join(traceback.format_exception_only(error))}"


@pytest.mark.parametrize(
    "show",
    [repr, str, "{0}".format, "{0!r}".format, lambda answer: repr([answer])],
    ids=["repr", "str", "f", "!r", "list"],
)
def test_an_answer_never_shows_its_data(show: Callable[[Any], str]) -> None:
    answer = Answer("r1", ok=True, data={"it": TYPED, TYPED: 1})

    assert TYPED not in show(answer)
    assert "r1" in show(answer)


def test_a_request_shows_neither_its_link_nor_its_data() -> None:
    request = Request("r1", "authorization", "Log in", "https://example.com/?code=s3cret", {"state": "s3cret"})

    assert repr(request) == "Request(id='r1', kind='authorization', prompt='Log in', expires_at=None)"


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN[:-1],
        WRITTEN + TYPED,
        WRITTEN.replace('"r1"', "1"),
        WRITTEN.replace("true", f'"{TYPED}"'),
        WRITTEN.replace("hunter2", "\\ud800"),
        json.dumps({"id": "r1", "ok": True, "data": [TYPED]}),
        json.dumps({"id": "r1", "ok": True, "data": TYPED}),
        json.dumps({"id": "r1", "ok": True, "data": {"it": TYPED * 50_000}}),
        json.dumps({"id": "r1", "ok": True, "data": {"it": float("nan"), "that": TYPED}}),
        WRITTEN.encode("utf-16")[:-1],
        json.dumps([TYPED]),
        json.dumps(TYPED),
    ],
    ids=["cut", "more", "id", "ok", "half", "list", "text", "large", "NaN", "no UTF-8", "lone list", "lone text"],
)
def test_no_error_of_reading_shows_what_was_read(text: str | bytes) -> None:
    told = shown(lambda: Answer.from_json(text))

    assert "hunter2" not in told
    assert "O'Brien" not in told


@pytest.mark.parametrize(
    "data",
    [
        TYPED,
        [TYPED],
        {"it": {TYPED}},
        {"it": TYPED.encode()},
        {"it": float("inf"), "that": TYPED},
        {5: TYPED},
        {"it": 7 * 10**5_000},
    ],
)
def test_no_error_of_making_shows_what_was_typed(data: Any) -> None:
    told = shown(lambda: Answer("r1", ok=True, data=data))

    assert TYPED not in told
    assert "inf" not in told.replace("finite", "")
    assert "777" not in told


def test_an_error_of_reading_says_where() -> None:
    with pytest.raises(ContractError, match=r"^an answer is not JSON: .+, at line 1, column 2$"):
        Answer.from_json("{nope}")
