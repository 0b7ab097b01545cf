"""How large things may be: one named constant for each limit, used by every module that enforces it."""

from typing import Final

MESSAGE_CHARACTERS: Final = 10_000
"""The longest message of a form, in characters."""

FIELDS: Final = 64
"""The most fields one form may have."""

OPTIONS: Final = 1_000
"""The most options one choice may have."""

SCHEMA_BYTES: Final = 128 * 1024
"""The largest requested schema of a form, in bytes of JSON."""

ANSWER_BYTES: Final = 256 * 1024
"""The largest answer to a question asked on a live connection, in bytes of JSON."""

ROUND_TRIP_ANSWER_BYTES: Final = 32 * 1024
"""The largest answer to a question asked by round trip, in bytes of JSON: it has to travel back in the state."""

STATE_BYTES: Final = 512 * 1024
"""The largest sealed `requestState`, in bytes."""

ROUND_BYTES: Final = 900 * 1024
"""The largest round, questions and sealed state together: the SDK's client ends an event at 1 MiB."""

ROUND_QUESTIONS: Final = 16
"""The most questions one round may carry."""

ROUNDS: Final = 10
"""The most rounds one call may take: the SDK's client gives up after as many."""

FOLDED_OPTIONS: Final = 12
"""The most options of a multiple choice that a 2025-06-18 client can be shown, as one boolean each."""

OPEN_REQUESTS: Final = 1_000
"""The most questions that may be open for one principal, in all its tasks; where nobody is authenticated, any."""

OPEN_ENTRIES: Final = 20_000
"""The most questions that may be open in one inbox."""

ENTRY_BYTES: Final = 256 * 1024
"""The largest request that an inbox keeps, in bytes of JSON."""

CALL_BYTES: Final = 1024 * 1024
"""The largest call that an inbox keeps to be resumed, in bytes of JSON."""

NAME_CHARACTERS: Final = 200
"""The longest name of a host or a person in an inbox, in characters."""

API_BODY_BYTES: Final = 1024 * 1024
"""The largest body that the inbox reads over HTTP, in bytes: an answer, spelt with escapes."""

NOTE_CHARACTERS: Final = 2_000
"""The longest note beside an answer in an inbox, in characters."""

PAGE_ENTRIES: Final = 200
"""The most entries that one page of an inbox lists."""

LOST_RUNS: Final = 5
"""How many runs of a task in a row may be lost, each with its process, before it is given up."""

LISTED_TASKS: Final = 1_000
"""The most tasks a page of a listing may have."""

STATUS_CHARACTERS: Final = 1_000
"""What is kept of the status message of a task, in characters: it goes out with each poll."""
