"""Moments and spans of time in words, as somebody reads them who looks at many."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second"))


def span(seconds: float) -> str:
    """A span in its largest unit, rounded; two of it at least, but for what is less than two minutes.

    >>> span(7_200), span(100_000), span(90), span(0.2)
    ('2 hours', '28 hours', '90 seconds', '0 seconds')
    """
    seconds = abs(seconds)
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= 2 * size), _UNITS[-1])
    count = round(seconds / size)
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def since(moment: float, now: float) -> str:
    """How long ago a moment was, or how far off it is.

    >>> since(0, 120), since(120, 0), since(0, 0.5)
    ('2 minutes ago', 'in 2 minutes', 'just now')
    """
    if abs(now - moment) < 1:
        return "just now"
    return f"{span(now - moment)} ago" if moment < now else f"in {span(moment - now)}"
