"""Where a question comes from (design, section 6): noted in `data`, by sources alone."""

import json

import pytest

from elicitkit import Origin, Request, elicitation_to_request

SCHEMA = {"type": "object", "properties": {}}
REQUEST = elicitation_to_request({"message": "Who?", "requestedSchema": SCHEMA}, id="r1")
ORIGIN = Origin("shop", "pay", call="c1", elicitation_id="e1", meta={"trace": [1, None]})


def test_it_stands_under_one_key_beside_what_the_mapping_gives() -> None:
    assert ORIGIN.noted_in(REQUEST).to_dict()["data"] == {
        "schema": SCHEMA,
        "source": {
            "server": "shop",
            "tool": "pay",
            "call": "c1",
            "elicitationId": "e1",
            "_meta": {"trace": [1, None]},
        },
    }


def test_it_survives_json() -> None:
    assert Origin.of(Request.from_json(ORIGIN.noted_in(REQUEST).to_json())) == ORIGIN


def test_a_host_with_several_agents_says_by_which_path_and_a_task_by_which_id() -> None:
    origin = Origin("shop", "pay", task="t1", agents=("boss", "buyer"))
    noted = origin.noted_in(REQUEST)

    assert noted.to_dict()["data"]["source"]["agents"] == ["boss", "buyer"]
    assert noted.to_dict()["data"]["source"]["task"] == "t1"
    assert Origin.of(Request.from_json(noted.to_json())) == origin


def test_a_request_without_one_has_an_empty_one() -> None:
    assert Origin.of(REQUEST) == Origin()
    assert Origin.of(Request("r1", "approval", "?")) == Origin()


def test_what_is_not_known_is_absent() -> None:
    noted = Origin("shop", "pay").noted_in(Request("r1", "authorization", "?", "https://example.com"))

    assert noted.to_dict()["data"] == {"source": {"server": "shop", "tool": "pay"}}


def test_one_that_was_there_is_replaced_and_an_empty_one_takes_it_out() -> None:
    """A tool may not say that another one asks."""
    forged = Request("r1", "approval", "?", data={"source": {"server": "bank"}, "kept": 1})

    assert Origin("shop").noted_in(forged).to_dict()["data"] == {"kept": 1, "source": {"server": "shop"}}
    assert Origin().noted_in(forged).to_dict()["data"] == {"kept": 1}


@pytest.mark.parametrize("noted", ["shop", [1], {"server": 7, "tool": None, "_meta": "x", "agents": "x", "task": []}])
def test_what_is_none_is_passed_over(noted: object) -> None:
    written = {"id": "r", "kind": "k", "prompt": "", "data": {"source": noted}}

    assert Origin.of(Request.from_json(json.dumps(written))) == Origin()
