"""Everything that needs the extra `terminal`, put together: the way of asking that this terminal is up to."""

from __future__ import annotations

from typing import Any

from prompt_toolkit.application import get_app_session
from prompt_toolkit.utils import is_dumb_terminal

from ...forms import Content, Form
from ...outcomes import Outcome
from .dialogue import converse
from .lines import Lines
from .prompts import Prompts
from .questions import Questions

_LEAST_COLUMNS, _LEAST_ROWS = 24, 10
"""In less, lists that are redrawn get in their own way."""


async def ask(form: Form[Any], asker: str) -> Outcome[Content]:
    """Put a form to the person at this terminal."""
    return await converse(form, asker, _prompts())


def _prompts() -> Prompts:
    size = get_app_session().output.get_size()
    is_small = size.columns < _LEAST_COLUMNS or size.rows < _LEAST_ROWS
    return Lines() if is_small or is_dumb_terminal() else Questions()
