"""The annotations of a class, each resolved when it is asked for, with a generic's arguments filled in."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ForwardRef, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints

from typing_extensions import Format, get_annotations, get_original_bases, is_typeddict

from .members import MISSING


@dataclass(frozen=True, slots=True)
class _Written:
    """An annotation as it stands in a class."""

    owner: Any
    hint: Any
    arguments: Mapping[Any, Any]
    """What the type variables of the owner stand for."""


class Annotations:
    """The annotations of a type and its bases."""

    def __init__(self, made: Any) -> None:
        self._made = made

    @cached_property
    def _written(self) -> dict[str, _Written]:
        found: dict[str, _Written] = {}
        arguments = dict(_arguments(self._made))
        for owner in _lineage(get_origin(self._made) or self._made):
            for name, hint in get_annotations(owner, format=Format.FORWARDREF).items():
                known = found.get(name)
                if known is None or not _is_inherited(owner, hint, known):
                    found[name] = _Written(owner, hint, arguments.get(owner, {}))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def hint_of(self, name: str) -> Any:
        """The hint of a member, resolved with `Annotated` kept; `MISSING` if it has none.

        Raises:
            TypeError: If a forward reference in it names nothing.
        """
        if (written := self._written.get(name)) is None:
            return MISSING
        try:
            return _filled(_resolved(written), written.arguments)
        except (NameError, AttributeError, SyntaxError, TypeError) as error:
            raise TypeError(unresolved(f"{name_of(self._made)}.{name}", written.hint, error)) from error


def unresolved(member: str, hint: object, error: Exception) -> str:
    """What to tell the author of an annotation that cannot be evaluated: the member, why, and what would do."""
    shown = getattr(hint, "__forward_arg__", hint)
    what = f"the type of {member}, {shown!r}, cannot be found out"
    if isinstance(error, NameError) and error.name:
        what += f": nothing is called {error.name!r} in its module"
        return f"{what}. Define or import it there at the top level, and not under `if TYPE_CHECKING`"
    return f"{what}: {str(error).partition(chr(10))[0]}"


def name_of(made: Any) -> str:
    """What to call a type in an error."""
    return getattr(made, "__qualname__", None) or getattr(made, "__name__", None) or repr(made)


def _lineage(origin: Any) -> Iterator[Any]:
    """A class and its bases, the farthest first. Those of a `TypedDict` are not among its `__mro__`."""
    if not is_typeddict(origin):
        yield from reversed(origin.__mro__)
        return
    for base in get_original_bases(origin):
        if is_typeddict(get_origin(base) or base):
            yield from _lineage(get_origin(base) or base)
    yield origin


def _is_inherited(owner: Any, hint: Any, known: _Written) -> bool:
    """Whether an annotation of a `TypedDict` is a copy of its base's: the base knows what its variables stand for."""
    return is_typeddict(owner) and hint == known.hint


def _arguments(made: Any) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """What the type variables of a type and of each of its bases stand for."""
    origin = get_origin(made) or made
    own = dict(zip(getattr(origin, "__parameters__", ()), get_args(made), strict=False))
    for base in get_original_bases(origin):
        if isinstance(get_origin(base) or base, type) and get_origin(base) not in (Generic, Protocol):
            yield from _arguments(_filled(base, own))
    yield origin, own


def _filled(hint: Any, arguments: Mapping[Any, Any]) -> Any:
    """A hint with its type variables replaced, as far as they are known."""
    if isinstance(hint, TypeVar):
        return arguments.get(hint, hint)
    parameters = () if isinstance(hint, type) else getattr(hint, "__parameters__", ())
    if not any(parameter in arguments for parameter in parameters):
        return hint
    generic: Any = hint
    return generic[tuple(arguments.get(parameter, parameter) for parameter in parameters)]


def _resolved(written: _Written) -> Any:
    """Evaluate what is text in a hint."""
    hint = _evaluated(written.hint, written.owner)
    if isinstance(hint, InitVar):  # What is inside of it nobody else looks at.
        return _evaluated(hint.type, written.owner)
    return hint


def _evaluated(hint: Any, owner: Any) -> Any:
    """Evaluate as `typing` does: what the module knows goes before what the class has, such as a default."""
    if isinstance(hint, str):
        hint = ForwardRef(hint, is_argument=False, is_class=True)
    module = {**vars(builtins), **vars(sys.modules.get(owner.__module__, builtins))}
    variables = {variable.__name__: variable for variable in getattr(owner, "__type_params__", ())}
    around = {owner.__name__: owner, **vars(owner), **variables}
    holder: Any = SimpleNamespace(__annotations__={"it": hint})
    return get_type_hints(holder, globalns=around, localns=module, include_extras=True)["it"]
