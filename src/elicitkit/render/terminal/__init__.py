"""The terminal prompt: one form, put to the person who sits at the terminal.

`screens` draws what stands between the questions, and `dialogue` leads the conversation over the port `prompts`, which
`questions` and `lines` implement. `device` finds the terminal, and `browser` what opens a link; `filling` is the queue
before it, and `hosting` is a host's `wait_for`, over `requests`. Without the extra `terminal` these five can be
imported; the others are when a form is to be filled in.
"""

from .device import has_terminal
from .filling import fill, visit
from .hosting import wait_for

__all__ = ["fill", "has_terminal", "visit", "wait_for"]
