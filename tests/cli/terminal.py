"""A person at a real pseudo-terminal: keys go in, and what would be on the screen comes out."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import pyte

ENTER, SPACE, CLEAR = "\r", " ", "\x15"
UP, DOWN = "\x1b[A", "\x1b[B"
CTRL_C = "\x03"

ROWS, COLUMNS = 50, 100


class Terminal:
    """The command at a terminal.

    It is started without `forkpty`, which newer Pythons warn of where there are threads.
    """

    def __init__(self, command: list[str], *, patience: float) -> None:
        self._patience = patience
        self._screen = pyte.HistoryScreen(COLUMNS, ROWS, history=1_000)
        self._stream = pyte.ByteStream(self._screen)
        self._keyboard, line = os.openpty()
        fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        path = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "elicitkit", *command],
            stdin=line,
            stdout=line,
            stderr=line,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": path, "PYTHONUTF8": "1"},
        )
        os.close(line)

    def sees(self, text: str) -> str:
        """Wait until this is on the screen, or has been; all that is or was comes back."""
        return self._waits(re.escape(text))

    def is_asked(self, head: str) -> str:
        """Wait until there is somewhere to answer below this: before that, the terminal would act on some keys."""
        return self._waits(re.escape(head) + r"[\s\S]*\n ?[>»]")

    def seen(self) -> str:
        """Every line, from the first on."""
        gone = ["".join(line[column].data for column in range(COLUMNS)) for line in self._screen.history.top]
        return "\n".join(line.rstrip() for line in (*gone, *self._screen.display) if line.strip())

    def press(self, *keys: str) -> None:
        """Type."""
        os.write(self._keyboard, "".join(keys).encode())

    def ends(self) -> int:
        """Wait for the command to end, and give its exit code."""
        while self._is_fed():
            pass
        return self._process.wait(self._patience)

    def close(self) -> None:
        """End the command if it has not ended."""
        self._process.kill()
        self._process.wait()
        os.close(self._keyboard)

    def _waits(self, pattern: str) -> str:
        while not re.search(pattern, self.seen()):
            assert self._is_fed(), f"never saw {pattern} in:\n{self.seen()}"
        return self.seen()

    def _is_fed(self) -> bool:
        """Draw what comes next; false when nothing will."""
        if not select.select([self._keyboard], [], [], self._patience)[0]:
            raise TimeoutError(f"nothing happened any more after:\n{self.seen()}")
        try:
            written = os.read(self._keyboard, 65_536)
        except OSError:  # How Linux says that nobody is at the other end any more.
            return False
        self._stream.feed(written)
        return bool(written)


@contextmanager
def at_terminal(*command: str, patience: float = 30) -> Iterator[Terminal]:
    """Run the command at a terminal of its own."""
    terminal = Terminal(list(command), patience=patience)
    try:
        yield terminal
    finally:
        terminal.close()
