"""The control of each kind of field, and reading what a browser posts of it (issue 9, point 1)."""

from typing import Any

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
from elicitkit.forms import Form
from elicitkit.render.web.controls import (
    Area,
    Check,
    Checks,
    Input,
    Moment,
    Nothing,
    Posted,
    Radios,
    Select,
    drawn,
    untouched,
)
from elicitkit.render.web.posted import NO_ZONE, read

AB = (Option("a", "Apple"), Option("b", "Bread"))
MANY = tuple(Option(str(number)) for number in range(20))
NOON = "2027-05-12T12:00:00+02:00"


def content(field: Field, posted: Posted) -> dict[str, Any]:
    """What is sent for one field."""
    reading = read(Form("?", (field,)), posted)
    assert not reading.faults, reading.faults
    return reading.content


def problem(field: Field, posted: Posted) -> str:
    """What is wrong with one field."""
    (fault,) = read(Form("?", (field,)), posted).faults
    return fault.problem


@pytest.mark.parametrize(
    ("field", "control"),
    [
        (TextField("x", max_length=60), Input("")),
        (TextField("x"), Input("")),
        (TextField("x", title="Name"), Input("")),
        (TextField("x", title="Beschreibung"), Input("")),
        (TextField("x", title="Anything you want to say? A note!"), Area("")),
        (TextField("releaseNotes"), Area("")),
        (TextField("issue_description"), Area("")),
        (TextField("notebook"), Input("")),
        (TextField("x", title="Message", max_length=80), Input("")),
        (TextField("x", default="a" * 121), Area("a" * 121)),
        (TextField("x", min_length=121), Area("")),
        (TextField("x", max_length=500), Area("")),
        (TextField("x", max_length=60, default="a\nb"), Area("a\nb")),
        (TextField("x", format="date"), Input("", type="date")),
        (IntegerField("x", minimum=0, maximum=9), Input("", inputmode="numeric", is_verbatim=True, bounds=("0", "9"))),
        (IntegerField("x"), Input("", is_verbatim=True, bounds=("", ""))),
        (IntegerField("x", minimum=-5.5), Input("", is_verbatim=True, bounds=("", ""))),
        (NumberField("x", minimum=0), Input("", inputmode="decimal", is_verbatim=True)),
        (NumberField("x", default=1.5), Input("1.5", is_verbatim=True)),
        (BooleanField("x", default=True), Check(True)),
        (UnknownField("x"), Nothing()),
    ],
)
def test_a_field_is_drawn_as_the_control_that_suits_it(field: Field, control: object) -> None:
    assert drawn(field, "f0", untouched([field])) == control


@pytest.mark.parametrize(("format", "type"), [("email", "email"), ("uri", "url")])
def test_addresses_bring_up_their_keyboards(format: Any, type: str) -> None:
    control = drawn(TextField("x", format=format), "f0", {})

    assert isinstance(control, Input)
    assert (control.type, control.inputmode, control.is_verbatim) == (type, type, True)


@pytest.mark.parametrize(
    ("field", "kind", "labels", "chosen"),
    [
        (BooleanField("x", required=True), Radios, ["Yes", "No"], []),
        (BooleanField("x"), Radios, ["Yes", "No", "(leave open)"], ["(leave open)"]),
        (ChoiceField("x", options=AB, required=True), Radios, ["Apple", "Bread"], []),
        (ChoiceField("x", options=AB, default="b"), Radios, ["Apple", "Bread", "(leave open)"], ["Bread"]),
        (ChoiceField("x", options=MANY[:8], required=True), Select, ["Choose …", *"01234567"], ["Choose …"]),
        (ChoiceField("x", options=MANY[:8], required=True, default="3"), Select, [*"01234567"], ["3"]),
        (ChoiceField("x", options=MANY[:8]), Select, ["(leave open)", *"01234567"], ["(leave open)"]),
        (MultiChoiceField("x", options=AB, default=("a", "b")), Checks, ["Apple", "Bread"], ["Apple", "Bread"]),
    ],
)
def test_what_can_be_chosen_is_listed_with_what_is_chosen(
    field: Field, kind: type, labels: list[str], chosen: list[str]
) -> None:
    control = drawn(field, "f0", untouched([field]))

    assert isinstance(control, kind)
    assert [one.label for one in control.choices] == labels
    assert [one.label for one in control.choices if one.is_chosen] == chosen


