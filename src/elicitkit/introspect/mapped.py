"""How a type is asked for: `Mapped`, what a type becomes in a form; and `Unmappable`, why it becomes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

Convert: TypeAlias = Callable[[Any], Any]


class Unmappable(Exception):
    """Why no field can ask for a type, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """How a type is asked for, and what an answer becomes."""

    kind: type[Any]
    """The class of its field."""

    convert: Convert
    """From a value of the wire to the type; a `ValueError` for one that is not what the type takes."""

    to_wire: Convert
    """From a default of the type to the one that a form shows; a `TypeError` or `ValueError` if it shows none."""

    type: Any
    """What `convert` gives, as a hint for pydantic."""

    settings: dict[str, Any] = field(default_factory=dict)
    """What its field is told: a format, options."""

    _: KW_ONLY

    quick: Convert | None = None
    """The same as `convert` for nearly every text that its field lets through, and a `ValueError` or `TypeError` for
    the rest: a function of Python's own, which takes a fraction of the time."""

    pydantic_reads: bool = False
    """Whether pydantic takes the value of the wire as it is, even where it is strict."""

    constrains: bool = False
    """Whether the type asks for more than `convert` looks at."""

    is_secret: bool = False
    """Whether it is for credentials."""
