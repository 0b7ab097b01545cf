"""`Hearing`: reads notifications on the event loop itself, which saves a thread between a change and whoever waits.

Reading never blocks: it is done when something has come. Connecting does, and is left to a thread, which waits here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Final

import psycopg

from .postgres_connections import Connection

_LOOK: Final = 1.0
"""How often the thread looks whether its loop is still there, in seconds: one that was killed tells nobody."""


class Hearing:
    """One connection on which somebody listens.

    Args:
        loop: Where what was heard is told.
        connection: The connection; nothing else is done with it meanwhile.
        heard: What is told each payload.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, connection: Connection, heard: Callable[[str], None]) -> None:
        self._loop = loop
        self._connection = connection
        self._socket = connection.fileno()
        self._heard = heard
        self._is_over = threading.Event()
        self._is_impossible = False
        self._error: psycopg.Error | None = None

    def run(self) -> bool:
        """Hear until the connection or the loop is lost; false if this kind of loop watches no sockets. In a thread.

        Raises:
            psycopg.Error: If the connection is lost.
            RuntimeError: If the loop was closed.
        """
        self._loop.call_soon_threadsafe(self._begin)
        while not self._is_over.wait(_LOOK):
            if self._loop.is_closed():
                raise RuntimeError("the event loop was closed")
        if self._error is not None:
            raise self._error
        return not self._is_impossible

    # --- on the event loop -------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            self._loop.add_reader(self._socket, self._read)
        except NotImplementedError:  # That of Windows, unless another is chosen.
            self._is_impossible = True
            self._is_over.set()
        else:
            self._read()  # What came before.

    def _read(self) -> None:
        connection = self._connection.pgconn
        try:
            connection.consume_input()
            while (note := connection.notifies()) is not None:
                self._heard(note.extra.decode(errors="replace"))
        except psycopg.Error as error:
            self._error = error
            self._loop.remove_reader(self._socket)
            self._is_over.set()
