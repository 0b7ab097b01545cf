"""Safety (design, section 10): credentials are not asked for, text plays no tricks on a terminal, logs quote nobody."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import FormElicitation, FormError, SensitiveFieldError, StoreError
from elicitkit.safety import link_problem, plain, plain_line, trace_of

CREDENTIALS = [
    *("password", "user_password", "PASSWORD", "newPassword", "passWord", "Pass Word", "passwords", "passwd"),
    *("passphrase", "Passphrase", "passcode", "api_key", "apiKey", "APIKey", "API key", "api-keys", "apikey"),
    *("secret", "client_secrets", "access_token", "accessToken", "auth token", "authTokens", "private_key"),
    *("pin", "PIN", "PINs", "enter_pin", "pin_1", "cvv", "CVC", "security_code", "one-time code", "oneTimeCode"),
    *("card_number", "Card Number", "creditCardNumbers", "ssn", "SSN", "pass\u200bword"),
    *(
        "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44",
        "\U0001d429\U0001d422\U0001d427",
        "\uff41\uff50\uff49\uff3f\uff4b\uff45\uff59",
    ),  # wide, bold
]
HARMLESS = [
    *("shipping", "spinning", "opinion", "pinned", "compass", "secretary", "max_tokens", "token", "tokens", "key"),
    *("PIN code", "pin_code", "pinCodes", "card", "number_of_cards", "code", "access", "public_key", "keyboard"),
]


def start() -> FormElicitation[Any]:
    return FormElicitation.create("m")


@pytest.mark.parametrize("starter", ["string", "email", "uri", "date", "date_time", "integer", "number"])
def test_every_text_and_number_field_that_asks_for_a_credential_is_refused(starter: str) -> None:
    with pytest.raises(SensitiveFieldError) as caught:
        getattr(start(), starter)("api_key").build()

    assert isinstance(caught.value, FormError)
    assert [fault.field for fault in caught.value.faults] == ["apiKey"]
    assert ".allow_sensitive()" in str(caught.value)


@pytest.mark.parametrize("name", CREDENTIALS, ids=ascii)
def test_a_credential_is_recognised_in_the_name(name: str) -> None:
    """R153 of the reports."""
    with pytest.raises(SensitiveFieldError):
        start().string(name).build()


@pytest.mark.parametrize("title", CREDENTIALS, ids=ascii)
def test_a_credential_is_recognised_in_the_title(title: str) -> None:
    """R153 of the reports."""
    with pytest.raises(SensitiveFieldError):
        start().string("value").title(title).build()


@pytest.mark.parametrize("name", HARMLESS)
def test_words_that_only_sound_like_one_are_no_credential(name: str) -> None:
    """R153 of the reports."""
    assert start().string(name).title(name).build()


def test_a_preserved_name_is_looked_at_too() -> None:
    with pytest.raises(SensitiveFieldError):
        FormElicitation.create("m", naming="preserve").string("API_KEY").title("Value").build()


def test_a_title_does_not_hide_the_name() -> None:
    with pytest.raises(SensitiveFieldError):
        start().string("password").title("Favourite colour").build()


def test_what_a_description_says_does_not_matter() -> None:
    assert start().string("note").description("Never write your password here").build()


@pytest.mark.parametrize("kind", ["boolean", "choice", "multi_choice"])
def test_a_boolean_and_a_choice_ask_for_no_credential(kind: str) -> None:
    step = getattr(start(), kind)("reset_password")
    step = step if kind == "boolean" else step.options(["now", "later"])

    assert step.build()


@pytest.mark.parametrize("starter", ["string", "integer", "number"])
def test_a_false_alarm_can_be_allowed(starter: str) -> None:
    assert getattr(start(), starter)("pin").allow_sensitive().build()


def test_what_was_allowed_for_one_kind_is_not_for_another() -> None:
    with pytest.raises(SensitiveFieldError):
        start().string("pin").allow_sensitive().integer("pin").build()


def test_a_credential_is_one_fault_among_all() -> None:
    with pytest.raises(SensitiveFieldError) as caught:
        start().string("pin").choice("colour").build()

    assert [fault.field for fault in caught.value.faults] == ["pin", "colour"]


TRICKS: list[tuple[str, str, str]] = [
    ("colours", "\x1b[31mred\x1b[0m", "red"),
    ("a colour of 8-bit terminals", "\x9b31mred", "red"),
    ("the window's title", "\x1b]0;owned\x07ok", "ok"),
    ("a link", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
    ("a device control string", "\x1bPabc\x1b\\ok", "ok"),
    ("a sequence that never ends", "ok\x1b]0;all of this", "ok"),
    ("a sequence cut in two", "\x1b\x00[31mred", "[31mred"),
    ("a lone escape", "a\x1b", "a"),
    ("other controls", "a\x00b\x08c\x7fd\x85e", "abcde"),
    ("bidirectional overrides", "abc\u202ecod.exe\u202c \u2066x\u2069\u200f\u061c", "abccod.exe x"),
    ("half a character", "a\ud800b", "ab"),
    ("a carriage return that hides", "Pay 1\rPay 1000", "Pay 1Pay 1000"),
    ("line breaks and tabs", "Proceed?\r\nWrite:\n\tx", "Proceed?\nWrite:\n\tx"),
    ("markup", "[red]x[/red] <b>y</b>", "[red]x[/red] <b>y</b>"),
    ("a tower of marks", "a" + "\u0301" * 50 + "b", "a" + "\u0301" * 8 + "b"),
    ("a tower of marks, with joiners", "a" + "\u0301\u200d" * 50 + "b", "a" + "\u0301\u200d" * 4 + "b"),
    ("marks as scripts have them", "ཧཱུྃ นี้ שָׁלוֹם", "ཧཱུྃ นี้ שָׁלוֹם"),
    ("letters of any script", "naïve größe 名前 🙂 👩‍💻", "naïve größe 名前 🙂 👩‍💻"),
]


@pytest.mark.parametrize(("text", "shown"), [pytest.param(*row[1:], id=row[0]) for row in TRICKS])
def test_text_for_a_terminal_loses_its_tricks_and_keeps_its_words(text: str, shown: str) -> None:
    """R157 of the reports for the line breaks."""
    assert plain(text) == shown


@given(st.text(st.characters()) | st.text("\x1b[]P0;m\x07\\\x9b\x9d\r\n\ta"))
def test_no_text_brings_a_control_character_to_a_terminal(text: str) -> None:
    shown = plain(text)

    assert not [sign for sign in shown if unicodedata.category(sign) == "Cc" and sign not in "\n\t"]
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert plain(shown) == shown


def test_a_long_text_is_cut_and_says_so() -> None:
    assert plain("x" * 20, limit=20) == "x" * 20
    assert plain("x" * 21, limit=20) == "x" * 20 + "… (cut: 21 characters in all)"
    assert plain("\x00" * 10_000_000 + "x", limit=20) == "… (cut: 10,000,001 characters in all)"


def test_a_line_is_one_line() -> None:
    assert plain_line(" a\n\tb\u2028c  d ") == "a b c d"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "HTTPS://EXAMPLE.ORG/a?b=c#d",
        "https://xn--bcher-kva.example/",
        "https://bücher.example/",
        "https://example.org:8443/",
        "https://192.0.2.1/",
        "http://localhost/",
        "http://api.localhost:3000/",
        "http://127.9.9.9/",
        "http://[::1]:8000/",
    ],
)
def test_a_link_to_a_web_page_may_be_opened(url: str) -> None:
    assert link_problem(url) is None


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org", "http://localhost.example.org", "http://127.0.0.1.example.org", "http://10.0.0.1/"),
        *("ftp://example.org", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "mailto:a@b.example"),
        *("https://", "https:example.org", "//example.org", "example.org", "", "https://:443/", "https://a:port/"),
        *("https://user@example.org", "https://user:pw@example.org", "https://@example.org", "https://a@b@c.example"),
        *(
            "https://example.org/a b",
            "https://example.org\n",
            "https://example.org/\u202egro",
            "https://example.org\\@x",
        ),
        *("https://exa\x00mple.org", "https://example.org/\ud800", "https://[::1", None, 7, b"https://example.org"),
    ],
)
def test_any_other_link_may_not(url: object) -> None:
    assert link_problem(url) is not None


# --- errors in logs ---------------------------------------------------------------------------------------------------


FISH = "swordfish"


def raised(raising: Callable[[], None]) -> BaseException:
    try:
        raising()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def quoting() -> None:
    raise ValueError(FISH)


def handling() -> None:
    try:
        quoting()
    except ValueError:
        raise StoreError("The disk is full.") from OSError(28, FISH)


def chained() -> None:
    try:
        quoting()
    except ValueError:
        raise KeyError(FISH)  # noqa: B904


def grouped() -> None:
    raise BaseExceptionGroup(FISH, [raised(quoting), raised(handling)])


@pytest.mark.parametrize(
    ("raising", "told"),
    [
        (quoting, ["ValueError", "in quoting"]),
        (handling, ["elicitkit.errors.StoreError: The disk is full.", "in handling", "after OSError (28)"]),
        (chained, ["KeyError", "in chained", "after ValueError", "in quoting"]),
        (
            grouped,
            [
                "BaseExceptionGroup",
                "with ValueError",
                "in quoting",
                "with elicitkit.errors.StoreError: The disk is full.",
            ],
        ),
    ],
)
def test_a_logged_error_has_its_types_and_lines_and_none_of_its_words(
    raising: Callable[[], None], told: list[str]
) -> None:
    trace = trace_of(raised(raising))

    assert FISH not in trace
    assert [part for part in told if part not in trace] == []
    assert trace.startswith("\n")


def test_an_error_that_is_its_own_cause_is_told_once() -> None:
    error = ValueError(FISH)
    error.__context__ = other = KeyError(FISH)
    other.__context__ = error

    assert trace_of(error) == "\nValueError\nafter KeyError"
