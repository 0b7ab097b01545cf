"""What each operation makes of a task: pure functions from a record to a `Change`, the same for every store.

A store runs one of them inside a transaction and writes what it gives. `None` is for "there is nothing to change".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from ..errors import StaleClaim, TaskKeyError
from ..journal import EXPIRED
from .record import PASSED, InputState, Settlement, TaskInput, TaskRecord
from .states import Event, next_status


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written: the record as it is now, and the questions that came or went."""

    record: TaskRecord
    _: KW_ONLY
    parked: tuple[TaskInput, ...] = ()
    settled: tuple[TaskInput, ...] = ()
    is_visible: bool = True
    """Whether anybody has to be told."""

    wakes: bool = False
    """Whether a worker that put the task down has something to do again."""

    def stamped(self, revision: int) -> Change:
        """The same change with its revision.

        Its record, which nobody has seen yet, is finished where it is: a copy takes longer than all else here.
        """
        object.__setattr__(self.record, "revision", revision)
        if self.wakes:
            object.__setattr__(self.record, "wake", revision)
        return self


# --- questions --------------------------------------------------------------------------------------------------------


def opened(asked: TaskInput, request: Mapping[str, Any], now: float) -> TaskInput:
    """A question as it is when it is asked, with the request that the store keeps of it."""
    return replace(asked, request=request, state="open", reply=None, parked_at=now, settled_at=None)


def parked(record: TaskRecord, new: tuple[TaskInput, ...], now: float) -> Change:
    """Ask something more: questions that are `opened`.

    Raises:
        CallOver: If the task has ended.
        TaskKeyError: If a key comes twice. Those that were used before are the store's to find.
    """
    every = {**record.inputs, **{asked.key: asked for asked in new}}
    if len(every) < len(record.inputs) + len(new):
        raise key_used()
    status = next_status(record.status, "ask")
    after = replace(record, status=status, inputs=every, updated_at=now, last_activity=now, begun=0)
    return Change(after, parked=new)


def settled(record: TaskRecord, settlements: Iterable[Settlement], now: float) -> tuple[Change | None, frozenset[str]]:
    """Take answers to open questions, and give the keys of those that were taken: others are ignored.

    An answer that comes after its question's time is not taken; the question is `expired`. What is asked in place of
    one is `opened`.
    """
    left, gone, new = dict(record.inputs), list[TaskInput](), list[TaskInput]()
    for settlement in settlements:
        if (asked := left.pop(settlement.key, None)) is None:
            continue
        if asked.until <= now:
            gone.append(_expired(asked, now))
            continue
        state: InputState = "answered" if settlement.replacement is None else "closed"
        gone.append(replace(asked, state=state, reply=settlement.reply, settled_at=now))
        if settlement.replacement is not None:
            new.append(settlement.replacement)
    taken = frozenset(asked.key for asked in gone if asked.state != "expired")
    return _without(record, left, gone, new, now), taken


def expired(record: TaskRecord, now: float) -> Change | None:
    """End the open questions whose time is over."""
    gone = [_expired(asked, now) for asked in record.inputs.values() if asked.until <= now]
    left = {key: asked for key, asked in record.inputs.items() if asked.until > now}
    return _without(record, left, gone, [], now)


def withdrawn(
    record: TaskRecord, keys: Iterable[str], now: float, *, wakes: bool, have_passed: bool = False
) -> Change | None:
    """Ask some of the open questions no longer."""
    unwanted, reply = set(keys), PASSED if have_passed else None
    gone = [replace(_withdrawn(asked, now), reply=reply) for key, asked in record.inputs.items() if key in unwanted]
    left = {key: asked for key, asked in record.inputs.items() if key not in unwanted}
    change = _without(record, left, gone, [], now)
    return change and replace(change, wakes=wakes)


