"""Choices that others got wrong on the wire."""

import json
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any, Literal, TypedDict

import pytest
from pydantic import BaseModel

from elicitkit import Answer, Form, FormElicitation, FormError, Slot
from elicitkit.bridge import elicitation_to_request
from elicitkit.fields import MultiChoiceField, UnknownField
from tests import eras

pytestmark = pytest.mark.anyio


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Speed(StrEnum):
    FAST = "fast"


class Size(IntEnum):
    S = 1


class Parts(Flag):
    A = 1
    B = 2


class Task(BaseModel):
    now: Level
    later: Level = Level.LOW
    speed: Speed
    size: Size
    parts: Parts
    several: set[Level]
    mode: Literal["a", "b"]


@pytest.mark.parametrize("revision", eras.ALL)
def test_r001_no_enum_of_any_sort_leaves_as_a_reference(revision: str) -> None:
    schema = FormElicitation.from_type(Task, "?").build().schema(revision)

    text = json.dumps(schema)
    assert "$ref" not in text
    assert "$defs" not in text
    assert "LOW" in json.dumps(schema["properties"]["now"])
    assert "LOW" in json.dumps(schema["properties"]["later"])


TITLED = {"low": "Low", "high": "High"}


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("kind", ["choice", "multi_choice"])
@pytest.mark.parametrize("options", [TITLED, [*TITLED], {"low": None, "high": "High"}, {"low": "Low"}])
def test_r003_every_property_of_a_choice_has_its_type(revision: str, kind: str, options: Any) -> None:
    form = getattr(FormElicitation.create("?"), kind)("level").options(options)

    properties = form.build().schema(revision)["properties"]

    assert {one["type"] for one in properties.values()} <= {"string", "array", "boolean"}
    for one in properties.values():
        if one["type"] == "array":
            assert one["items"].keys() in ({"type", "enum"}, {"anyOf"})
        if "oneOf" in one:
            assert all(entry.keys() == {"const", "title"} for entry in one["oneOf"])


@pytest.mark.parametrize(
    ("items", "is_drawable"),
    [
        ({"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}, True),
        ({"type": "string", "enum": ["a", "b"]}, True),
        ({"type": "string"}, False),
        ({"type": "integer", "enum": [1]}, False),
        ({"type": "object", "properties": {}}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, False),
    ],
)
def test_r005_a_list_is_read_when_its_items_are_options_and_only_then(items: Any, is_drawable: bool) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "array", "items": items, "minItems": 1}}}

    (field,) = Form.from_schema("?", schema).fields

    assert isinstance(field, MultiChoiceField if is_drawable else UnknownField)


def test_r007_each_era_has_its_own_spelling_and_all_take_the_same_answer() -> None:
    form = FormElicitation.create("?").choice("level").options(TITLED).required().build()

    first, later = (form.schema(revision)["properties"]["level"] for revision in eras.HANDSHAKE)

    assert (first["enum"], first["enumNames"]) == (["low", "high"], ["Low", "High"])
    assert later["oneOf"] == [{"const": "low", "title": "Low"}, {"const": "high", "title": "High"}]
    for revision in eras.ALL:
        assert Form.from_schema("?", form.schema(revision)).check({"level": "high"}) == {"level": "high"}


@pytest.mark.parametrize("kind", ["object", "null", "number", "boolean", ["string"], 7])
@pytest.mark.parametrize("options", [{"enum": ["a"]}, {"oneOf": [{"const": "a", "title": "A"}]}])
def test_r009_options_do_not_excuse_another_type(kind: Any, options: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"type": kind, **options}}, "required": ["x"]}
    form = Form.from_schema("?", schema)

    with pytest.raises(FormError, match="X"):
        form.require_askable()


@pytest.mark.parametrize("kind", ["choice", "multi_choice"])
def test_r011_options_may_be_found_at_run_time_but_not_be_none(kind: str) -> None:
    for count in (1, 2, 50):
        files = [f"file{number}.csv" for number in range(count)]
        built = getattr(FormElicitation.create("?"), kind)("files").options(files).required().build()
        answer: Any = files[0] if kind == "choice" else files
        assert built.check({"files": answer}) == {"files": answer}

    with pytest.raises(FormError, match="Files"):
        getattr(FormElicitation.create("?"), kind)("files").options([]).build()


def test_r011_dynamic_options_bind_to_a_type() -> None:
    class Files(TypedDict):
        files: list[str]

    form = FormElicitation.create("?").multi_choice("files").options(["a.csv", "b.csv"]).required().min_items(1)

    accepted = form.build().bound_to(Files).accept({"files": ["a.csv"]})

    assert accepted.content == {"files": ["a.csv"]}


SOURCES = FormElicitation.create("Where?").multi_choice("src").options(["drive", "notion", "web"]).required()


@pytest.mark.parametrize("picks", [["drive"], ["notion", "drive"]])
async def test_r013_an_answer_carries_a_list(picks: list[str]) -> None:
    assert (await _left(picks)).data == {"src": picks}


@pytest.mark.parametrize("picks", [[], ["drive", "notion", "web"], ["drive", "drive"], ["elsewhere"], "drive"])
async def test_r013_a_list_beyond_its_bounds_does_not_leave(picks: Any) -> None:
    assert (await _left(picks)).reason == "failed"


async def _left(picks: Any) -> Answer:
    """What leaves of an answer that came as JSON."""
    request = elicitation_to_request(SOURCES.min_items(1).max_items(2).to_input_request(), id="r1")
    answer = Answer.from_json(json.dumps({"id": "r1", "ok": True, "data": {"src": picks}}))
    return await Slot(lambda _: answer, tries=1).answer(request)
