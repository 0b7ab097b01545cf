"""JSON as it goes over the wire, and what comes back from it unchanged (design, 7: steps)."""

import enum
import json
from collections import OrderedDict
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit._json import unfaithful

faithful = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(faithful)
def test_what_is_called_faithful_comes_back_the_very_same(value: Any) -> None:
    assert unfaithful(value) is None
    assert repr(json.loads(json.dumps(value))) == repr(value)


class Size(enum.StrEnum):
    SMALL = "small"


class Point(NamedTuple):
    x: int


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ((), "it is of type tuple"),
        (Size.SMALL, "it is of type Size"),
        (Point(1), "it is of type Point"),
        ({1, 2}, "it is of type set"),
        (b"x", "it is of type bytes"),
        (OrderedDict(), "it is of type OrderedDict"),
        (float("-inf"), "it is -inf"),
        ([[], [float("nan")]], "it[1][0] is nan"),
        ({"a": {"b": (1,)}}, "it['a']['b'] is of type tuple"),
        ({"a": {None: 1}}, "it['a'] has a key of type NoneType"),
    ],
)
def test_what_would_change_is_named_with_its_place(value: object, problem: str) -> None:
    assert unfaithful(value) == problem
