"""The port to a real terminal, by questionary.

A question of questionary's is a prompt_toolkit application, which is changed here before it runs: Ctrl-D works in
lists too, long lists scroll and wrap, and any letter filters. Two habits of prompt_toolkit would be wrong on an event
loop that is not its own, and are off: to catch the exceptions of other tasks, and to ask the terminal where the cursor
is and complain when it does not say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import questionary
from prompt_toolkit.application import Application, get_app
from prompt_toolkit.filters import Condition, to_filter
from prompt_toolkit.formatted_text import AnyFormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Dimension, ScrollbarMargin, Window
from prompt_toolkit.output import Output
from prompt_toolkit.renderer import CPR_Support
from prompt_toolkit.styles import Style
from questionary.prompts.common import InquirerControl
from rich.console import RenderableType
from rich.text import Text

from ..controls import MANY, Line, Pick, Tick
from . import output
from .prompts import GoBack
from .screens import Hanging
from .typeahead import TypeAhead

_ROWS_AROUND_A_LIST = 6
_PAGE = 10
_INDENT = " " * 5
_STYLE = Style(  # no colours: they have to be read on light and on dark
    [
        ("qmark", "bold fg:ansidefault"),
        ("answer", "bold fg:ansidefault"),
        ("pointer", "bold"),
        ("highlighted", "bold"),
        ("instruction", "italic"),
    ]
)


class Questions:
    """Prompts that are edited in place, and lists that are walked with the arrow keys."""

    back_key = "Shift-Tab"

    def show(self, *screen: RenderableType) -> None:
        """See `Prompts.show`."""
        output.show(*screen)

    async def line(self, control: Line, *, back: bool = False) -> Line:
        """Have a line typed."""
        further = _INDENT[: len(">  ")]  # A default may have lines, and none of them is to look like one of ours.
        question = questionary.text("", default=control.text, qmark=">", style=_STYLE, prompt_continuation=further)
        return Line(await _run(question.application, back=back))

    async def pick(self, control: Pick, *, back: bool = False) -> Pick:
        """Have one of a list picked."""
        is_long = len(control.labels) >= MANY
        question = questionary.select(
            control.question,
            choices=_choices(control.labels),
            default=str(control.at),
            qmark="?" if control.question else ">",
            instruction=_instruction(is_long, "Enter sends" if control.sends else "Enter chooses"),
            use_jk_keys=False,
            use_search_filter=is_long,
            style=_STYLE,
        )
        for _, items in _lists(question.application):
            items.selected_options = []  # or the default would be drawn as chosen wherever the pointer is
        at = int(await _run(question.application, back=back))
        output.show(_answered(control.question, control.labels[at]))
        return replace(control, at=at)

    async def tick(self, control: Tick, *, back: bool = False) -> Tick:
        """Have some of a list ticked."""
        is_long = len(control.labels) >= MANY
        question = questionary.checkbox(
            "",
            choices=_choices(control.labels, control.ticked),
            qmark=">",
            instruction=_instruction(is_long, "space ticks, Enter goes on"),
            use_jk_keys=False,
            use_search_filter=is_long,
            style=_STYLE,
        )
        ticked = frozenset(map(int, await _run(question.application, back=back)))
        output.show(_answered("", ", ".join(control.labels[place] for place in sorted(ticked)) or "(none)"))
        return Tick(control.labels, ticked)


def _answered(question: str, answer: str) -> Hanging:
    """What stays of a list when it is answered: a line of ours, in which no label begins one."""
    return Hanging(Text.assemble(f"? {question} " if question else ">  ", (answer, "bold")))


def _choices(labels: tuple[str, ...], ticked: frozenset[int] = frozenset()) -> list[questionary.Choice]:
    return [questionary.Choice(label, str(i), checked=i in ticked) for i, label in enumerate(labels)]


def _instruction(is_long: bool, rest: str) -> str:
    return f"(type to filter, {rest})" if is_long else f"(arrows, {rest})"


async def _run(application: Application[Any], *, back: bool) -> Any:
    bindings = [application.key_bindings, _dismissing()]
    for window, items in _lists(application):
        application.erase_when_done = True
        _fit(window, items, application.output)
        bindings += [_walking(items), _say_when_nothing_matches(items)]
    if back:
        bindings.append(_going_back())
    application.key_bindings = merge_key_bindings([one for one in bindings if one is not None])
    application.renderer.cpr_support = CPR_Support.NOT_SUPPORTED
    try:
        return await application.run_async(set_exception_handler=False)
    except (KeyboardInterrupt, OSError):
        raise EOFError from None


def _lists(application: Application[Any]) -> Iterator[tuple[Window, InquirerControl]]:
    """The list of a question, and the window it is in; a line has none."""
    for window in application.layout.find_all_windows():
        if isinstance(window.content, InquirerControl):
            yield window, window.content


def _dismissing() -> KeyBindings:
    """Ctrl-C, and Ctrl-D where it has nothing to delete, end every question."""
    bindings = KeyBindings()
    nothing_to_delete = Condition(lambda: not get_app().current_buffer.document.current_char)

    @bindings.add("c-d", eager=True, filter=nothing_to_delete)
    @bindings.add("c-c", eager=True)
    @bindings.add("<sigint>", eager=True)
    def dismiss(event: KeyPressEvent) -> None:
        event.app.exit(exception=EOFError)

    return bindings


def _going_back() -> KeyBindings:
    """Shift-Tab leaves a question for the one before; a line that was begun comes along."""
    bindings = KeyBindings()

    @bindings.add("s-tab", eager=True)
    def leave(event: KeyPressEvent) -> None:
        is_line = not any(_lists(event.app))
        event.app.exit(exception=GoBack(Line(event.app.current_buffer.text) if is_line else None))

    return bindings


def _fit(window: Window, items: InquirerControl, screen: Output) -> None:
    """Let a list take what the terminal has at the time, wrap what is too wide, and scroll what is too long."""

    def most() -> int:
        return max(screen.get_size().rows - _ROWS_AROUND_A_LIST, 3)

    window.height = lambda: Dimension(max=most())
    window.dont_extend_height = to_filter(True)  # or a filter that finds little would leave a screen of nothing
    window.wrap_lines = to_filter(True)
    window.get_line_prefix = lambda _, wrapped: _INDENT if wrapped else ""
    if items.choice_count > most():
        window.right_margins = [ScrollbarMargin()]


def _walking(items: InquirerControl) -> KeyBindings:
    """Pages; letters of every alphabet, which filter or jump; and no hidden keys that tick everything."""
    bindings = KeyBindings()
    is_filtered = Condition(lambda: len(items.choices) >= MANY)

    @bindings.add("pagedown", eager=True)
    def down(_: KeyPressEvent) -> None:
        items.pointed_at = min(items.pointed_at + _PAGE, items.choice_count - 1)

    @bindings.add("pageup", eager=True)
    def up(_: KeyPressEvent) -> None:
        items.pointed_at = max(items.pointed_at - _PAGE, 0)

    @bindings.add("<any>", filter=is_filtered)
    def narrow(event: KeyPressEvent) -> None:
        if _is_letter(event):
            items.add_search_character(cast(Keys, event.data))  # a key that is a letter is that letter

    letters = TypeAhead([str(choice.title) for choice in items.choices])

    @bindings.add("<any>", filter=~is_filtered)
    @bindings.add("a", eager=True, filter=~is_filtered)  # questionary's keys for all at once, and the opposite of all
    @bindings.add("i", eager=True, filter=~is_filtered)
    def jump(event: KeyPressEvent) -> None:
        if _is_letter(event):
            items.pointed_at = letters.typed(event.data, items.pointed_at, time.monotonic())

    @bindings.add("tab", eager=True)
    @bindings.add("c-a", eager=True)
    def nothing(_: KeyPressEvent) -> None:
        """All at once is too much for a key hit by mistake."""

    return bindings


def _is_letter(event: KeyPressEvent) -> bool:
    return len(event.data) == 1 and event.data.isprintable()


def _say_when_nothing_matches(items: InquirerControl) -> KeyBindings:
    """A filter that finds nothing shows no list, and takes nothing: questionary would go on with the whole list."""
    bindings = KeyBindings()
    listed = items.text
    finds_nothing = Condition(
        lambda: bool(items.search_filter and items.filtered_choices and not items.found_in_search)
    )

    def text() -> AnyFormattedText:
        return [("class:instruction", "   nothing matches")] if finds_nothing() else listed

    items.text = text

    @bindings.add("enter", eager=True, filter=finds_nothing)
    @bindings.add(" ", eager=True, filter=finds_nothing)
    def stay(_: KeyPressEvent) -> None:
        """There is nothing to take."""

    return bindings
