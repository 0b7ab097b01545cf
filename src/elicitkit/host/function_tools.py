"""Python functions as tools: the schema from the signature, the description from the docstring."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import anyio.to_thread
from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from .._json import frozen
from ..errors import ToolError
from .awaiting import is_async, unwrapped
from .tools import ToolContext, require_tool_name

_NAMELESS: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_MOST_FAULTS: Final = 10
_WORDS: Final = {"missing_keyword_only_argument": "is missing", "unexpected_keyword_argument": "is unknown"}
"""For a model what pydantic says of Python's parameters."""


class FunctionTool:
    """A Python function as a tool. A toolkit makes one of each function it is given; make it to give another name.

    The schema is that of the parameters, by pydantic; arguments are checked, and made the values that the annotations
    say, before the function is called. A parameter annotated with `ToolContext` gets that, and is not in the schema.
    A function that is not async runs in a thread, for it may block. A thread cannot be stopped: when the run is
    cancelled it runs on, and what it returns is dropped.

    The function waits for a person by returning `pending(…)` or `auth_required(url)`. What it raises is logged, and
    the model is told no more than that it failed, but for a `ToolError`, whose text is meant for it.

    >>> def add(a: int, b: int = 1) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> tool = FunctionTool(add)
    >>> tool.name, tool.description, tool.input_schema["required"]
    ('add', 'Add two numbers.', ['a'])

    Raises:
        TypeError: If it is no function, or one of its parameters cannot be described or has no name to be given by.
        ValueError: If it has no name that a model can call it by.
    """

    def __init__(
        self, function: Callable[..., Any], *, name: str | None = None, description: str | None = None
    ) -> None:
        if not callable(function):
            raise TypeError(f"a tool is made of a function, not of {type(function).__name__}")
        self.name: str = require_tool_name(_name_of(function) if name is None else name)
        self.description: str = _documented(function) if description is None else description
        self._function = function
        parameters = _parameters(self.name, function)
        self._contexts = tuple(name for name, one in parameters.items() if _is_context(one.annotation))
        self._arguments = _adapter(self.name, [one for name, one in parameters.items() if name not in self._contexts])
        self.input_schema: Mapping[str, Any] = frozen(self._arguments.json_schema())

    def __repr__(self) -> str:
        return f"FunctionTool({self.name!r})"

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Call the function with checked arguments.

        Raises:
            ToolError: If they do not fit.
            Exception: What the function raises.
        """
        given = self._checked(arguments) | dict.fromkeys(self._contexts, context)
        if is_async(self._function):
            return await self._function(**given)
        found = await anyio.to_thread.run_sync(functools.partial(self._function, **given), abandon_on_cancel=True)
        return await found if inspect.isawaitable(found) else found

    def _checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them. They are read as JSON, so that even strict types take a date."""
        try:
            checked: dict[str, Any] = self._arguments.validate_json(json.dumps(arguments))
        except ValidationError as error:
            problem = _described(error)
        else:
            return checked
        raise ToolError(f"The arguments of {self.name} do not fit. {problem}")


def _name_of(function: Callable[..., Any]) -> object:
    inner = unwrapped(function)
    return getattr(inner, "__name__", type(inner).__name__)


def _documented(function: Callable[..., Any]) -> str:
    inner = unwrapped(function)
    return (inspect.getdoc(inner) if inspect.isroutine(inner) else inspect.getdoc(type(inner).__call__)) or ""


def _parameters(name: str, function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        parameters = inspect.signature(function, eval_str=True).parameters
    except (NameError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise TypeError(f"the signature of {name} cannot be read: {error}") from None
    if nameless := [one.name for one in parameters.values() if one.kind in _NAMELESS]:
        raise TypeError(f"{name} takes {nameless[0]!r} without a name; a model gives every argument by name")
    return dict(parameters)


def _is_context(annotation: object) -> bool:
    """Whether a parameter is one for the context: `ToolContext`, alone or with `None` or in `Annotated`."""
    if get_origin(annotation) is Annotated:
        return _is_context(get_args(annotation)[0])
    is_union = get_origin(annotation) in (Union, UnionType)
    return annotation is ToolContext or (is_union and ToolContext in get_args(annotation))


def _adapter(name: str, parameters: list[inspect.Parameter]) -> TypeAdapter[dict[str, Any]]:
    """What checks and describes arguments: pydantic's way with a function, on one that only gives them back."""

    def collect(**arguments: Any) -> dict[str, Any]:
        return arguments

    by_name = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    collect.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]  # `inspect` looks for it
    collect.__annotations__ = {one.name: one.annotation for one in by_name if one.annotation is not one.empty}
    try:
        adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(collect)  # type: ignore[arg-type]  # it takes functions too
        adapter.json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        problem = str(error).splitlines()[0]
    else:
        return adapter
    raise TypeError(f"the parameters of {name} cannot be described: {problem}")


def _described(error: ValidationError) -> str:
    """What is wrong, each with where; the arguments are the model's own, and yet not repeated."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, one['loc']))}: {_WORDS.get(one['type'], one['msg'])}" for one in found[:_MOST_FAULTS]]
    return "; ".join(lines + [f"and {len(found) - _MOST_FAULTS} more"] * (len(found) > _MOST_FAULTS))
