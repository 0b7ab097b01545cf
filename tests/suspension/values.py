"""Hypothesis strategies: any request and any answer, and data as JSON has them."""

from datetime import timedelta, timezone
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from elicitkit import Answer, Request
from tests.strategies import said, texts

_finite = st.floats(allow_nan=False, allow_infinity=False)
_offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))

values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | _finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
data: SearchStrategy[dict[str, Any] | None] = st.none() | st.dictionaries(texts, values, max_size=4)
moments = st.datetimes(timezones=_offsets)

requests = st.builds(
    Request,
    said,
    st.sampled_from(["input", "authorization", "approval", "question"]) | said,
    texts,
    st.none() | texts,
    data,
    st.none() | moments,
)
reasons = st.none() | st.sampled_from(["declined", "cancelled", "expired", "headless", "unsupported", "failed"]) | texts
answers = st.builds(Answer, said, st.booleans(), data, reasons)