def test_a_moment_has_the_offset_of_its_default_chosen() -> None:
    control = drawn(field := TextField("x", format="date-time", default=NOON), "f0", untouched([field]))

    assert isinstance(control, Moment)
    assert (control.local, control.has_zone) == ("2027-05-12T12:00", True)
    assert [one.value for one in control.zones if one.is_chosen] == ["+02:00"]


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("2027-05-12T14:30:00.123456+02:00", "2027-05-12T14:30:00.123"),
        ("2027-05-12T14:30:00.0001+02:00", "2027-05-12T14:30"),
        ("2027-05-12T14:30:59.9999999+02:00", "2027-05-12T14:30:59.999"),
    ],
)
def test_a_time_finer_than_its_control_goes_on_as_it_was_until_it_is_changed(text: str, local: str) -> None:
    """What was answered before stands in the form of a retry, and is no default."""
    field = TextField("x", format="date-time")
    posted = untouched([field], {"x": text})
    control = drawn(field, "f0", posted)

    assert isinstance(control, Moment)
    assert (control.local, control.exact, control.type) == (local, text, "datetime-local")
    assert content(field, posted) == {"x": text}
    assert content(field, {**posted, "f0": ["2027-05-12T14:31"]}) == {"x": "2027-05-12T14:31:00+02:00"}
    assert content(field, {**posted, "f0z": ["+03:00"]}) != {"x": text}


@pytest.mark.parametrize("text", ["noon", "2027-02-30T12:00", "0000-01-01T00:00", "2027-05-12T25:00"])
def test_what_is_no_time_is_shown_in_a_line(text: str) -> None:
    control = drawn(TextField("x", format="date-time"), "f0", {"f0": [text]})

    assert isinstance(control, Moment)
    assert (control.local, control.type) == (text, "text")


@pytest.mark.parametrize("text", ["noon", "2027-02-30", "0000-01-01", "12027-01-01"])
def test_what_is_no_date_is_shown_in_a_line(text: str) -> None:
    assert drawn(TextField("x", format="date"), "f0", {"f0": [text]}) == Input(text)


def test_an_offset_that_no_place_has_is_there_when_a_default_has_it() -> None:
    field = TextField("x", format="date-time", default="2027-05-12T12:00:00+01:23")

    assert content(field, untouched([field])) == {"x": "2027-05-12T12:00:00+01:23"}


@pytest.mark.parametrize(
    "field",
    [
        TextField("x", default="a\nb"),
        TextField("x", default=" spaces "),
        TextField("x", default="ends\n"),
        TextField("x", format="email", default="ada@example.com"),
        TextField("x", format="date", default="2027-05-11"),
        TextField("x", format="date-time", default="2027-05-12T14:30:00.000Z"),
        TextField("x", format="date-time", default="2027-05-12T14:30:00.123456Z"),
        TextField("x", format="date-time", default="2027-05-12t14:30:00.1000001-00:00"),
        TextField("x", default="nul\x00l, \u202eback, \x1b[31mred"),
        TextField("x", default="\x00"),
        TextField("x", default="a\r\nb\r\n"),
        TextField("x", default="a\rb\u2028c"),
        IntegerField("x", default=2**63 - 1),
        NumberField("x", default=1e-7),
        BooleanField("x", default=False),
        ChoiceField("x", options=AB, default="b"),
        MultiChoiceField("x", options=AB, default=("a",)),
        MultiChoiceField("x", options=AB, default=()),
    ],
)
def test_a_form_that_nobody_touched_sends_its_defaults_as_they_are(field: Any) -> None:
    expected = list(field.default) if isinstance(field.default, tuple) else field.default

    assert content(field, untouched([field])) == {"x": expected}


