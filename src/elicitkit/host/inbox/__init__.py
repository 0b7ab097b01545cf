"""The inbox of a host: questions that wait for people, wherever they answer."""

from ...tasks.listing import EVERYBODY
from .entry import Entry, Page, State, Viewer
from .inbox import Inbox
from .resumable import Resumable
from .store import Asking, Closing, InboxStore, Kept, SweptEntries

__all__ = [
    "EVERYBODY",
    "Asking",
    "Closing",
    "Entry",
    "Inbox",
    "InboxStore",
    "Kept",
    "Page",
    "Resumable",
    "State",
    "SweptEntries",
    "Viewer",
]
