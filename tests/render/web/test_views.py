"""What the pages say about who asks, and about what became of a question."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from elicitkit import Entry, Origin, Request
from elicitkit.render.web.views import asker_of, kind_of, verdict_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENTRY = Entry("0" * 32, Request("r1", "approval", "Go?"), asked_at=NOW, until=NOW + timedelta(days=1))


def from_(origin: Origin, host: str = "") -> Entry:
    return replace(ENTRY, request=origin.noted_in(ENTRY.request), host=host)


@pytest.mark.parametrize(
    ("entry", "name", "role", "rows"),
    [
        (from_(Origin("shop", "pay"), "agent"), "shop", "server", (("Tool", "pay"), ("Host", "agent"))),
        (from_(Origin("", "delete"), "agent"), "delete", "tool", (("Host", "agent"),)),
        (from_(Origin(), "agent"), "agent", "host", ()),
        (from_(Origin(task="t1")), "Somebody", "", (("Task", "t1"),)),
        (from_(Origin("\u202e", agents=("a", "b"))), r"'\u202e'", "server", (("Agents", "a → b"),)),
    ],
)
def test_a_question_is_from_whoever_is_nearest(
    entry: Entry, name: str, role: str, rows: tuple[tuple[str, str], ...]
) -> None:
    who = asker_of(entry, NOW)

    assert (who.name, who.role, who.rows) == (name, role, rows)


def test_a_question_whose_host_is_gone_says_that_nobody_waits() -> None:
    leased = replace(ENTRY, waited_until=NOW)

    assert asker_of(leased, NOW - timedelta(seconds=1)).is_waited_for
    assert not asker_of(leased, NOW).is_waited_for


@pytest.mark.parametrize(
    ("closed", "heading", "words"),
    [
        ({"state": "answered", "closed_by": "Ada"}, "Answered", "answered by Ada"),
        ({"state": "answered", "reason": "declined"}, "Declined", "Somebody said no to this."),
        ({"state": "answered", "reason": "failed"}, "Cancelled", "left undecided"),
        ({"state": "expired", "reason": "expired"}, "Too late", "time for an answer is over"),
        ({"state": "withdrawn", "reason": "abandoned"}, "Given up", "would reach nobody"),
        ({"state": "withdrawn", "reason": "cancelled"}, "Withdrawn", "needs no answer"),
        ({}, "Too late", "time for an answer is over"),
    ],
)
def test_what_became_of_a_question_is_said_in_words(closed: dict[str, str], heading: str, words: str) -> None:
    verdict = verdict_of(replace(ENTRY, **closed))

    assert verdict.heading == heading
    assert words in verdict.words


@pytest.mark.parametrize(
    ("closed", "heading", "words"),
    [
        ({"state": "answered"}, "Sent", "on its way"),
        ({"state": "answered", "reason": "declined"}, "Declined", "You said no"),
        ({"state": "answered", "reason": "cancelled"}, "Cancelled", "You left it undecided"),
    ],
)
def test_who_has_just_answered_is_told_what_they_did(closed: dict[str, str], heading: str, words: str) -> None:
    verdict = verdict_of(replace(ENTRY, **closed), is_ours=True)

    assert verdict.heading == heading
    assert words in verdict.words


@pytest.mark.parametrize(
    ("kind", "word"), [("input", "Form"), ("authorization", "Link"), ("x\u202e", "x"), ("question", "Question")]
)
def test_the_kind_of_a_question_is_a_word(kind: str, word: str) -> None:
    assert kind_of(replace(ENTRY, request=Request("r1", kind, "?"))) == word
