"""A person at a terminal, in memory: real keys go in, and what would be on the screen comes out."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pyte
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from elicitkit.fields import BooleanField, ChoiceField
from elicitkit.forms import Content, Form, FormSource
from elicitkit.outcomes import Outcome
from elicitkit.render.terminal import fill

ENTER, SPACE, BACKSPACE, CLEAR = "\r", " ", "\x7f", "\x15"
UP, DOWN, LEFT, PAGE_UP, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[5~", "\x1b[6~"
BACK = "\x1b[Z"
CTRL_C, CTRL_D = "\x03", "\x04"

FILL_IN = SEND = ENTER
CHANGE = DOWN + ENTER


async def answer(form: FormSource[Any], *keys: str, asker: str = "shop", **known: Any) -> Outcome[Content]:
    """Put a form to a person who presses these keys; one who has no more keys never comes back."""
    with anyio.fail_after(20), create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text("".join(keys))
        return await fill(form.build(), asker, **known)


async def answer_and_send(form: FormSource[Any], *keys: str, enter: str = ENTER) -> Outcome[Content]:
    """The same for keys that fill in the fields alone: whatever is to be chosen before and after them is chosen."""
    match form.build().fields:
        case (BooleanField() | ChoiceField(),):
            return await answer(form, *keys)
        case _:
            return await answer(form, enter, *keys, enter)


def lone(properties: dict[str, Any], *required: str, message: str = "A question") -> Form[Content]:
    """A form of a stranger's."""
    return Form.from_schema(message, {"type": "object", "properties": properties, "required": list(required)})


class Seat:
    """A person who looks at the screen before pressing the next key."""

    def __init__(self, keyboard: PipeInput, written: io.StringIO, columns: int, rows: int) -> None:
        self._keyboard = keyboard
        self._written = written
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self._seen = 0
        self.asked: asyncio.Task[Any] | None = None

    @property
    def written(self) -> str:
        """Every character that went to the terminal."""
        return self._written.getvalue()

    def lines(self) -> list[str]:
        """What is on the screen now, without empty lines."""
        return [row for row in self.rows() if row]

    def rows(self) -> list[str]:
        """What is on the screen now."""
        written = self.written
        self._stream.feed(written[self._seen :].replace("\n", "\r\n"))
        self._seen = len(written)
        return [line.rstrip() for line in self._screen.display]

    def press(self, *keys: str) -> None:
        self._keyboard.send_text("".join(keys))

    async def sees(self, text: str) -> list[str]:
        """Wait until some line holds this; the screen comes back."""
        while not any(text in line for line in self.lines()):
            await anyio.lowlevel.checkpoint()
        return self.lines()

    async def outcome(self) -> Any:
        assert self.asked is not None
        return await self.asked


@asynccontextmanager
async def seated(
    form: FormSource[Any],
    monkeypatch: pytest.MonkeyPatch,
    *,
    columns: int = 80,
    rows: int = 24,
    asker: str = "shop",
    **known: Any,
) -> AsyncIterator[Seat]:
    """A person at a terminal of this size, who is asked this."""
    asking = fill(form.build(), asker, **known)
    async with seated_before(asking, monkeypatch, columns=columns, rows=rows) as seat:
        yield seat


@asynccontextmanager
async def seated_before(
    asking: Coroutine[Any, Any, Any], monkeypatch: pytest.MonkeyPatch, *, columns: int = 80, rows: int = 24
) -> AsyncIterator[Seat]:
    """The same for `fill` or `visit`, as it is called."""
    written = io.StringIO()
    output = Vt100_Output(written, lambda: Size(rows=rows, columns=columns), term="xterm")
    with anyio.fail_after(20), create_pipe_input() as keyboard, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", written)
        with create_app_session(input=keyboard, output=output):
            seat = Seat(keyboard, written, columns, rows)
            seat.asked = asyncio.create_task(asking)
            try:
                yield seat
            finally:
                seat.asked.cancel()
                await asyncio.wait([seat.asked])
