"""How a tool suspends: it returns `pending(…)`, and a host finds the request with `pending_of`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Self

from ..errors import ContractError
from .contract import Request, new_id
from .wire import Wire, require_text, type_of

_MARK = "pending"
_HOLDERS = (("metadata",), ("meta", "_meta"), ("structured_content", "structuredContent"))
"""Where a result may carry the mark: a tool's own result, and one of MCP, in the spellings of JSON and of both SDKs."""


@dataclass(frozen=True, slots=True)
class Pending(Wire):
    """The result of a tool that cannot go on before a person has answered. It is no failure of the tool.

    As JSON it is the result of a tool in other hosts that keep the contract: the request is `pending` in its
    `metadata`, and `output` is for those that only show text.

    Raises:
        TypeError: If *request* is no `Request`.
    """

    request: Request
    """What the tool waits for."""

    _noun: ClassVar[str] = "a pending result"

    def __post_init__(self) -> None:
        if not isinstance(self.request, Request):
            raise TypeError(f"a pending result carries a Request, not {type_of(self.request)}")

    @property
    def output(self) -> str:
        """What a host shows that knows nothing of suspension: the prompt, and the link below it."""
        return "\n".join(filter(None, (self.request.prompt, self.request.url)))

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, which `pending_of` and `from_dict` read; every change is yours."""
        return {"output": self.output, "metadata": {_MARK: self.request.to_dict()}}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        request = pending_of(given)
        if request is None:
            raise ContractError("a pending result has a request under 'pending' in its 'metadata'")
        return cls(request)


def pending(
    prompt: str,
    *,
    kind: str,
    url: str | None = None,
    data: Mapping[str, Any] | None = None,
    expires_at: datetime | None = None,
    id: str | None = None,
) -> Pending:
    """What a tool returns to wait for a person: it is run once more when there is an answer.

    >>> pending("Deploy to production?", kind="approval").request.kind
    'approval'

    Args:
        prompt: What the person is asked.
        kind: What is asked for; see `Request`.
        url: The link to open.
        data: What belongs to the kind.
        expires_at: When it is too late to answer, with a time zone.
        id: What the answer is known by; else one that nobody can guess.

    Raises:
        TypeError, ContractError, LimitError: As `Request` does.
    """
    return Pending(Request(new_id("pnd") if id is None else id, kind, prompt, url, data, expires_at))


def auth_required(url: str, *, prompt: str = "Log in to go on") -> Pending:
    """What a tool returns that needs its user to log in somewhere.

    Raises:
        TypeError, LimitError: As `Request` does.
        ContractError: If the link is blank, and as `Request` does.
    """
    require_text("a link to log in at", url)
    return pending(prompt, kind="authorization", url=url)


def pending_of(result: object) -> Request | None:
    """The request that a tool's result waits for; `None` for a result that waits for nothing.

    It is looked for under `pending` in `metadata` of a `Pending`, or of any mapping or object, in-process results of
    other libraries too; and in `_meta` and the structured content of an MCP result. Something else under that name is
    the tool's own business. Whoever made the result is trusted to ask: leave it out for servers that you do not let.

    Raises:
        ContractError: If it has a kind and a prompt, and yet is no request as a whole.
        LimitError: If it is larger than `elicitkit.limits` allows.
    """
    if isinstance(result, Pending):
        return result.request
    marks = (_get(_held(result, spellings), _MARK) for spellings in _HOLDERS)
    return next((_request_of(mark) for mark in marks if _asks(mark)), None)


def _asks(mark: object) -> bool:
    return _get(mark, "kind") is not None and _get(mark, "prompt") is not None


def _request_of(mark: object) -> Request:
    if isinstance(mark, Request):
        return mark
    keys = ("id", "kind", "prompt", "url", "data", "expiresAt")
    return Request.from_dict({key: _get(mark, key) for key in keys})


def _held(result: object, spellings: tuple[str, ...]) -> object:
    """What stands under the first spelling there is: FastMCP warns of whoever reads the one of the first SDK."""
    has = result.__contains__ if isinstance(result, Mapping) else lambda name: hasattr(result, name)
    return next((_get(result, spelling) for spelling in spellings if has(spelling)), None)


def _get(holder: object, name: str) -> object:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
