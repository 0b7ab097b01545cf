"""`Outage`: what cannot be reached is told once when it goes and once when it is back (issue 8, 3)."""

import pytest
from anyio import fail_after

from elicitkit.tasks.engines.outage import Outage

pytestmark = pytest.mark.anyio

AGAIN = "Redis at redis://there can be reached again"


def gone(why: str) -> str:
    return f"Redis at redis://there cannot be reached ({why}): tasks wait until it can, and none is lost"


@pytest.fixture
def outage() -> Outage:
    return Outage("Redis at redis://there")


def test_an_outage_is_told_once_when_it_begins_and_once_when_it_is_over(
    outage: Outage, caplog: pytest.LogCaptureFixture
) -> None:
    for error in ("refused", "reset"):
        outage.begin(error)
    outage.doubt()
    for _ in range(2):
        outage.end()

    assert caplog.messages == [gone("refused"), AGAIN]


def test_loops_that_find_one_outage_at_different_times_tell_it_once(
    outage: Outage, caplog: pytest.LogCaptureFixture
) -> None:
    """One fails before the others, one while it is known, and one when all is over."""
    adding, feeding, late = (outage.times_reached for _ in range(3))
    outage.begin("refused", since=adding)
    outage.begin("reset", since=feeding)
    outage.end()
    outage.begin("timed out", since=late)

    assert caplog.messages == [gone("refused"), AGAIN]


async def test_what_fails_after_an_outage_that_it_was_tried_in_is_a_reason_to_look(
    outage: Outage, caplog: pytest.LogCaptureFixture
) -> None:
    """Redis may be gone again, and what was tried is to be tried again."""
    outage.begin("refused")
    tried = outage.times_reached
    outage.end()
    assert not outage.is_doubtful
    outage.begin("timed out", since=tried)

    assert not outage.is_on
    assert outage.is_doubtful
    with fail_after(5):
        await outage.doubted()
    outage.end()
    assert not outage.is_doubtful
    assert caplog.messages == [gone("refused"), AGAIN]


def test_a_second_outage_soon_after_the_first_is_told(outage: Outage, caplog: pytest.LogCaptureFixture) -> None:
    for why in ("refused", "reset"):
        outage.begin(why, since=outage.times_reached)
        outage.end()

    assert caplog.messages == [gone("refused"), AGAIN, gone("reset"), AGAIN]


def test_what_fails_late_does_not_hide_a_second_outage(outage: Outage, caplog: pytest.LogCaptureFixture) -> None:
    late = outage.times_reached
    outage.begin("refused")
    outage.end()
    outage.begin("timed out", since=late)
    outage.begin("reset")

    assert outage.is_on
    assert caplog.messages == [gone("refused"), AGAIN, gone("reset")]
