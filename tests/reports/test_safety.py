"""What a server must not get a person to type, or a host to hold."""

from typing import Any

import pytest

from elicitkit import Form, FormElicitation, FormError, LimitError, SensitiveFieldError, limits
from elicitkit.bridge import elicitation_to_request
from elicitkit.fields import TextField
from elicitkit.render.terminal.screens import field_head
from elicitkit.render.wording import CREDENTIAL_WARNING, warning
from elicitkit.testing import RandomAnswers, everything_server
from tests import eras
from tests.host.hosting import hosting, text
from tests.render.terminal.person import lone, seated

pytestmark = pytest.mark.anyio

CREDENTIALS = ["api_key", "Passphrase", "pin", "apiKeys", "user-password", "accessToken", "card_number", "SSN", "cvv"]
HARMLESS = ["shipping", "max_tokens", "pin_code", "opinion", "keyboard", "compass", "secretary", "spinner", "tokenizer"]


@pytest.mark.parametrize("name", CREDENTIALS)
def test_r153_a_field_that_sounds_like_a_credential_is_refused_here_and_flagged_in_others(name: str) -> None:
    with pytest.raises(SensitiveFieldError):
        FormElicitation.create("?").string(name).build()
    with pytest.raises(SensitiveFieldError):
        FormElicitation.create("?").string("x").title(name.replace("_", " ")).build()
    assert warning(TextField(name)) == warning(TextField("x", title=name)) == CREDENTIAL_WARNING


@pytest.mark.parametrize("name", HARMLESS)
def test_r153_there_is_no_false_alarm(name: str) -> None:
    FormElicitation.create("?").string(name).build()

    assert warning(TextField(name)) == ""


async def test_r153_the_person_is_warned_and_may_still_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    form = lone({"api_key": {"type": "string"}})
    assert field_head(form.fields[0], position="")
    async with seated(form, monkeypatch) as seat:
        await seat.sees("What now?")
        seat.press("\r")
        screen = " ".join(await seat.sees("do not enter one"))

    assert "looks like a password or key" in screen


OPTIONS = [f"option {number}" for number in range(10_000)]
PROPERTIES: dict[str, Any] = {f"f{number}": {"type": "string"} for number in range(500)}


TOO_LARGE: dict[str, Any] = {
    "a message": lambda: FormElicitation.create("x" * 10_000_000).build(),
    "options": lambda: FormElicitation.create("?").choice("a").options(OPTIONS).build(),
    "options to tick": lambda: FormElicitation.create("?").multi_choice("a").options(OPTIONS).build(),
    "fields": lambda: _many().build(),
    "a schema": lambda: FormElicitation.create("?").string("a").description("x" * limits.SCHEMA_BYTES).build(),
    "their message": lambda: Form.from_schema("x" * 10_000_000, {"properties": {}}),
    "their fields": lambda: Form.from_schema("?", {"properties": PROPERTIES}),
    "their options": lambda: Form.from_schema("?", {"properties": {"a": {"type": "string", "enum": OPTIONS}}}),
    "their items": lambda: Form.from_schema("?", {"properties": {"a": {"type": "array", "items": {"enum": OPTIONS}}}}),
    "their schema": lambda: Form.from_schema("?", {"properties": {"a": {"description": "x" * limits.SCHEMA_BYTES}}}),
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_r155_what_is_larger_than_a_limit_is_refused_before_anything_else(what: str) -> None:
    with pytest.raises(FormError, match=r"may (have|take)"):
        TOO_LARGE[what]()


def _many() -> FormElicitation[Any]:
    form = FormElicitation.create("?")
    for number in range(500):
        form.string(f"f{number}")
    return form


@pytest.mark.parametrize("given", [{"message": "x" * 10_000_001}, {"requestedSchema": {"x": "x" * 200_000}}])
def test_r155_so_is_it_at_a_host(given: dict[str, Any]) -> None:
    with pytest.raises(LimitError, match=r"may (have|take)"):
        elicitation_to_request({"message": "?", "requestedSchema": {"properties": {}}, **given})


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", ["wrong_size", "wrong_count"])
async def test_r155_nobody_is_shown_what_is_too_large(revision: str, tool: str) -> None:
    answers = RandomAnswers(1)
    async with hosting(everything_server(), revision, wait_for=answers.wait_for) as source:
        assert text(await source.call(f"a_{tool}")) == '[{"action": "cancel"}]'

    assert answers.asked == []
