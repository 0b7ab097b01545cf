"""What is printed between the questions (design, section 10)."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.console import Console, Group, RenderableType

from elicitkit.errors import Fault
from elicitkit.fields import ChoiceField, Field, MultiChoiceField, Option, TextField, UnknownField
from elicitkit.forms import Form
from elicitkit.limits import MESSAGE_CHARACTERS
from elicitkit.render.terminal.asked import Asked
from elicitkit.render.terminal.screens import field_head, outline, problems, review, undrawable
from elicitkit.render.terminal.screens import heading as heading_of
from elicitkit.render.wording import CREDENTIAL_WARNING

HOSTILE = (
    "\x1b[31m[red]R[/red]\x1b]8;;https://evil.example\x07L\x1b]8;;\x07\u202e[link=https://evil.example]x[/link]:+1:\x07"
)
HARMLESS = "[red]R[/red]L[link=https://evil.example]x[/link]:+1:"


def heading(asker: str, message: str, fields: Sequence[Field] = (), **known: Any) -> RenderableType:
    return Group(heading_of(Asked(Form(message), asker, **known)), *outline(fields, "Shift-Tab"))


def printed(screen: RenderableType, width: int = 80) -> str:
    """What goes to a terminal that has colours, styles left out: the tests look at the text."""
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(screen)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def bytes_to_a_colour_terminal(screen: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=200, force_terminal=True, color_system="truecolor").print(screen)
    return out.getvalue()


def test_the_heading_says_that_a_server_asks() -> None:
    assert "Question from shop (The Shop)\n" in printed(heading("shop (The Shop)", "Where to?", []))


def test_the_heading_says_how_many_wait_and_until_when() -> None:
    """Issue 9, point 5: several questions queued."""
    moment = datetime(2026, 11, 30, 12, tzinfo=UTC)

    screen = printed(heading("shop", "Where to?", waiting=lambda: 2, until=moment))

    assert "2 more questions wait.\n" in screen
    assert f"Open until {moment.astimezone():%d %B %Y, %H:%M}.\n" in screen
    assert "1 more question waits.\n" in printed(heading("shop", "Where to?", waiting=lambda: 1))
    assert "wait" not in printed(heading("shop", "Where to?"))


def test_line_breaks_of_the_message_are_kept() -> None:
    """Report R157."""
    screen = printed(heading("shop", "Proceed?\nWrite post 172?\n\n  Content: x", []))

    assert "│ Proceed?\n│ Write post 172?\n│\n│   Content: x" in screen


def test_a_message_cannot_pass_for_a_line_of_ours() -> None:
    """Each line of it stands beside a bar, wrapped ones too."""
    screen = printed(heading("shop", "Fine.\n\nQuestion from bank " + "word " * 30, []), width=40)

    lines = screen.partition("shop\n\n")[2].splitlines()
    assert len(lines) > 5
    assert all(line.startswith("│") for line in lines)


def test_the_longest_message_is_shown_whole() -> None:
    screen = printed(heading("shop", "#" * MESSAGE_CHARACTERS, []))

    assert screen.count("#") == MESSAGE_CHARACTERS


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([], ""),
        ([TextField("x", title="Name")], "It asks for Name."),
        ([TextField("a"), UnknownField("b"), TextField("c")], "It asks for 2 answers: A, C."),
        ([TextField(f"f{i}") for i in range(10)], "F6, F7 and 2 more."),
        (
            [MultiChoiceField("x", title="Speed", options=(Option("s", "Slow"), Option("f")))],
            "It asks for Speed: Slow, f.",
        ),
    ],
)
def test_the_heading_tells_what_will_be_asked(fields: list[Field], words: str) -> None:
    """Issue 9, point 5: the options of a lone choice are always visible."""
    screen = printed(heading("shop", "Hm?", fields))

    assert words in screen
    assert ("Shift-Tab goes back, Ctrl-C cancels." in screen) == bool(fields)


def test_a_field_says_all_there_is_to_know() -> None:
    field = TextField("pin", title="Your PIN", required=True, description="Four digits.\nNot five.", max_length=4)

    lines = printed(field_head(field, position="2 of 3 · "), width=200).splitlines()

    assert lines == [
        "",
        "2 of 3 · Your PIN (required)",
        "│ Four digits.",
        "│ Not five.",
        "  at most 4 characters",
        f"  ! {CREDENTIAL_WARNING}",
    ]


def test_hostile_text_is_drawn_as_text_everywhere() -> None:
    field = TextField("x", title=HOSTILE, description=HOSTILE, default=HOSTILE)
    unknown = UnknownField("y", title=HOSTILE, description=HOSTILE, reason=HOSTILE)
    choice = ChoiceField("z", title=HOSTILE, options=(Option(HOSTILE, HOSTILE),))
    fields = [field, unknown, choice]
    screens = [heading(HOSTILE, HOSTILE, fields), review(HOSTILE, fields, {"x": HOSTILE, "z": HOSTILE})]
    screens += [*map(field_head, fields), undrawable([unknown]), problems([Fault("x", HOSTILE, HOSTILE)])]

    for screen in screens:
        assert HARMLESS[:6] in printed(screen, width=200)
        sent = bytes_to_a_colour_terminal(screen)
        assert not {"\x07", "\x08", "\u202e", "\x9b", "👍"} & set(sent)
        assert "\x1b]" not in sent
        assert "\x1b[31m" not in sent


def test_the_review_fits_a_narrow_terminal() -> None:
    field = TextField("x", title="A label that is rather long, and goes on", required=True)

    lines = printed(review("shop", [field], {"x": "#" * 100}), width=40).splitlines()

    assert max(map(len, lines)) <= 40
    assert sum(line.count("#") for line in lines) == 100


def test_wide_characters_are_measured_by_their_cells() -> None:
    lines = printed(review("shop", [TextField("x", title="名前"), TextField("y")], {"x": "値", "y": "v"})).splitlines()

    assert "  名前  値" in lines
    assert "  Y     v" in lines


# --- what came with a question ----------------------------------------------------------------------------------------


def test_what_came_with_it_stands_below_the_message_beside_a_bar() -> None:
    screen = printed(heading("shop", "Delete?", details="paths:\n  - /etc\n  - /home"))

    assert screen.endswith("│ Delete?\n\nWhat came with it:\n│ paths:\n│   - /etc\n│   - /home")
    assert "What came" not in printed(heading("shop", "Delete?"))


def test_what_is_wrapped_begins_no_entry() -> None:
    """A text that is long enough could put words where an entry begins."""
    screen = printed(heading("shop", "Delete?", details=f"  x: {'word ' * 7}paths: none"), width=44)

    wrapped = screen.partition("came with it:\n")[2].splitlines()
    assert wrapped[0].startswith("│   x: word")
    assert len(wrapped) > 1
    assert all(line.startswith("│       ") for line in wrapped[1:])


def test_what_came_with_it_plays_no_tricks() -> None:
    """Design, section 10."""
    sent = bytes_to_a_colour_terminal(heading("shop", "Delete?", details=f"x: {HOSTILE}\ny: {HOSTILE}"))

    assert HARMLESS in sent
    assert not {"\x07", "\u202e"} & set(sent)
    assert "\x1b]" not in sent


def test_even_what_is_far_in_stays_on_the_screen() -> None:
    screen = printed(heading("shop", "Delete?", details=" " * 200 + "x: 1"), width=24)

    assert "x: 1" in screen
    assert max(map(len, screen.splitlines())) <= 24


def test_an_end_that_is_near_is_told_with_its_seconds() -> None:
    """To the minute it would look as if it were over."""
    near = datetime.now(UTC) + timedelta(seconds=90)

    assert f"Open until {near.astimezone():%H:%M:%S}." in printed(heading("shop", "Go?", until=near))
