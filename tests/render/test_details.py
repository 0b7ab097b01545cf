"""What came with a question: all of it is shown, and none of it plays tricks (design, sections 6 and 10)."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import Origin, Request
from elicitkit.render.details import ENTRIES, LINES, details_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


def told(data: dict[str, Any], kind: str = "approval", url: str | None = None) -> list[str]:
    return details_of(Request("r1", kind, "Go?", url, data)).splitlines()


def test_what_is_to_be_approved_is_told_entry_by_entry_and_nested() -> None:
    data = {"paths": ["/etc/passwd", "/home"], "by": {"name": "cron", "age": 3}, "dry": False, "tags": [], "why": None}

    assert told(data) == [
        "paths:",
        "  - /etc/passwd",
        "  - /home",
        "by:",
        "  name: cron",
        "  age: 3",
        "dry: false",
        "tags: []",
        "why: null",
    ]


def test_objects_in_lists_stand_together() -> None:
    assert told({"steps": [{"run": "ls", "at": [1, 2]}, [3]]}) == [
        "steps:",
        "  - run: ls",
        "    at:",
        "      - 1",
        "      - 2",
        "  - - 3",
    ]


def test_text_of_several_lines_passes_for_no_entry() -> None:
    assert told({"mail": "Dear Ada,\n\npaths: none\n", "paths": "/"}) == [
        "mail:",
        "  | Dear Ada,",
        "  | ",
        "  | paths: none",
        "paths: /",
    ]


@pytest.mark.parametrize("text", ["3", "true", "null", "1e5", " x ", "- x", "| x", '"x"', "x: y", "x:", "[]", "", "…"])
def test_text_that_could_be_taken_for_something_else_stands_in_quotes(text: str) -> None:
    (line,) = told({"x": text})

    assert line.startswith('x: "')
    assert line.endswith('"')


@pytest.mark.parametrize("key", ["x: y", "- x", "", "3"])
def test_a_name_passes_for_no_entry_either(key: str) -> None:
    (line,) = told({key: 1})

    assert line.endswith(": 1")
    assert line[0] in "\"'"


def test_nothing_invisible_is_shown_and_of_nothing_but_it_the_signs() -> None:
    assert told({"a\x1b[31m": "b\x1b]0;owned\x07\u202ec", "d": "\u202e"}) == ["a: bc", 'd: "\\u202e"']


@pytest.mark.parametrize("kind", ["approval", "authorization", "seat-map"])
def test_where_it_comes_from_is_told_elsewhere(kind: str) -> None:
    noted = Origin("shop", "order").noted_in(Request("r1", kind, "Go?", data={"schema": 1, "questions": 2}))

    assert details_of(noted) == "schema: 1\nquestions: 2"
    assert details_of(Origin("shop").noted_in(Request("r1", kind, "Go?"))) == ""


def test_what_is_asked_is_not_told_twice() -> None:
    assert told({"schema": SCHEMA, "amount": "1000 EUR"}, "input") == ["amount: 1000 EUR"]
    assert told({"questions": [{"question": "Why?"}], "about": "x"}, "question") == ["about: x"]
    assert told({"schema": "none", "questions": []}, "input") == ["schema: none", "questions: []"]


def test_what_came_inside_of_a_question_is_told_with_the_question() -> None:
    """Nobody is to agree to what they have not seen."""
    questions: list[dict[str, Any]] = [
        {"question": "Why?", "header": "Reason", "multiple": False, "options": []},
        {"question": "Go?", "options": ["yes"], "command": "rm -rf /"},
        {"question": "Sure?", "header": 7, "multiple": "no"},
    ]

    assert told({"questions": questions, "about": "x"}, "question") == [
        "questions:",
        "  - question: Go?",
        "    command: rm -rf /",
        "  - question: Sure?",
        "    header: 7",
        "    multiple: no",
        "about: x",
    ]


def test_questions_that_cannot_be_put_are_told_as_they_came() -> None:
    questions = [{"question": "Delete /srv?", "options": [{"label": "yes"}]}]

    assert told({"questions": questions}, "question") == [
        "questions:",
        "  - question: Delete /srv?",
        "    options:",
        "      - label: yes",
    ]


def test_an_address_is_told_where_nothing_else_tells_it() -> None:
    link = "https://example.com/"

    assert told({"url": "x"}, url=link) == [f"url: {link}", "url: x"]
    assert told({}, "authorization", link) == []


def test_what_is_too_much_says_how_much_is_left_out() -> None:
    many = told({"paths": [f"/{number}" for number in range(ENTRIES + 900)], "n": 1})
    wide = told({f"k{number}": number for number in range(ENTRIES + 1)})
    deep: Any = 1
    for _ in range(60):
        deep = {"in": deep}

    assert (many[ENTRIES], many[ENTRIES + 1], many[-1]) == (f"  - /{ENTRIES - 1}", "  … and 900 more", "n: 1")
    assert wide[-1] == "… and 1 more"
    assert told({"x": deep})[-1].strip() == "… and 1 more"
    assert told({f"k{a}": list(range(50)) for a in range(7)})[LINES:] == ["… and 57 more lines"]
    assert told({f"k{a}": "x" * 4_000 for a in range(3)})[-1] == "… and 1 more line"
    assert told({"x": "y" * 9_000})[0].count("… (cut: 9,000 characters in all)") == 1


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_whatever_came_is_told_in_lines_that_can_be_seen(data: dict[str, Any]) -> None:
    try:
        request = Request("r1", "approval", "Go?", data=data)
    except (TypeError, ValueError):  # What JSON does not have.
        return
    lines = details_of(request).split("\n")

    assert len(lines) <= LINES + 1
    for line in lines:
        signs = [sign for sign in line if unicodedata.category(sign).startswith("C")]
        assert set(signs) <= set("\t\u200c\u200d\u200e")
    assert bool(lines[0]) == bool({key for key in data if key != "source"})
