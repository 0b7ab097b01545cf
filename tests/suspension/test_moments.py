"""When a request expires: an aware `datetime` here, RFC 3339 on the wire (design, section 6)."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import ContractError, Request
from tests.suspension import values

NOON = datetime(2026, 7, 28, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def read(text: Any) -> datetime | None:
    return Request.from_dict({"id": "r1", "kind": "approval", "prompt": "", "expiresAt": text}).expires_at


def written(moment: datetime) -> str:
    return str(Request("r1", "approval", "", expires_at=moment).to_dict()["expiresAt"])


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-07-28T12:00:00Z", NOON),
        ("2026-07-28t12:00:00z", NOON),
        ("2026-07-28T12:00:00+00:00", NOON),
        ("2026-07-28T12:00:00-00:00", NOON),
        ("2026-07-28T17:30:00+05:30", NOON),
        ("2026-07-28T12:00:00.5Z", NOON.replace(microsecond=500_000)),
        ("2026-07-28T12:00:00.1234567Z", NOON.replace(microsecond=123_456)),  # as .NET writes it
        ("2026-07-28T12:00:00.123456789Z", NOON.replace(microsecond=123_456)),  # as Go writes it
    ],
)
def test_rfc_3339_is_read_as_every_language_writes_it(text: str, moment: datetime) -> None:
    assert read(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-07-28",
        "2026-07-28T12:00:00",
        "2026-07-28 12:00:00Z",
        "2026-07-28T12:00Z",
        "2026-07-28T12:00:00+0200",
        "2026-07-28T12:00:00+02",
        "2026-07-28T12:00:00+24:00",
        "2026-07-28T12:00:00+02:60",
        "2026-07-28T24:00:00Z",
        "2026-07-28T12:60:00Z",
        "2026-07-28T12:00:00.Z",
        "2026-07-28T12:00:00,5Z",
        "20260728T120000Z",
        "2026-W31-2T12:00:00Z",
        "٢٠٢٦-07-28T12:00:00Z",
        " 2026-07-28T12:00:00Z",
        "2026-07-28T12:00:00Z\n",
    ],
)
def test_what_is_not_rfc_3339_is_refused(text: str) -> None:
    with pytest.raises(
        ContractError, match=r"^a request's expiresAt is not RFC 3339; write it like 2026-07-28T12:00:00Z$"
    ):
        read(text)


@pytest.mark.parametrize(
    "text", ["2026-02-30T12:00:00Z", "2026-13-01T12:00:00Z", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z"]
)
def test_a_moment_that_python_cannot_hold_is_refused(text: str) -> None:
    """Design, section 5, for dates in answers; the leap second is one."""
    with pytest.raises(ContractError, match=r"^a request's expiresAt is no moment that Python can hold$"):
        read(text)


@pytest.mark.parametrize("moment", [NOON.replace(tzinfo=None), datetime(2026, 7, 28)], ids=repr)
def test_a_moment_without_a_zone_is_refused(moment: datetime) -> None:
    with pytest.raises(
        ContractError, match=r"^a request's expires_at has no time zone; say which, as in datetime.now\(UTC\)$"
    ):
        written(moment)


def test_asking_about_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ContractError, match=r"^the moment has no time zone"):
        Request("r1", "approval", "").is_expired(NOON.replace(tzinfo=None))
    with pytest.raises(TypeError, match=r"^the moment is a datetime, not a str$"):
        Request("r1", "approval", "").is_expired("now")  # type: ignore[arg-type]  # which is what is tested


def test_an_offset_is_kept_and_utc_is_a_z() -> None:
    assert written(NOON) == "2026-07-28T12:00:00Z"
    assert written(NOON.astimezone(BERLIN)) == "2026-07-28T14:00:00+02:00"
    assert written(NOON.replace(microsecond=5)) == "2026-07-28T12:00:00.000005Z"


def test_an_offset_with_seconds_is_written_in_utc() -> None:
    """RFC 3339, section 5.6: an offset has hours and minutes."""
    assert written(datetime(1890, 1, 1, tzinfo=BERLIN)) == "1889-12-31T23:06:32Z"
    with pytest.raises(ContractError, match="is no moment that Python can hold"):
        written(datetime(1, 1, 1, tzinfo=timezone(timedelta(seconds=1))))


@given(values.moments)
def test_any_moment_comes_back_the_same(moment: datetime) -> None:
    text = written(moment)

    assert read(text) == moment
    assert written(read(text)) == text  # type: ignore[arg-type]  # it is there


@given(st.datetimes(timezones=st.just(BERLIN), allow_imaginary=False, min_value=datetime(1900, 1, 1)))
def test_a_moment_in_the_hour_that_comes_twice_is_the_same_moment(moment: datetime) -> None:
    """Python calls such a moment unequal to itself in any other zone."""
    assert read(written(moment)).timestamp() == moment.timestamp()  # type: ignore[union-attr]  # it is there
