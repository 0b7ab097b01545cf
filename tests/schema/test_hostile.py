"""Schemas and texts that mean harm (issue "Forms", Bad input; design, section 10): a clear error or a harmless field,
at once, and nothing fetched.
"""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.request import urlopen

import pytest

from elicitkit import AnswerError, Form, FormError
from elicitkit.fields import TextField, UnknownField
from elicitkit.numbers import LEAST, MOST
from elicitkit.schema import check

DEPTH = 100_000


class Trap:
    """A web server that counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        trap = self

        class Counter(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                trap.visits += 1
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"type": "string"}')

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Counter)
        self.url = f"http://127.0.0.1:{self.server.server_port}/schema.json"


@pytest.fixture
def trap() -> Iterator[Trap]:
    trap = Trap()
    thread = Thread(target=trap.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield trap
    trap.server.shutdown()
    thread.join()
    trap.server.server_close()


def form_of(**properties: Any) -> Form[Any]:
    return Form.from_schema("m", {"type": "object", "properties": properties})


def nested(key: str | None = None) -> Any:
    """Something very deep, made without recursion: lists, or objects under one key."""
    inner: Any = {}
    for _ in range(DEPTH):
        inner = [inner] if key is None else {key: inner}
    return inner


def test_the_trap_counts(trap: Trap) -> None:
    with urlopen(trap.url) as reply:
        reply.read()

    assert trap.visits == 1


REFERENCES: list[tuple[str, Any]] = [
    ("a property", lambda url: {"f": {"$ref": url}}),
    ("beside a type", lambda url: {"f": {"type": "string", "$ref": url}}),
    ("in items", lambda url: {"f": {"type": "array", "items": {"enum": ["a"], "$ref": url}}}),
    ("as items", lambda url: {"f": {"type": "array", "items": {"$ref": url}}}),
    ("in an option", lambda url: {"f": {"oneOf": [{"const": "a", "$ref": url}]}}),
    ("as a dynamic one", lambda url: {"f": {"type": "string", "$dynamicRef": url}}),
    ("as the dialect", lambda url: {"f": {"type": "string", "$schema": url, "$id": url}}),
    ("deep in a keyword of nobody's", lambda url: {"f": {"type": "string", "x": {"$ref": url}}}),
]


@pytest.mark.parametrize("properties", [pytest.param(row[1], id=row[0]) for row in REFERENCES])
def test_a_reference_is_never_fetched(trap: Trap, properties: Any) -> None:
    """Design, section 5: a hostile `$ref` would make a validator fetch it."""
    asked = {"type": "object", "properties": properties(trap.url), "$ref": trap.url, "$schema": trap.url, "allOf": []}
    form = Form.from_schema("m", asked)
    form.schema()
    for answer in ({"f": "a"}, {"f": ["a"]}, {}):
        try:
            form.check(answer)
        except AnswerError:
            continue

    assert trap.visits == 0


def test_a_reference_to_a_file_cannot_be_drawn() -> None:
    (field,) = form_of(f={"$ref": "file:///etc/passwd"}).fields

    assert isinstance(field, UnknownField)
    assert field.reason == "it uses $ref, which a form cannot show"


def test_no_reference_and_no_pattern_of_a_stranger_reaches_a_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bytes] = []
    compile_schema = check.compiled
    monkeypatch.setattr(check, "compiled", lambda schema: compiled.append(schema) or compile_schema(schema))
    form = form_of(
        f={"type": "string", "pattern": "^(a+)+$"}, g={"$ref": "http://x"}, h={"$defs": {}, "type": "integer"}
    )
    form.check({"f": "a" * 40 + "!", "h": 1})
    form.check({"f": "a" * 40 + "!", "h": "1"})

    ours = b'{"f":{"type":"string","pattern":""},"h":{"type":"integer","minimum":%d,"maximum":%d}}' % (LEAST, MOST)
    wire = b'{"f":{"type":"string"},"h":{"type":"integer"}}'
    assert compiled == [b'{"type":"object","properties":%s}' % schema for schema in (ours, wire)]


def test_a_catastrophic_pattern_is_not_run() -> None:
    text = "a" * 100_000 + "!"

    assert form_of(f={"type": "string", "pattern": "^(a+)+$"}).check({"f": text}) == {"f": text}


DEEP: list[tuple[str, Any]] = [
    ("as the schema", lambda: nested("properties")),
    ("as the properties", lambda: {"properties": nested("f")}),
    ("as a property", lambda: {"properties": {"f": nested("properties")}}),
    ("as the type", lambda: {"properties": {"f": {"type": nested()}}}),
    ("as the items", lambda: {"properties": {"f": {"type": "array", "items": nested("items")}}}),
    ("as a default", lambda: {"properties": {"f": {"type": "string", "default": nested()}}}),
    ("as options", lambda: {"properties": {"f": {"enum": nested()}}}),
    ("at the root", lambda: {"properties": {}, "x": nested("x")}),
]


@pytest.mark.parametrize("make", [pytest.param(row[1], id=row[0]) for row in DEEP])
def test_a_schema_nested_without_end_is_refused(make: Any) -> None:
    with pytest.raises(FormError) as caught:
        Form.from_schema("m", make())

    assert re.search("nested too deeply|has no 'properties' object", str(caught.value))


@pytest.mark.parametrize("key", [None, "x"], ids=["lists", "objects"])
def test_an_answer_nested_without_end_is_a_fault_of_its_field(key: str | None) -> None:
    form = form_of(t={"type": "string"}, i={"type": "integer"}, m={"type": "array", "items": {"enum": ["a"]}})

    with pytest.raises(AnswerError) as caught:
        form.check(dict.fromkeys("tim", nested(key)))

    assert [fault.field for fault in caught.value.faults] == ["t", "i", "m"]


def test_a_message_of_10_mb_is_refused() -> None:
    """R155 of the reports."""
    with pytest.raises(FormError, match=r"the message: has 10,000,000 characters, and may have 10,000"):
        Form.from_schema("x" * 10_000_000, {"properties": {}})


@pytest.mark.parametrize("text", [" " * 10_001, "\ud800"], ids=["blank", "half a character"])
def test_a_message_that_cannot_be_shown_is_refused(text: str) -> None:
    with pytest.raises(FormError, match="the message: "):
        Form.from_schema(text, {"properties": {}})


@pytest.mark.parametrize("count", [65, 500])
def test_more_fields_than_a_form_may_have_are_refused(count: int) -> None:
    """R155 of the reports."""
    with pytest.raises(FormError, match=f"has {count} fields, and a form may have 64"):
        form_of(**{f"f{number}": {"type": "boolean"} for number in range(count)})


def test_names_that_are_only_required_count_as_fields() -> None:
    with pytest.raises(FormError, match="has 500 fields"):
        Form.from_schema("m", {"properties": {}, "required": [f"f{number}" for number in range(500)]})


PLACES: list[tuple[str, Any]] = [
    ("enum", lambda values: {"enum": values}),
    ("oneOf", lambda values: {"oneOf": [{"const": value, "title": value} for value in values]}),
    ("items.enum", lambda values: {"type": "array", "items": {"enum": values}}),
    ("items.anyOf", lambda values: {"type": "array", "items": {"anyOf": [{"const": value} for value in values]}}),
]


@pytest.mark.parametrize("count", [1_001, 10_000])
@pytest.mark.parametrize("place", [pytest.param(row[1], id=row[0]) for row in PLACES])
def test_more_options_than_a_choice_may_have_are_refused_with_the_field(place: Any, count: int) -> None:
    """R155 of the reports."""
    with pytest.raises(FormError) as caught:
        form_of(colour=place([str(number) for number in range(count)]))

    assert str(caught.value) == f"The form does not work: colour: has {count:,} options, and a choice may have 1,000"


def test_a_schema_that_is_too_large_is_refused() -> None:
    with pytest.raises(FormError, match=r"takes 10,000,\d\d\d bytes, and may take 131,072"):
        form_of(f={"type": "string", "description": "x" * 10_000_000})


def test_numbers_that_a_double_cannot_hold_are_refused_as_a_whole() -> None:
    with pytest.raises(FormError, match="holds what JSON cannot carry"):
        form_of(f={"type": "integer", "minimum": -(10**5000)})


def test_the_largest_unsigned_number_is_a_bound_like_any_other() -> None:
    form = form_of(f={"type": "integer", "maximum": 2**64 - 1})

    assert form.check({"f": 2**63 - 1}) == {"f": 2**63 - 1}


@pytest.mark.parametrize("text", ["\x1b[31mred\x1b[0m", "a\u202eb", "[red]x[/red]", "<script>", "\x00"], ids=ascii)
def test_hostile_text_is_read_as_it_is_for_the_renderer_to_disarm(text: str) -> None:
    (field,) = form_of(**{text: {"type": "string", "title": text, "description": text, "default": text}}).fields

    assert isinstance(field, TextField)
    assert (field.name, field.title, field.description, field.default) == (text,) * 4


def test_a_field_that_asks_for_a_credential_is_read_for_the_host_to_flag() -> None:
    """R153 of the reports: display only."""
    assert [field.name for field in form_of(api_key={"type": "string"}).fields] == ["api_key"]