@pytest.mark.parametrize(
    ("field", "posted", "value"),
    [
        (TextField("x"), {"f0": ["a\r\nb\r\n"]}, "a\nb"),
        (TextField("x", format="uri"), {"f0": [" https://example.com "]}, "https://example.com"),
        (IntegerField("x"), {"f0": ["9223372036854775807"]}, 9223372036854775807),
        (IntegerField("x"), {"f0": ["٤٢"]}, 42),
        (IntegerField("x"), {"f0": ["\u22127"]}, -7),
        (NumberField("x"), {"f0": ["3,14"]}, 3.14),
        (NumberField("x"), {"f0": ["-.5e-2"]}, -0.005),
        (BooleanField("x", default=True), {}, False),
        (BooleanField("x", required=True), {"f0": ["no"]}, False),
        (ChoiceField("x", options=AB, required=True), {"f0": ["1"]}, "b"),
        (MultiChoiceField("x", options=AB), {"f0": ["0", "1", "0"]}, ["a", "b"]),
        (MultiChoiceField("x", options=AB, required=True), {}, []),
        (TextField("x", format="date-time"), {"f0": ["2027-05-12T12:00"], "f0z": ["+02:00"]}, NOON),
        (TextField("x", format="date-time"), {"f0": ["2027-05-12 12:00+02:00"], "f0z": [""]}, NOON),
    ],
)
def test_what_was_typed_is_read_as_the_answer(field: Field, posted: Posted, value: object) -> None:
    sent = content(field, posted)["x"]

    assert (sent, type(sent)) == (value, type(value))


@pytest.mark.parametrize(
    ("field", "posted"),
    [
        (TextField("x", default="Ada", min_length=1), {"f0": [""]}),
        (IntegerField("x", default=3), {"f0": [" "]}),
        (ChoiceField("x", options=AB, default="b"), {"f0": [""]}),
        (TextField("x", format="date-time", default=NOON), {"f0": [""], "f0z": ["+02:00"]}),
    ],
)
def test_a_default_that_was_cleared_is_null_where_no_value_says_so(field: Field, posted: Posted) -> None:
    """Design, section 5; a host leaves it out, so that the review says what a server may do."""
    assert content(field, posted) == {"x": None}


def test_a_text_that_was_cleared_is_empty() -> None:
    assert content(TextField("x", default="Bob"), {"f0": [""]}) == {"x": ""}


@pytest.mark.parametrize(
    "field",
    [
        TextField("x"),
        IntegerField("x"),
        BooleanField("x"),
        ChoiceField("x", options=AB),
        MultiChoiceField("x", options=AB),
    ],
)
def test_a_field_that_was_left_open_is_absent(field: Field) -> None:
    assert content(field, untouched([field])) == {}


@pytest.mark.parametrize(
    ("field", "posted", "words"),
    [
        (BooleanField("x", required=True), {}, "is required"),
        (ChoiceField("x", options=AB, required=True), {"f0": [""]}, "is required"),
        (ChoiceField("x", options=AB, required=True), {"f0": ["7"]}, "is required"),
        (ChoiceField("x", options=AB, required=True), {"f0": ["\u0660"]}, "is required"),
        (TextField("x", format="date-time"), {"f0": ["2027-05-12T12:00"], "f0z": [""]}, NO_ZONE),
        (NumberField("x"), {"f0": ["1,000"]}, "with a point for the decimals, such as 1000 or 1.5"),
        (NumberField("x"), {"f0": ["1e999"]}, "is too large"),
        (IntegerField("x"), {"f0": ["1.5"]}, "must be a whole number"),
        (IntegerField("x"), {"f0": ["9223372036854775808"]}, "64 bits"),
        (MultiChoiceField("x", options=AB, min_items=1, required=True), {}, "needs"),
        (TextField("x", format="date"), {"f0": ["tomorrow"]}, "must be a date"),
    ],
)
def test_what_does_not_fit_is_told_in_words_that_suit_the_page(field: Field, posted: Posted, words: str) -> None:
    assert words in problem(field, posted)


def test_what_was_typed_is_in_no_fault() -> None:
    fields = (TextField("a", format="email"), IntegerField("b"), TextField("c", format="date-time"))

    reading = read(Form("?", fields), {"f0": ["my secret"], "f1": ["my secret"], "f2": ["my secret"]})

    assert len(reading.faults) == 3
    assert "my secret" not in repr(reading.faults)


@pytest.mark.parametrize(
    ("default", "local", "step"),
    [("12:00:00Z", "12:00", "60"), ("12:00:30Z", "12:00:30", "1"), ("12:00:30.5Z", "12:00:30.5", "any")],
)
def test_a_moment_may_be_as_fine_as_its_default(default: str, local: str, step: str) -> None:
    field = TextField("x", format="date-time", default=f"2027-05-12T{default}")

    control = drawn(field, "f0", untouched([field]))

    assert isinstance(control, Moment)
    assert (control.local, control.step) == (f"2027-05-12T{local}", step)
