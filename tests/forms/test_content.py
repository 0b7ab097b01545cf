"""Content (design, section 4): a dict of wire names that also finds what the author wrote."""

import copy
import json
import pickle
from typing import Any

import pytest

from elicitkit import Content, FormElicitation


def content() -> Content:
    form = FormElicitation.create("m").string("full_name").integer("max_age").string("note").string("left_open")
    return form.check({"fullName": "Ada", "maxAge": 36, "note": None})


@pytest.mark.parametrize("name", ["full_name", "fullName"])
def test_a_value_is_found_by_either_name(name: str) -> None:
    assert content()[name] == content().get(name) == "Ada"
    assert name in content()


def test_it_is_a_dict_of_wire_names() -> None:
    assert content() == {"fullName": "Ada", "maxAge": 36}
    assert json.loads(json.dumps(content())) == {"fullName": "Ada", "maxAge": 36}


def test_it_can_be_had_with_the_names_as_written() -> None:
    assert content().as_written() == {"full_name": "Ada", "max_age": 36}


@pytest.mark.parametrize("name", ["left_open", "leftOpen", "note", "unknown", 5, None], ids=repr)
def test_what_is_not_there_is_neither_found_nor_guessed(name: Any) -> None:
    assert name not in content()
    assert content().get(name) is None
    assert content().get(name, 7) == 7


def test_a_field_left_open_says_how_to_ask_for_it() -> None:
    with pytest.raises(KeyError, match=r"'left_open' was left open; content.get\('left_open'\) is None"):
        content()["left_open"]


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(KeyError, match="the form has no field 'full_nam': did you mean 'full_name'"):
        content()["full_nam"]


def test_what_was_answered_with_nothing_is_told_apart() -> None:
    assert content().cleared == {"note"}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["shallow", "deep", "pickled"]
)
def test_a_copy_knows_both_names_too(copied: Any) -> None:
    twin = copied(content())

    assert (twin, twin["full_name"], twin.cleared) == (content(), "Ada", {"note"})


NAMES = ["full_name", "fullName"]
EVE: dict[str, Any] = {"fullName": "Eve", "maxAge": 36}


def set_item(it: Content, name: str) -> Content:
    it[name] = "Eve"
    return it


def in_place(it: Content, name: str) -> Content:
    it |= {name: "Eve"}
    return it


def updated(it: Content, name: str) -> Content:
    it.update({name: "Eve"})
    return it


def updated_by_pairs(it: Content, name: str) -> Content:
    it.update([(name, "Bob")], **{name: "Eve"})
    return it


WRITES: list[Any] = [set_item, in_place, updated, updated_by_pairs, lambda it, name: it | {name: "Eve"}]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("write", WRITES, ids=["[]", "|=", "update", "pairs", "|"])
def test_a_write_by_either_name_is_read_by_both(write: Any, name: str) -> None:
    """Design, section 4: content is a dict of wire names that also finds the name you wrote."""
    written = write(content(), name)

    assert type(written) is Content
    assert written == EVE
    assert [written["full_name"], written["fullName"]] == ["Eve", "Eve"]


@pytest.mark.parametrize("name", NAMES)
def test_a_union_from_the_left_keeps_what_was_answered(name: str) -> None:
    union = {name: "Bob", "more": 1} | content()

    assert type(union) is Content
    assert union == {"fullName": "Ada", "maxAge": 36, "more": 1}


@pytest.mark.parametrize("name", NAMES)
def test_a_union_leaves_both_sides_as_they_were(name: str) -> None:
    left, right = content(), {name: "Eve"}

    assert left | right != left
    assert (left, right) == (content(), {name: "Eve"})


def test_a_union_with_anything_else_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        content() | 5  # type: ignore[operator]
    with pytest.raises(TypeError):
        5 | content()


@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_taken_out_by_either_name(name: str) -> None:
    taken, deleted = content(), content()
    del deleted[name]

    assert taken.pop(name) == "Ada"
    assert taken == deleted == {"maxAge": 36}
    assert taken.pop(name, 7) == 7


@pytest.mark.parametrize("name", ["left_open", "leftOpen"])
def test_what_was_left_open_is_set_by_either_name(name: str) -> None:
    it = content()

    assert [it.setdefault(name, "x"), it.setdefault(name, "y"), it["left_open"]] == ["x", "x", "x"]
    assert it["leftOpen"] == "x"


@pytest.mark.parametrize("take", [Content.pop, Content.__delitem__, Content.__getitem__])
def test_what_is_not_there_is_named_as_the_author_wrote_it(take: Any) -> None:
    with pytest.raises(KeyError, match="'left_open' was left open"):
        take(content(), "leftOpen")
    with pytest.raises(KeyError, match="the form has no field 'full_nam': did you mean 'full_name'"):
        take(content(), "full_nam")


def test_a_copy_is_a_content_of_its_own() -> None:
    copied = content().copy()
    copied["full_name"] = "Eve"

    assert type(copied) is Content
    assert (content()["full_name"], copied.as_written()["full_name"], copied.cleared) == ("Ada", "Eve", {"note"})


def test_a_content_that_is_checked_again_stays_as_it_is_and_what_was_cleared_stays_cleared() -> None:
    form = FormElicitation.create("?").string("name").default("Ada").integer("pieces").default(1).build()
    checked = form.check({"name": "Grace", "pieces": None})

    again = form.check(checked)

    assert (again, again.cleared) == (checked, {"pieces"})
    checked["pieces"] = 3
    assert form.check(checked) == {"name": "Grace", "pieces": 3}
