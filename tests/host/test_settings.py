"""What a file says of a server beside how to reach it (issue 5, point 4)."""

from typing import Any

import pytest

from elicitkit.host.names import MOST_CHARACTERS, Names
from elicitkit.host.settings import SECONDS, Settings, settings_from

SHOP = {"command": "shop-server"}


def settings(**more: Any) -> Settings:
    found = settings_from("shop", {**SHOP, **more})
    assert found is not None
    return found


@pytest.mark.parametrize(
    "entry", [{"disabled": True}, {"enabled": False}, {"enabled": False, "url": 7, "timeout": "x"}]
)
def test_a_server_that_is_disabled_is_not_looked_at_any_further(entry: dict[str, Any]) -> None:
    assert settings_from("shop", entry) is None


@pytest.mark.parametrize("more", [{}, {"disabled": False}, {"enabled": True}, {"disabled": None, "timeout": None}])
def test_what_is_not_said_is_as_usual(more: dict[str, Any]) -> None:
    assert (settings(**more).seconds, settings(**more).way, settings(**more).allowed) == (SECONDS, "any", None)


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ({}, "abc"),
        ({"tools": ["a", "x"]}, "a"),
        ({"tools": []}, ""),
        ({"tools": ["*"]}, "abc"),
        ({"allowedTools": ["a"]}, "a"),
        ({"includeTools": ["b"]}, "b"),
        ({"disabledTools": ["a"]}, "bc"),
        ({"excludeTools": ["c"]}, "ab"),
        ({"tools": ["a", "b"], "disabledTools": ["a"]}, "b"),
    ],
)
def test_only_the_tools_that_are_allowed_are_offered(more: dict[str, Any], offered: str) -> None:
    assert "".join(filter(settings(**more).offers, "abc")) == offered


@pytest.mark.parametrize(
    ("more", "way"),
    [
        ({"type": "sse"}, "sse"),
        ({"transport": "SSE"}, "sse"),
        ({"type": "http"}, "http"),
        ({"type": "streamable-http"}, "http"),
        ({"type": "stdio"}, "any"),
        ({"type": 7}, "any"),
    ],
)
def test_a_url_is_spoken_to_as_its_entry_says(more: dict[str, Any], way: str) -> None:
    assert settings(**more).way == way


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"disabled": "yes"}, "disabled is to be true or false"),
        ({"timeout": "30"}, "timeout is to be a positive number of seconds"),
        ({"timeout": True}, "timeout is to be a positive number of seconds"),
        ({"timeout": 0}, "timeout is to be a positive number of seconds"),
        ({"timeout": 600_000}, "timeout is in seconds, and 600000 of them are more than a day"),
        ({"tools": "a"}, "tools is to be a list of the names of tools"),
        ({"excludeTools": [1]}, "excludeTools is to be a list of the names of tools"),
        ({"type": "websocket"}, "there is no type 'websocket' here: a url is spoken to by 'http' or 'sse'"),
        ({"transport": "WS"}, "there is no type 'WS' here: a url is spoken to by 'http' or 'sse'"),
    ],
)
def test_a_wrong_value_is_told_with_the_server_and_the_key(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match="shop") as caught:
        settings_from("shop", {**SHOP, **more})

    assert str(caught.value) == f"server 'shop': {problem}"


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("shop", "checkout", "shop_checkout"),
        ("my.shop", "check out", "my_shop_check_out"),
        ("größe", "a/b:c", "gr__e_a_b_c"),
        ("a-b", "c_d", "a-b_c_d"),
        ("s" * 40, "t" * 40, "s" * 40 + "_" + "t" * 23),
    ],
)
def test_a_name_is_one_that_every_model_takes(server: str, tool: str, name: str) -> None:
    assert Names().name(server, tool) == name
    assert len(name) <= MOST_CHARACTERS


def test_names_that_collide_are_told_apart_and_kept() -> None:
    names = Names()
    pairs = [("a", "b_c"), ("a_b", "c"), ("a.b", "c"), ("x" * 70, "1"), ("x" * 70, "2")]

    given = [names.name(*pair) for pair in pairs]

    assert given == ["a_b_c", "a_b_c_2", "a_b_c_3", "x" * 64, "x" * 62 + "_2"]
    assert [names.name(*pair) for pair in reversed(pairs)] == given[::-1]
