"""The road of a run: as the call began, as it is brought back, or to clear up."""

from __future__ import annotations

from collections.abc import Callable

from ..journal import Journal
from .call import TaskCall
from .claim import Claim
from .clearing import ClearingRoad
from .detached import detached_session
from .errands import Help
from .leftovers import Leftovers
from .record import History
from .road import ParkedRoad


def first_road(
    claim: Claim, call: TaskCall, *, journal: Journal | None, help: Help, on_parked: Callable[[], None]
) -> ParkedRoad:
    """The road of a call that goes on as a task.

    Args:
        claim: The claim of its task.
        call: The call.
        journal: What it has asked, been told and done before it was one.
        help: Does work in the background.
        on_parked: Called when it may have begun to wait for people.
    """
    return ParkedRoad(
        claim,
        detached_session(call),
        call_id=call.call_id,
        journal=journal or _before(call),
        help=help,
        on_parked=on_parked,
    )


def later_road(
    claim: Claim, call: TaskCall, history: History, *, help: Help, on_parked: Callable[[], None]
) -> ParkedRoad:
    """The road of a call that is brought back: on with it, or, when it was cancelled, as far as it had come.

    Args:
        claim: The new claim of its task.
        call: The call.
        history: What the store has of it.
        help: As for `first_road`.
        on_parked: As for `first_road`.
    """
    session, journal = detached_session(call), _before(call)
    if history.record.is_to_clear_up:
        return ClearingRoad(claim, session, call_id=call.call_id, journal=journal, history=history)
    return ParkedRoad(
        claim,
        session,
        call_id=call.call_id,
        journal=journal,
        leftovers=Leftovers(history, help),
        history=history,
        help=help,
        on_parked=on_parked,
    )


def _before(call: TaskCall) -> Journal | None:
    return None if call.journal is None else Journal.read(call.journal)
