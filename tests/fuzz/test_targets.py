"""A short run of the fuzzer: whatever comes over a wire is read or refused, never a surprise (design, section 10).

`python -m tests.fuzz` is the long one, which is led by what the code does. What it finds becomes an `example` here.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fuzz.shapes import Bytes, value
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.binary(max_size=200))
@settings(max_examples=150)
@example(data=b"")
def test_whatever_comes_is_read_or_refused(name: str, data: bytes) -> None:
    TARGETS[name](data)


def test_bytes_that_end_give_a_value_too() -> None:
    assert [value(Bytes(bytes([kind]))) for kind in range(10)] == [None, False, 0, -128, "type", "type", [], {}, {}, {}]
