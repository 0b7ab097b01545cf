"""Names (design, section 4): camelCase on the wire, title case for the person."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import Content, Form, FormElicitation, FormError
from elicitkit.naming import label, nearest, wire_name
from elicitkit.safety import asks_for_credential

NAMES: list[tuple[str, str, str]] = [
    ("first_name", "firstName", "First Name"),
    ("FirstName", "firstName", "First Name"),
    ("firstName", "firstName", "First Name"),
    ("first-name", "firstName", "First Name"),
    ("first name", "firstName", "First Name"),
    ("First NAME", "firstNAME", "First NAME"),
    ("URL", "url", "URL"),
    ("URLs", "urls", "URLs"),
    ("userIDs", "userIDs", "User IDs"),
    ("IOStream", "ioStream", "IO Stream"),
    ("HTTPServer", "httpServer", "HTTP Server"),
    ("TimeToLive", "timeToLive", "Time To Live"),
    ("time_to_live", "timeToLive", "Time To Live"),
    ("BLUE_GREEN", "blueGreen", "Blue Green"),
    ("MD5HASH", "md5Hash", "Md5 Hash"),
    ("x", "x", "X"),
    ("X", "x", "X"),
    ("line2", "line2", "Line2"),
    ("line_2", "line2", "Line 2"),
    ("2_items", "2Items", "2 Items"),
    ("$top", "$top", "$Top"),
    ("$orderBy", "$orderBy", "$Order By"),
    ("@Id", "@id", "@Id"),
    ("price_$", "price$", "Price $"),
    ("a$Bc", "a$Bc", "A$ Bc"),
    ("größe_in_cm", "größeInCm", "Größe In Cm"),
    ("ÉtatCivil", "étatCivil", "État Civil"),
    ("名前", "名前", "名前"),
    ("__private__", "private", "Private"),
    (" padded ", "padded", "Padded"),
]

odd_names = st.text() | st.text("aBcSs_$1- É𝐀ǅßİ名") | st.from_regex(r"[a-zA-Z0-9_$@ -]{1,12}", fullmatch=True)


@pytest.mark.parametrize(("name", "wire", "title"), NAMES)
def test_a_name_has_a_spelling_for_the_wire_and_one_for_the_person(name: str, wire: str, title: str) -> None:
    (field,) = FormElicitation.create("m").string(name).build().fields

    assert (field.name, field.title, field.label, field.written) == (wire, title, title, name)


@given(odd_names)
def test_the_spelling_for_the_wire_is_final(name: str) -> None:
    assert wire_name(wire_name(name)) == wire_name(name)


@given(odd_names)
def test_no_letter_or_sign_is_lost(name: str) -> None:
    """`$`, `@` and letters beyond ASCII stay; only separators go."""
    kept = "".join(name.replace("_", " ").replace("-", " ").split())

    assert wire_name(name).casefold() == kept.casefold()
    assert label(name).replace(" ", "").casefold() == kept.casefold()


@pytest.mark.parametrize("name", ["", " ", "_", "--", "_ -\t"], ids=repr)
def test_a_name_of_separators_is_blank(name: str) -> None:
    with pytest.raises(FormError, match="the name of a field is blank"):
        FormElicitation.create("m").string(name)


@pytest.mark.parametrize("name", ["first_name", "FirstName", "URL", "_", "$top", "a b"])
def test_names_can_be_preserved(name: str) -> None:
    (field,) = FormElicitation.create("m", naming="preserve").string(name).build().fields

    assert (field.name, field.written) == (name, name)


def test_preserved_names_have_the_same_labels() -> None:
    form = FormElicitation.create("m", naming="preserve").string("first_name").string("_")

    assert [field.label for field in form.build().fields] == ["First Name", "_"]


@pytest.mark.parametrize("naming", ["snake", "", None], ids=repr)
def test_another_naming_is_an_error(naming: Any) -> None:
    with pytest.raises(ValueError, match="naming is 'camel' or 'preserve'"):
        FormElicitation.create("m", naming=naming)


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        (["top", "skip"], "did you mean 'skip'?"),
        (["a", "b"], "there are 'a', 'b'"),
        ([], "there are none"),
    ],
    ids=["near", "far", "none"],
)
def test_an_unknown_name_gets_a_hint(known: list[str], hint: str) -> None:
    assert nearest("skipp", iter(known)) == hint


LONG = 50_000
LONG_NAMES = {
    "signs": "$" * LONG + "$A" * (LONG // 2),
    "capitals": "A" * LONG,
    "words": "aB" * LONG,
    "separators": "_" * LONG + "a",
    "letters in turn": "Aa_$" * LONG,
}


@pytest.mark.parametrize("name", LONG_NAMES)
def test_a_very_long_name_of_others_is_read_in_no_time(name: str) -> None:
    """A form of others may have names as long as its schema; work that grows with the square of them took minutes."""
    text = LONG_NAMES[name][:100_000]
    started = time.process_time()
    (field,) = Form.from_schema("m", {"properties": {text: {"type": "string"}}}).fields
    shown = field.label
    asks_for_credential(text, shown)

    assert shown.replace(" ", "").casefold() == text.replace("_", "").casefold()
    assert time.process_time() - started < 10


def test_a_very_long_name_is_not_compared_with_others() -> None:
    started = time.process_time()
    with pytest.raises(KeyError):
        Content({}, written={"ab" * LONG: "ab" * LONG, "b": "b"})["ba" * LONG]

    assert time.process_time() - started < 10
