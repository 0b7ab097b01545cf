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
    with pytest.raises(KeyError, match=r"'leftOpen' was left open; content.get\('leftOpen'\) is None"):
        content()["left_open"]


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(KeyError, match="the form has no field 'full_nam': did you mean 'fullName'"):
        content()["full_nam"]


def test_what_was_answered_with_nothing_is_told_apart() -> None:
    assert content().cleared == {"note"}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["shallow", "deep", "pickled"]
)
def test_a_copy_knows_both_names_too(copied: Any) -> None:
    twin = copied(content())

    assert (twin, twin["full_name"], twin.cleared) == (content(), "Ada", {"note"})
