"""The terminal prompt: one form, put to the person who sits at the terminal.

`controls` and `text` say what is asked and shown, `screens` draws what stands between the questions, and `dialogue`
leads the conversation over the port `prompts`, which `questions` and `lines` implement. Only this module can be
imported without the extra `terminal`; it imports the others when a form is to be filled in.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...errors import MissingExtra

if TYPE_CHECKING:
    from ...forms import Content, Form
    from ...outcomes import Outcome

_EXTRA = frozenset({"questionary", "prompt_toolkit", "rich"})

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def fill(form: Form[Any], asker: str) -> Outcome[Content]:
    """Put one form to the person at the terminal, and give the outcome.

    The event loop runs on meanwhile. Forms that are asked at the same time wait for each other. When the task is
    cancelled, the question closes and the terminal is as it was.

    Args:
        form: What to ask. Texts in it may be hostile.
        asker: Who asks, as the person knows it: a server's name and title. It may be hostile too.

    Raises:
        MissingExtra: If the extra `terminal` is not installed; nothing was shown.
    """
    try:
        from .session import ask
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtra("terminal", "The terminal prompt") from None
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        return await ask(form, asker)


def has_terminal() -> bool:
    """Whether there is a person to ask: both standard input and output are a terminal."""
    return all(stream is not None and not stream.closed and stream.isatty() for stream in (sys.stdin, sys.stdout))
