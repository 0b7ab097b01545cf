"""`elicitkit demo`: the whole way from a tool to a person and back."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client

from elicitkit.cli import Exit, demo_server
from elicitkit.cli.demo import INTRO
from elicitkit.cli.questions import kind
from elicitkit.fields import ChoiceField, Field, MultiChoiceField
from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests.cli.terminal import CLEAR, CTRL_C, DOWN, ENTER, SPACE, UP, at_terminal

ANSWERS = Path(__file__).with_name("demo_answers.jsonl")
FIELDS = (*demo_server.talk.build().fields, *demo_server.trip.build().fields)


def kind_of(field: Field) -> str:
    if not isinstance(field, (ChoiceField, MultiChoiceField)):
        return kind(field)
    return f"{'titled' if field.options[0].title else 'untitled'} {kind(field)}"


def test_the_two_forms_use_every_kind_of_field_there_is() -> None:
    choices = {f"{titled} {choice}" for titled in ("titled", "untitled") for choice in ("choice", "multiple choice")}
    others = {"string", "email", "uri", "date", "date-time", "integer", "number", "boolean"}

    assert {kind_of(field) for field in FIELDS} == choices | others
    assert {field.required for field in FIELDS} == {True, False}
    assert any(getattr(field, "default", None) is not None for field in FIELDS)


def test_the_intro_is_two_lines_of_a_small_terminal() -> None:
    assert [len(line) < 80 for line in INTRO.splitlines()] == [True, True]


@pytest.mark.slow
def test_scripted_answers_play_it_and_a_wrong_one_is_asked_again(
    elicitkit: Callable[..., tuple[int, str, str]],
) -> None:
    code, out, err = elicitkit("demo", "--answers", str(ANSWERS))

    assert code == Exit.FINE
    assert out.startswith(INTRO)
    assert '"Asking before acting" is announced. See you at the harbour!' in out
    assert err.count("\n  => accept, with ") == 4
    assert "  | Please correct this:\n  | - Title: must have 5 to 60 characters\n" in err


@pytest.mark.slow
def test_without_a_terminal_it_cancels_and_says_so(elicitkit: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = elicitkit("demo")

    assert code == Exit.FINE
    assert out.endswith("No talk was planned (cancelled). Perhaps next year!\n")
    assert "no terminal to ask at; cancelled" in err


TALK = accept(title="Tea and tests", length="talk", topics=["testing"])
TRIP = accept(email="ada@example.com", arrival="2027-05-11", travelCosts=None, meals=[])


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("script", "end"),
    [
        ([decline()], "No talk was planned (declined). Perhaps next year!"),
        ([TALK, cancel()], '"Tea and tests" is on the list, without a trip (cancelled): join us by video.'),
        ([TALK, TRIP, accept(confirm=False)], '"Tea and tests" is planned, and stays a secret for now.'),
        ([TALK, TRIP, decline()], '"Tea and tests" is planned, and stays a secret for now.'),
        ([TALK, TRIP, accept(confirm=True)], '"Tea and tests" is announced. See you at the harbour!'),
    ],
)
async def test_every_way_through_ends_in_a_friendly_result(script: list[object], end: str, mode: str) -> None:
    with anyio.fail_after(10), ScriptedAnswers(script) as answers:  # type: ignore[arg-type]
        async with Client(demo_server.mcp, mode=mode, elicitation_callback=answers) as client:
            result = await client.call_tool("plan_talk", {})

    assert not result.is_error
    assert result.content[0].text.startswith(end)  # type: ignore[union-attr]


# --- at a terminal ----------------------------------------------------------------------------------------------------

TALK_KEYS = {
    "Question from Harbour Talks": ENTER,
    "Title": "Tea" + ENTER,
    "! Title: must have 5 to 60 characters": " and tests" + ENTER,
    "2 of 7 · Length": ENTER,
    "3 of 7 · Topics": SPACE + ENTER,
    "4 of 7 · Level": ENTER,
    "5 of 7 · Seats": CLEAR + ENTER,
    "6 of 7 · May we record it?": ENTER,
    "7 of 7 · A page about it": ENTER,
    "Send this?": ENTER,
}
TRIP_KEYS = {
    "Now for your trip": ENTER,
    "1 of 6 · E-mail": "ada@example.com" + ENTER,
    "2 of 6 · Arrival": ENTER,
    "3 of 6 · When you speak": ENTER,
    "4 of 6 · Travel Costs": "99.5" + ENTER,
    "5 of 6 · Meals": ENTER,
    "6 of 6 · Anything else": "A quiet room" + ENTER,
    "A quiet room\n? Send": ENTER,
}

CONFIRM_KEYS = {"Announce it (required)": UP + ENTER}


@pytest.mark.slow
def test_a_person_at_a_terminal_plans_a_talk() -> None:
    with at_terminal("demo") as terminal:
        for head, keys in {**TALK_KEYS, **TRIP_KEYS, **CONFIRM_KEYS}.items():
            terminal.is_asked(head)
            terminal.press(keys)

        assert terminal.ends() == Exit.FINE
        result = terminal.sees('"Tea and tests" is announced').rpartition("announced")[2]
        assert "Seats" not in result  # it was cleared, and its default does not come back
        assert "Travel costs  99.5" in result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "end"),
    [(DOWN + ENTER, "No talk was planned (declined)"), (CTRL_C, "No talk was planned (cancelled)")],
    ids=["declines", "cancels"],
)
def test_a_person_may_decline_and_cancel(keys: str, end: str) -> None:
    with at_terminal("demo") as terminal:
        terminal.is_asked("What now?")
        terminal.press(keys)

        assert terminal.ends() == Exit.FINE
        assert end in terminal.seen()
