"""How the command ends: its exit codes, and the one way a subcommand stops early."""

from __future__ import annotations

from enum import IntEnum

from ..errors import StoreError


class Exit(IntEnum):
    """The exit codes of the command."""

    FINE = 0
    TOOL_FAILED = 1
    FAULTS = 1
    USAGE = 2
    UNREACHABLE = 3
    SCRIPT = 4
    MISSING_EXTRA = 5
    TOO_LATE = 6
    BUG = 70
    INTERRUPTED = 130


MEANINGS = {
    Exit.FINE: "all went well; declining and cancelling is fine too",
    Exit.TOOL_FAILED: "the tool failed, there is no such tool, or a form has faults",
    Exit.USAGE: "wrong usage: arguments, a name, an id, or a file that cannot be read",
    Exit.UNREACHABLE: "the server could not be reached, or broke the protocol; or a store could not be used",
    Exit.SCRIPT: "answers ran out, or scripted ones were left over",
    Exit.MISSING_EXTRA: "an extra is not installed",
    Exit.TOO_LATE: "a question was answered by somebody else, or is asked no longer",
    Exit.BUG: "elicitkit itself failed: please report it",
    Exit.INTERRUPTED: "interrupted",
}
"""What each code means, as `--help` says it."""


class Failure(Exception):
    """Ends a subcommand with an exit code and a line for people. It never leaves `main`."""

    def __init__(self, code: Exit, line: str, *, details: str = "") -> None:
        super().__init__(line)
        self.code = code
        self.line = line
        self.details = details
        """What the other side said, shown below the line."""


def cannot_open(error: StoreError | ValueError) -> Failure:
    """What a store that cannot be opened comes down to: a wrong address, or one that cannot be used at the moment."""
    cause = error.__cause__
    is_no_store = getattr(cause, "sqlite_errorname", None) == "SQLITE_NOTADB"
    is_unusable = isinstance(error, StoreError) and cause is not None and not is_no_store
    return Failure(Exit.UNREACHABLE if is_unusable else Exit.USAGE, str(error))
