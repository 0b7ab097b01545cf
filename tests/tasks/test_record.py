"""What a store keeps of a task: the text of what it does not look into, and when something of it is over."""

import json
import math
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit.tasks.record import TaskInput, TaskRecord, to_json

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(scalars, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=10)


class Size(Enum):
    SMALL = "small"


class Rank(IntEnum):
    FIRST = 1


@dataclass
class Point:
    x: int


@given(values)
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    """`TaskStore.create`: the store does not look into it."""
    assert json.loads(to_json("it", {"value": value})) == {"value": value}


@pytest.mark.parametrize(
    "value",
    ["half \ud800", 2**80, -0.0, 1e300, math.inf, (1, 2), {1: "one"}, Rank.FIRST, OrderedDict(b=1, a=2), "é", None, []],
    ids=repr,
)
def test_what_stricter_writers_refuse_or_change_is_written_as_the_standard_library_does(value: Any) -> None:
    written = to_json("it", {"value": value})

    assert json.loads(written) == json.loads(json.dumps({"value": value}))
    assert written.isascii()


def test_what_is_not_a_number_stays_so() -> None:
    assert math.isnan(json.loads(to_json("it", {"value": math.nan, "none": None}))["value"])


@pytest.mark.parametrize(
    "value",
    [
        uuid.UUID(int=1),
        Size.SMALL,
        Point(1),
        datetime(2026, 7, 28, tzinfo=UTC),
        {1, 2},
        b"bytes",
        {(1, 2): 3},
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="it of a task is JSON"):
        to_json("it", {"value": value})


def test_what_holds_itself_is_refused() -> None:
    inside: dict[str, Any] = {}
    inside["itself"] = inside

    with pytest.raises(TypeError, match="it of a task is JSON"):
        to_json("it", inside)


@given(
    st.lists(st.floats(0, 1e9), max_size=3),
    st.none() | st.floats(1, 1e9),
    st.floats(0, 1e9),
)
def test_the_first_moment_at_which_something_is_over_is_the_soonest_of_all(
    untils: list[float], ttl: float | None, active: float
) -> None:
    inputs = {str(number): TaskInput(str(number), "n", "s", {}, until) for number, until in enumerate(untils)}
    record = TaskRecord("a" * 32, None, "{}", 0.0, 0.0, active, ttl=ttl, inputs=inputs)

    moments = untils if record.expires_at is None else [*untils, record.expires_at]
    assert record.due == min(moments, default=None)
