"""Answers that are piped in, line by line, and the terminal that a process has beside its streams."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import anyio
import pytest

from elicitkit import FormElicitation
from elicitkit.outcomes import Cancelled, Declined
from elicitkit.render.terminal import device, fill, has_terminal, pipe

pytestmark = pytest.mark.anyio

FORM = FormElicitation.create("Who?").string("name").required().boolean("news").build()


@pytest.fixture(autouse=True)
def nothing_is_read_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "_reading", None)


def piped(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


@contextmanager
def pipeline() -> Iterator[tuple[TextIO, TextIO]]:
    """Both ends of a pipe."""
    reading, writing = os.pipe()
    with open(reading) as out_of, open(writing, "w") as into:
        yield out_of, into


async def test_lines_that_are_piped_in_are_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 9, point 5; what is asked goes where no result goes."""
    piped(monkeypatch, "1", "Ada", "yes", "send")

    with anyio.fail_after(5):
        outcome = await fill(FORM, "shop", piped=True)

    assert outcome.content == {"name": "Ada", "news": True}
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "1 of 2 · Name (required)\n> Ada\n" in captured.err
    assert captured.err.endswith("Send this? (number, Enter for 1) > send\nSent.\n")


@pytest.mark.parametrize("lines", [(), ("1",), ("1", "Ada")])
async def test_where_the_lines_end_the_question_is_cancelled(
    lines: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped(monkeypatch, *lines)

    with anyio.fail_after(5):
        assert await fill(FORM, "shop", piped=True) == Cancelled("headless")
    assert capsys.readouterr().err.endswith(
        "> \nThe input ended before this was answered: cancelled. No answer was sent.\n"
    )


async def test_without_standard_input_the_question_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with anyio.fail_after(5):
        assert await fill(FORM, "shop", piped=True) == Cancelled("headless")


async def test_a_line_that_nobody_waits_for_any_more_is_the_next_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read cannot be stopped when its question is withdrawn."""
    with pipeline() as (stdin, feeding), anyio.fail_after(5):
        monkeypatch.setattr(sys, "stdin", stdin)
        with anyio.move_on_after(0.05):
            await fill(FORM, "withdrawn", piped=True)
        feeding.write("decline\n")
        feeding.flush()

        assert await fill(FORM, "shop", piped=True) == Declined()


async def test_bytes_that_are_no_text_end_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))

    with anyio.fail_after(5):
        assert await fill(FORM, "shop", piped=True) == Cancelled("headless")


def test_a_process_without_a_terminal_has_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch)

    assert not has_terminal()
    with device.controlling_terminal() as found:
        assert found is None


def test_a_terminal_of_another_process_group_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, line = os.openpty()
    try:
        monkeypatch.setattr(device, "TERMINAL", os.ttyname(line))
        with device.controlling_terminal() as found:
            assert found is None
    finally:
        os.close(keyboard)
        os.close(line)
