"""Random values that are right for a field: of plausible looks, with the edges of its constraints among them."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any, assert_never

from ..errors import ScriptError
from ..fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from ..limits import ANSWER_BYTES
from ..numbers import LEAST, MOST

_WORDS = (
    *("harbour", "Ada", "two", "lanterns", "blue", "on the way", "7", "x", "Öl", "naïve", "crème brûlée"),
    *("東京", "שלום", "مرحبا", "👍🏽", "it's", '"quoted"', "<b>", "a&b", "50%", "\\", "line\nbreak", "tab\there"),
)
_ROOM = 40
"""How much longer than it has to be a text is made, in characters."""

_EDGES = 0.2
"""How often a value lies on the edge of what is allowed."""

_LABEL, _LOCAL, _DOMAIN = 60, 64, 240
"""The longest label of a domain, name before the `@`, and domain that are made, in characters."""


def right_value(field: Field, random: Random) -> Any:
    """A value that is right for a field.

    Raises:
        ScriptError: If there is none, or none that could be sent.
    """
    match field:
        case TextField():
            return _text(field, random)
        case IntegerField():
            return _whole(field, random)
        case NumberField():
            return _number(field, random)
        case BooleanField():
            return random.random() < 0.5
        case ChoiceField():
            return random.choice(field.options).value
        case MultiChoiceField():
            return _several(field, random)
        case UnknownField():
            raise ScriptError(f"{field.name!r} cannot be answered: {field.reason}")
        case _:
            assert_never(field)


def _text(field: TextField, random: Random) -> str:
    low, high = field.min_length or 0, math.inf if field.max_length is None else field.max_length
    if low > ANSWER_BYTES:
        raise ScriptError(f"{field.name!r} asks for at least {low:,} characters, which no answer may have")
    made = _MAKERS[field.format](random, low, high)
    if made is None:
        raise ScriptError(f"{field.name!r} allows no {field.format} that is made here, between {low} and {high} long")
    return made


def _length(random: Random, low: int, high: float) -> int:
    """How long to make something, between bounds; the upper one is tried too, where it is not far."""
    most = int(min(high, low + _ROOM))
    return random.choice((low, most)) if random.random() < _EDGES else random.randint(low, most)


def _words(random: Random, low: int, high: float) -> str:
    length = _length(random, low, high)
    text = random.choice(_WORDS)
    while len(text) < length:
        text += " " + random.choice(_WORDS)
    return text[: length - 1] + "." if text[:length].isspace() or text[:length].endswith(" ") else text[:length]


def _letters(random: Random, count: int) -> str:
    return "".join(random.choices(string.ascii_lowercase, k=count))


# --- formats ----------------------------------------------------------------------------------------------------------


def _email(random: Random, low: int, high: float) -> str | None:
    """An address in a domain that nobody has, where there is room for it."""
    domain = random.choice(("example.com", "example.org", "mail.example.net"))
    if high < len(domain) + 2:
        return f"{_letters(random, int(high) - 4)}@b.c" if high >= 5 else None
    length = _length(random, max(low, len(domain) + 2), high)
    local = min(length - len(domain) - 1, _LOCAL)
    while (missing := length - local - 1 - len(domain)) > 1:
        domain = f"{_letters(random, min(missing - 1, _LABEL))}.{domain}"
    if missing:  # A label needs a dot as well.
        local, domain = local - 1, f"a.{domain}"
    return f"{_letters(random, local)}@{domain}" if len(domain) <= _DOMAIN else None


def _uri(random: Random, low: int, high: float) -> str | None:
    start = random.choice(("https://example.com/", "https://example.org/a?b=", "urn:example:"))
    start = start if len(start) <= high else "a:"
    if high < len(start):
        return None
    length = _length(random, max(low, len(start)), high)
    return start + _letters(random, length - len(start))


def _date(random: Random, low: int, high: float) -> str | None:
    return _moment(random).date().isoformat() if low <= 10 <= high else None


def _date_time(random: Random, low: int, high: float) -> str | None:
    """A moment with its zone; digits of the second fill what is asked for."""
    moment = _moment(random)
    zones = ["Z", _zone(random)]
    random.shuffle(zones)
    for zone in zones:
        plain = moment.strftime("%Y-%m-%dT%H:%M:%S")
        missing = max(low - len(plain) - len(zone), 0)
        digits = "".join(random.choices(string.digits, k=max(missing - 1, 1))) if missing else ""
        text = f"{plain}{'.' if digits else ''}{digits}{zone}"
        if low <= len(text) <= high:
            return text
    return None


def _zone(random: Random) -> str:
    offset = timezone(timedelta(minutes=15 * random.randint(-48, 56)))
    return datetime(2026, 1, 1, tzinfo=offset).isoformat()[-6:]


def _moment(random: Random) -> datetime:
    if random.random() < _EDGES:
        return datetime(random.choice((1904, 2000, 2028)), 2, 29, 23, 59, 59, tzinfo=UTC)
    return datetime(1900, 1, 1, tzinfo=UTC) + timedelta(seconds=random.randrange(200 * 365 * 24 * 3600))


_MAKERS: dict[str | None, Callable[[Random, int, float], str | None]] = {
    None: _words,
    "email": _email,
    "uri": _uri,
    "date": _date,
    "date-time": _date_time,
}


# --- numbers and choices ----------------------------------------------------------------------------------------------


def _whole(field: IntegerField, random: Random) -> int:
    low = LEAST if field.minimum is None else max(LEAST, math.ceil(field.minimum))
    high = MOST if field.maximum is None else min(MOST, math.floor(field.maximum))
    if low > high:
        raise ScriptError(f"no whole number fits {field.name!r}")
    near = min(max(0, low), high)
    window = (max(low, near - 100), min(high, near + 1_000))
    return random.choice((low, high)) if random.random() < _EDGES else random.randint(*window)


def _number(field: NumberField, random: Random) -> float:
    low, high = field.minimum, field.maximum
    for made in _numbers(low, high, random):
        is_kept = math.isfinite(made) if isinstance(made, float) else LEAST <= made <= MOST
        if is_kept and (low is None or made >= low) and (high is None or made <= high):
            return made
    raise ScriptError(f"no number fits {field.name!r}")


def _numbers(low: float | None, high: float | None, random: Random) -> Iterator[float]:
    """Numbers of which one is between the bounds, if there is any; the plausible ones first."""
    least = float(low) if low is not None else (-1_000.0 if high is None else float(high) - 1_000)
    most = float(high) if high is not None else least + 2_000
    edges = [bound for bound in (low, high) if bound is not None]
    if edges and random.random() < _EDGES:
        yield random.choice(edges)
    made = random.uniform(least, most)
    yield round(made, random.choice((0, 1, 2)))
    yield made
    yield from edges
    for edge in edges:
        yield from (float(edge), math.nextafter(float(edge), math.inf), math.nextafter(float(edge), -math.inf))


def _several(field: MultiChoiceField, random: Random) -> list[str]:
    values = [option.value for option in field.options]
    most = len(values) if field.max_items is None else min(field.max_items, len(values))
    if (low := field.min_items or 0) > most:
        raise ScriptError(f"{field.name!r} asks for more options than it has")
    return random.sample(values, random.choice((low, most)) if random.random() < _EDGES else random.randint(low, most))
