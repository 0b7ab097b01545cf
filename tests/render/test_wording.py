"""The words for what a field takes."""

import pytest

from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
    UnknownField,
)
from elicitkit.render.wording import CREDENTIAL_WARNING, hint, mark, warning

ONE = (Option("a"),)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (TextField("x"), ""),
        (TextField("x", min_length=1, max_length=100), "1 to 100 characters"),
        (TextField("x", min_length=1), "at least 1 character"),
        (TextField("x", min_length=0, max_length=1), "at most 1 character"),
        (TextField("x", min_length=4, max_length=4), "exactly 4 characters"),
        (TextField("x", format="date"), "a date: 2026-11-30"),
        (TextField("x", format="date-time"), "a date and time with a zone: 2026-11-30T14:30:00+01:00"),
        (TextField("x", format="email", max_length=50), "an e-mail address: ada@example.com, at most 50 characters"),
        (TextField("x", format="uri"), "a full address: https://example.com/page"),
        (IntegerField("x"), "a whole number"),
        (IntegerField("x", minimum=1, maximum=100), "a whole number, 1 to 100"),
        (IntegerField("x", minimum=0), "a whole number, at least 0"),
        (IntegerField("x", minimum=1.0, maximum=1), "a whole number, exactly 1"),
        (NumberField("x", maximum=0.5), "a number, at most 0.5"),
        (NumberField("x", maximum=1e300), "a number, at most 1e+300"),
        (BooleanField("x"), ""),
        (ChoiceField("x", options=ONE), ""),
        (MultiChoiceField("x", options=ONE), "choose as many as you like"),
        (MultiChoiceField("x", options=ONE, min_items=0, max_items=2), "choose at most 2"),
        (MultiChoiceField("x", options=ONE, min_items=1, max_items=2), "choose 1 to 2"),
        (UnknownField("x", reason="it is a list"), "This cannot be answered here: it is a list."),
    ],
)
def test_the_hint_says_what_would_do(field: Field, words: str) -> None:
    assert hint(field) == words


def test_the_mark_tells_required_from_optional() -> None:
    assert mark(TextField("x", required=True)) == "(required)"
    assert mark(TextField("x")) == "(optional)"


@pytest.mark.parametrize(
    ("field", "warned"),
    [
        (TextField("api_key"), True),  # report R153: by name ...
        (TextField("x", title="Your passphrase, please"), True),  # ... and by title
        (IntegerField("pin"), True),
        (TextField("shipping"), False),
        (TextField("x", description="never your password"), False),  # design, section 10: not by what it is told
        (BooleanField("password"), False),  # design, section 10: nothing is typed there
        (ChoiceField("secret", options=ONE), False),
        (TextField("secret", sensitive_allowed=True), False),
    ],
)
def test_what_sounds_like_a_credential_is_warned_of(field: Field, warned: bool) -> None:
    assert warning(field) == (CREDENTIAL_WARNING if warned else "")