def _without(
    record: TaskRecord, left: dict[str, TaskInput], gone: list[TaskInput], new: list[TaskInput], now: float
) -> Change | None:
    if not gone:
        return None
    every = {**left, **{asked.key: asked for asked in new}}
    if len(every) < len(left) + len(new):
        raise key_used()
    # That a time was over is no activity: a sweep that comes late must not make a task live longer.
    active = max(asked.until if asked.state == "expired" else now for asked in gone)
    after = replace(
        record,
        status=next_status(record.status, "settle" if every else "settle_last"),
        inputs=every,
        updated_at=now,
        last_activity=max(record.last_activity, active),
        begun=0,
    )
    wakes = any(asked.state != "closed" for asked in gone)
    return Change(after, parked=tuple(new), settled=tuple(gone), wakes=wakes)


def _expired(asked: TaskInput, now: float) -> TaskInput:
    return replace(asked, state="expired", reply=EXPIRED, settled_at=now)


def _withdrawn(asked: TaskInput, now: float) -> TaskInput:
    return replace(asked, state="withdrawn", settled_at=now)


# --- the end, and the way there ---------------------------------------------------------------------------------------


def ended(
    record: TaskRecord,
    event: Event,
    now: float,
    *,
    result_json: str | None = None,
    error_json: str | None = None,
    status_message: str | None = None,
) -> Change:
    """End the task. What is still asked is withdrawn.

    Raises:
        CallOver: If it has ended before.
    """
    after = replace(
        record,
        status=next_status(record.status, event),
        status_message=record.status_message if status_message is None else status_message,
        result_json=result_json,
        error_json=error_json,
        inputs={},
        updated_at=now,
        last_activity=now,
        wake=0,
    )
    has_run = record.fence > 0  # Its tool may have something to clear up, behind a cancellation.
    settled = tuple(_withdrawn(asked, now) for asked in record.inputs.values())
    return Change(after, settled=settled, wakes=event == "cancel" and has_run)


def progressed(record: TaskRecord, status_message: str | None, now: float) -> Change:
    """Say what the task is doing."""
    return Change(replace(record, status_message=status_message, updated_at=now, last_activity=now))


def stepped(record: TaskRecord, now: float) -> Change:
    """Note that a step was done, which nobody sees."""
    return Change(replace(record, last_activity=now, begun=0), is_visible=False)


# --- claims -----------------------------------------------------------------------------------------------------------


def require_claim(record: TaskRecord, fence: int | None) -> None:
    """Make sure that a worker still has the task; without a fence, whoever acts is none.

    Raises:
        StaleClaim: If it was overtaken, or put the task down.
    """
    if fence is not None and (fence != record.fence or record.worker is None):
        raise StaleClaim("The task was taken over by another worker, or given back: what this one did is not kept.")


def claimed(record: TaskRecord, worker: str, seconds: float, now: float) -> Change | None:
    """Give the task to a worker, if nobody has it and it is not over; or its tool is still to clear up."""
    if (record.is_over and not record.is_to_clear_up) or record.is_leased(now):
        return None
    after = replace(
        record,
        worker=worker,
        fence=record.fence + 1,
        lease_until=now + seconds,
        last_activity=now,
        begun=record.begun + 1,
    )
    return Change(after, is_visible=False)


def renewed(record: TaskRecord, seconds: float, now: float, waiting_since: int | None) -> Change:
    """Let a worker keep the task for longer; one that only waits for people has seen what came until then."""
    is_waiting = waiting_since is not None
    has_seen = waiting_since is not None and record.wake <= waiting_since
    after = replace(
        record,
        lease_until=now + seconds,
        last_activity=now,
        wake=0 if has_seen else record.wake,
        begun=0 if is_waiting else record.begun,
    )
    return Change(after, is_visible=False)


def released(record: TaskRecord) -> Change:
    """Take the task from its worker, whose run does not count. It is told, so that another can take it at once."""
    return Change(replace(record, worker=None, lease_until=0.0, begun=max(record.begun - 1, 0)))


def put_down(record: TaskRecord, seen_revision: int) -> Change | None:
    """Take the task from its worker, and let it rest; `None` if something came that the worker has not seen."""
    if record.wake > seen_revision:
        return None
    return Change(replace(record, worker=None, lease_until=0.0, wake=0, begun=0), is_visible=False)


def key_used() -> TaskKeyError:
    """The error for a key that comes a second time in the life of a task."""
    return TaskKeyError("That key was used in this task before: each question has its own, for the task's whole life.")
