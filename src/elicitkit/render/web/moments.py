"""Dates and times as a person reads and picks them: a local time and its offset; how long ago; until when."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"(\d{4,}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_NO_DECIMALS = re.compile(r"\.?0+$")
_NO_SECONDS = re.compile(r":00$")
_TOO_FINE = re.compile(r"(\.\d{3})\d+$")

_UNITS: Final = (("day", 1440), ("hour", 60), ("minute", 1))
"""What times are told in, with how many minutes each has."""

_ZONES: Final = (
    *("-12:00", "-11:00", "-10:00", "-09:30", "-09:00", "-08:00", "-07:00", "-06:00", "-05:00", "-04:00", "-03:30"),
    *("-03:00", "-02:30", "-02:00", "-01:00", "+00:00", "+01:00", "+02:00", "+03:00", "+03:30", "+04:00", "+04:30"),
    *("+05:00", "+05:30", "+05:45", "+06:00", "+06:30", "+07:00", "+08:00", "+08:45", "+09:00", "+09:30", "+10:00"),
    *("+10:30", "+11:00", "+12:00", "+12:45", "+13:00", "+13:45", "+14:00"),
)
"""The offsets that some place on earth has at some time of the year."""


def moment_of(text: str) -> tuple[str, str]:
    """A date and time as the two controls hold it: the local time, and the offset. What is none stays in the first.

    >>> moment_of("2027-05-12T14:30:00+02:00"), moment_of("2027-05-12t14:30:10.5z"), moment_of("noon")
    (('2027-05-12T14:30', '+02:00'), ('2027-05-12T14:30:10.5', '+00:00'), ('noon', ''))
    """
    if not (found := _MOMENT.fullmatch(text.strip())):
        return text, ""
    day, time, zone = found.groups()
    return f"{day}T{_short(time)}", {None: "", "Z": "+00:00", "z": "+00:00"}.get(zone, zone)


def held_of(local: str) -> str:
    """A local time as fine as the control of a browser can hold it: thousandths of a second.

    >>> held_of("2027-05-12T14:30:10.123456"), held_of("2027-05-12T14:30:10.0004")
    ('2027-05-12T14:30:10.123', '2027-05-12T14:30:10')
    """
    return moment_of(_TOO_FINE.sub(r"\1", local))[0]


def is_held(local: str) -> bool:
    """Whether the control of a browser can hold a local time at all: it shows nothing in place of what it cannot."""
    try:
        return bool(_MOMENT.fullmatch(local)) and datetime.fromisoformat(local).tzinfo is None
    except ValueError:
        return False


def is_day(text: str) -> bool:
    """The same for a date."""
    try:
        return bool(_DAY.fullmatch(text)) and date.fromisoformat(text) is not None
    except ValueError:
        return False


def moment_from(local: str, zone: str) -> str:
    """What the two controls say, as the wire has it; without an offset where none is chosen.

    An offset that somebody typed with the time counts.

    >>> moment_from("2027-05-12T14:30", "+02:00"), moment_from("2027-05-12 14:30Z", "+02:00"), moment_from("", "+02:00")
    ('2027-05-12T14:30:00+02:00', '2027-05-12T14:30:00Z', '')
    """
    if not (found := _MOMENT.fullmatch(local.strip())):
        return local.strip()
    day, time, typed = found.groups()
    return f"{day}T{time if time.count(':') > 1 else f'{time}:00'}{(typed or zone).upper()}"


def moment_words(text: str) -> str:
    """A date and time on the wire as a person reads it.

    >>> moment_words("2027-05-12T14:30:00+02:00"), moment_words("2027-05-12T14:30:00Z")
    ('2027-05-12 14:30, UTC+02:00', '2027-05-12 14:30, UTC')
    """
    local, zone = moment_of(text)
    return f"{local.replace('T', ' ')}, {zone_label(zone)}" if zone else text


def zone_label(zone: str) -> str:
    """What a person calls an offset."""
    return "UTC" if zone == "+00:00" else f"UTC{zone}"


def is_local(text: str) -> bool:
    """Whether a text is a date and time without an offset."""
    found = _MOMENT.fullmatch(text.strip())
    return found is not None and found[3] is None


def zones(more: str = "") -> list[tuple[str, str]]:
    """The offsets to choose from, each with its label; *more* is one that has to be among them."""
    listed = _ZONES if not more or more in _ZONES else [more, *_ZONES]
    return [(zone, zone_label(zone)) for zone in listed]


def since(moment: datetime, now: datetime) -> str:
    """How long ago something was.

    >>> since(datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 14, 10))
    '2 hours ago'
    """
    past = now - moment
    return "just now" if past < timedelta(minutes=1) else f"{_length(past)} ago"


def until(moment: datetime, now: datetime) -> str:
    """How long there is until something, to the nearest day, hour or minute: of which there are two at least.

    >>> until(datetime(2026, 1, 8, 12), datetime(2026, 1, 1, 18)), until(datetime(2026, 1, 2, 12), datetime(2026, 1, 1))
    ('for 7 more days', 'for 36 more hours')
    """
    minutes = (moment - now).total_seconds() / 60
    if minutes < 1:
        return "for less than a minute"
    unit, size = next(((unit, size) for unit, size in _UNITS if minutes >= 2 * size), _UNITS[-1])
    return f"for {_counted(int(minutes / size + 0.5), unit, ' more')}"


def written(moment: datetime) -> str:
    """A moment in full, with its zone.

    >>> written(datetime.fromisoformat("2026-11-30T14:30:00+00:00"))
    '2026-11-30 14:30 UTC'
    """
    return f"{moment:%Y-%m-%d %H:%M %Z}"


def _short(time: str) -> str:
    """A time without the seconds and decimals that are zero."""
    short = _NO_DECIMALS.sub("", time) if "." in time else time
    return _NO_SECONDS.sub("", short) if short.count(":") > 1 else short


def _length(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    unit, size = next((unit, size) for unit, size in _UNITS if minutes >= size)
    return _counted(minutes // size, unit)


def _counted(count: int, unit: str, word: str = "") -> str:
    return f"{count}{word} {unit}{'' if count == 1 else 's'}"
