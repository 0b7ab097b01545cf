"""Letters at a short list (issue 9: "native controls"; browsers do the same in theirs)."""

import pytest

from elicitkit import FormElicitation
from elicitkit.render.terminal.typeahead import PAUSE, TypeAhead
from tests.render.terminal.person import DOWN, ENTER, FILL_IN, SEND, answer
from tests.render.terminal.test_questions import choosing

pytestmark = pytest.mark.anyio

MENU = ["Fill in", "Decline", "Cancel"]


def typed(text: str, labels: list[str] = MENU, *, at: int = 0, pause: float = 0.1) -> int:
    letters = TypeAhead(labels)
    for count, letter in enumerate(text):
        at = letters.typed(letter, at, count * pause)
    return at


@pytest.mark.parametrize(("text", "place"), [("d", 1), ("C", 2), ("dec", 1), ("f", 0), ("x", 0)])
def test_the_pointer_goes_to_what_begins_with_what_was_typed(text: str, place: int) -> None:
    assert typed(text) == place


@pytest.mark.parametrize("name", ["Ada Lovelace", "Dee", "Cancún", "deaf", "cd", "日本"])
@pytest.mark.parametrize("pause", [0.1, PAUSE * 0.9])
def test_a_name_typed_at_a_menu_leaves_the_pointer_where_it_was(name: str, pause: float) -> None:
    assert typed(name, pause=pause) == 0


def test_the_same_letter_again_walks_through_all_that_begin_with_it() -> None:
    fruit = ["apple", "banana", "blueberry", "cherry"]

    assert [typed("b" * count, fruit) for count in (1, 2, 3)] == [1, 2, 1]


def test_a_label_in_brackets_is_found_by_its_first_letter() -> None:
    labels = ["red", "green", "(decline)", "(cancel)"]

    assert typed("d", labels) == typed("(d", labels) == 2


def test_after_a_pause_a_letter_begins_another_word() -> None:
    assert typed("xd") == 0
    assert typed("xd", pause=PAUSE + 1) == 1


def test_after_the_arrows_a_letter_begins_another_word_from_there() -> None:
    letters = TypeAhead(["Yes", "No", "Not now"])
    assert letters.typed("y", 0, 0) == 0

    assert letters.typed("n", 1, 0.1) == 2


async def test_a_name_typed_before_the_form_was_read_declines_nothing() -> None:
    outcome = await answer(choosing("red", "green"), "Ada Lovelace", ENTER)

    assert outcome.content == {"x": "red"}


async def test_a_letter_that_questionary_has_taken_for_itself_jumps_too() -> None:
    outcome = await answer(choosing("red", "amber", "indigo"), "i", ENTER)

    assert outcome.content == {"x": "indigo"}


async def test_a_letter_goes_to_a_box_and_ticks_nothing() -> None:
    form = FormElicitation.create("Which?").multi_choice("x").options(["red", "amber", "indigo"])

    outcome = await answer(form, FILL_IN, "i", " ", DOWN, ENTER, SEND)

    assert outcome.content == {"x": ["indigo"]}
