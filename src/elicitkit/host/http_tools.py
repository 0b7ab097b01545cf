"""HTTP endpoints as tools."""

from __future__ import annotations

import json
import logging
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

import anyio
import httpx2

from .. import _json
from ..errors import ToolError
from ..safety import link_problem
from ..suspension import Pending, auth_required
from .arguments import ArgumentCheck
from .http_headers import filled_headers, require_headers, secrets_of
from .http_login import REFUSALS, login_link, login_prompt
from .http_templates import UrlTemplate, filled_json, pairs_of, placeholders_of
from .quiet_logs import hide_queries
from .results import ToolResult, storable
from .secrecy import LONGEST_SPELLING, Secrets
from .tools import ToolContext, require_tool_name

logger: logging.Logger = logging.getLogger(__name__)

RESPONSE_BYTES: Final = 256 * 1024
"""The most of a response that is read; what is longer is cut, and the model is told."""

REDIRECTS: Final = 5
"""The most redirects that are followed, all of them to where the first request went."""

_METHOD: Final = re.compile(r"[A-Z]{1,20}", re.ASCII)
_BODILESS: Final = frozenset({"GET", "HEAD"})
_CHARSET: Final = re.compile(
    r"utf-(16|32)|(us-)?ascii|iso-8859-([1-9]|1[0-6])|windows-125[0-8]|shift_jis|euc-(jp|kr)|gb(k|2312|18030)|big5|koi8-[ru]",
    re.IGNORECASE,
)
"""Read as such; all else as UTF-8. Python has codecs that take the square of the length, and some that are no text."""

_TEXTUAL: Final = re.compile(r"text/.*|application/(.*\+)?(json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson)")


@dataclass(frozen=True, slots=True)
class HttpTool:
    """An HTTP endpoint as a tool.

    >>> HttpTool("issue", "GET", "https://api.example.com/issues/{id}").input_schema["required"]
    ['id']

    Arguments fill the `{placeholders}` of the URL and of the body, and are encoded for where they stand. Those that
    have no place go into the query of a GET or HEAD, and into the JSON object of any other body. Nothing an argument
    holds changes the host, the number of segments of the path, or the query beside it.

    An answer of 401 or 403 with a link to log in at makes the call wait for the person, and is asked again after that;
    any other that is no 2xx is an error. Redirects are followed to the same scheme, host and port alone.

    Raises:
        TypeError: If something is of the wrong type.
        ValueError: If something could never be sent, or the schema lacks an argument that the URL cannot do without.
    """

    name: str
    """What the model calls it."""

    method: str
    """GET, POST, or another."""

    url: str = field(repr=False)
    """Where to, http or https, with `{placeholders}` in its path and in the values of its query."""

    _: KW_ONLY

    description: str = ""
    """What it does, for the model."""

    input_schema: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    """The JSON Schema of its arguments; without one, a text for each placeholder."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Sent along; `${NAME}` is filled in from the environment at each call. Values of six characters and more are
    shown nowhere, not even where the other side repeats them.
    """

    query: Sequence[str] = ()
    """Arguments that go into the query, each under its name, whatever the method."""

    body: Any = field(default=None, repr=False, hash=False)
    """A JSON template of the body, with `{placeholders}` in its texts; without one, the arguments that are left."""

    encoding: Literal["json", "form"] = "json"
    """How the body is written; a form takes an object of texts and numbers."""

    login_url: str | None = field(default=None, repr=False)
    """Where to log in, for an API that does not say so when it refuses."""

    timeout: float = 30.0
    """How long a call may take in all, in seconds."""

    _parts: _Parts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_tool_name(self.name)
        if isinstance(self.query, str):
            raise TypeError(f"the query of {self.name} is a list of names, not a text")
        if not isinstance(self.method, str) or not _METHOD.fullmatch(self.method.upper()):
            raise ValueError(f"the method of {self.name} is GET, POST or the like, not {self.method!r}")
        if self.encoding not in ("json", "form") or not self.timeout > 0:
            raise ValueError(f"the encoding of {self.name} is 'json' or 'form', and its timeout is positive")
        if self.login_url is not None and (problem := link_problem(self.login_url)):
            raise ValueError(f"the login_url of {self.name} {problem}")
        parts = _Parts.of(self)
        values = {
            "method": self.method.upper(),
            "input_schema": _json.frozen(parts.schema),
            "headers": _json.frozen(require_headers(self.name, self.headers)),
            "query": tuple(self.query),
            "_parts": parts,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult | Pending:
        """Send the request, and read what comes back.

        Raises:
            ToolError: If the arguments do not fit, or nothing could be sent or read.
        """
        self._parts.check.require_fit(arguments)
        headers = filled_headers(self.name, self.headers)
        secrets = secrets_of(self.headers, headers)
        reply = await self._sent(self._request(arguments, headers), secrets)
        return self._result(reply, secrets)

    # --- the way out --------------------------------------------------------------------------------------------------

    def _request(self, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> httpx2.Request:
        left = {name: value for name, value in arguments.items() if name not in self._parts.placed}
        in_query = {name: left.pop(name) for name in [*left] if name in self.query or self._asks_by_query}
        url = httpx2.URL(self._parts.url.filled(arguments, in_query))
        if not _is_same_place(url, httpx2.URL(self._parts.url.origin)):
            raise ToolError(f"{self.name} was not called: its arguments would lead elsewhere.")
        kind, content = self._body(arguments, left)
        ours = {"accept-encoding": "identity"} | ({"content-type": kind} if kind else {})
        sent = ours | {name.lower(): value for name, value in headers.items()}
        return httpx2.Request(self.method, url, headers=sent, content=content)

    @property
    def _asks_by_query(self) -> bool:
        return self.method in _BODILESS and self.body is None

    def _body(self, arguments: Mapping[str, Any], left: Mapping[str, Any]) -> tuple[str, bytes | None]:
        """The body with its media type; none for a call that has nothing to say."""
        found = (left or None) if self.body is None else filled_json(self.body, arguments)
        if found is None:
            return "", None
        if self.encoding == "json":
            return "application/json", json.dumps(found, ensure_ascii=False).encode()
        if not isinstance(found, Mapping):
            raise ToolError(f"The body of {self.name} is no object, and cannot be written as a form.")
        return "application/x-www-form-urlencoded", "&".join(pairs_of(found)).encode()

    async def _sent(self, request: httpx2.Request, secrets: Secrets) -> _Reply:
        """Send it, and read the answer. What goes wrong is told in our words: the library's may have the URL.

        Raises:
            ToolError: If there is no answer in time, or none at all.
        """
        hide_queries(str(request.url))
        try:
            with anyio.fail_after(self.timeout):
                async with httpx2.AsyncClient(verify=_trust(), timeout=self.timeout) as client:
                    return await self._received(client, request, secrets)
        except (TimeoutError, httpx2.TimeoutException):
            problem = f"did not answer within {self.timeout:g} seconds"
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError) as error:
            logger.warning("the tool %r got no answer: %s", self.name, type(error).__name__)
            problem = "could not be reached, or broke off"
        raise ToolError(f"{self.name} {problem}.")

    async def _received(self, client: httpx2.AsyncClient, request: httpx2.Request, secrets: Secrets) -> _Reply:
        for _ in range(REDIRECTS + 1):
            response = await client.send(request, stream=True)
            try:
                following = response.next_request
                if following is None:
                    return await _read(response, secrets)
            finally:
                await response.aclose()
            if not _is_same_place(following.url, request.url):
                raise ToolError(f"{self.name} was redirected to another place, which is not followed.")
            request = following
        raise ToolError(f"{self.name} was redirected more than {REDIRECTS} times.")

    # --- the way back -------------------------------------------------------------------------------------------------

    def _result(self, reply: _Reply, secrets: Secrets) -> ToolResult | Pending:
        text, data = reply.text, reply.data
        if reply.status in REFUSALS:
            link = login_link(reply.url, reply.headers, data) or self.login_url
            if link is not None and secrets.without(link) == link:
                return auth_required(link, prompt=login_prompt(link))
        said = text if reply.is_whole else f"{text}\n[cut after {RESPONSE_BYTES:,} bytes]"
        if not 200 <= reply.status < 300:
            return ToolResult.error(f"HTTP {reply.status}: {said}" if said else f"HTTP {reply.status}")
        return ToolResult(said, structured=storable(data))


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is made once of what an author wrote."""

    url: UrlTemplate
    placed: frozenset[str]
    """The arguments that have a place in the URL or the body."""

    schema: Mapping[str, Any]
    check: ArgumentCheck

    @classmethod
    def of(cls, tool: HttpTool) -> _Parts:
        url = UrlTemplate.parse(tool.url)
        in_body = placeholders_of(tool.body)
        schema = tool.input_schema or _schema_of([*url.names, *in_body, *tool.query], [*url.required, *in_body])
        check = ArgumentCheck(tool.name, schema)
        known = schema.get("properties", {})
        if unknown := [name for name in [*url.names, *in_body, *tool.query] if name not in known]:
            raise ValueError(f"the input schema of {tool.name} has no {unknown[0]!r}, which is to be filled in")
        return cls(url, frozenset([*url.names, *in_body]), schema, check)


@dataclass(frozen=True, slots=True)
class _Reply:
    """What came back."""

    status: int
    url: str
    headers: Mapping[str, str]
    text: str
    """What it says, without what is secret."""

    data: Any
    """The JSON of it, without what is secret; `None` for what was cut."""

    is_whole: bool


def _schema_of(names: Sequence[str], required: Sequence[str]) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    wanted = list(dict.fromkeys(required))
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": wanted} if wanted else schema


async def _read(response: httpx2.Response, secrets: Secrets) -> _Reply:
    most = RESPONSE_BYTES + LONGEST_SPELLING * secrets.longest  # A secret must not be cut in two.
    read = bytearray()
    async for chunk in response.aiter_bytes():
        read += chunk
        if len(read) > most:
            break
    is_whole = len(read) <= RESPONSE_BYTES
    text, shown = _text(response, bytes(read[:most])), len(_text(response, bytes(read[:RESPONSE_BYTES])))
    data = secrets.without_in(_parsed(text)) if is_whole else None
    said = secrets.without(text, at_most=shown)
    return _Reply(response.status_code, str(response.url), response.headers, said, data, is_whole)


def _text(response: httpx2.Response, read: bytes) -> str:
    kind = (response.headers.get("content-type") or "text/plain").partition(";")[0].strip().lower()
    if not _TEXTUAL.fullmatch(kind):
        return f"[{kind}, {len(read):,} bytes]" if read else ""
    charset = response.charset_encoding or ""
    return read.decode(charset if _CHARSET.fullmatch(charset) else "utf-8-sig", errors="replace")


def _parsed(text: str) -> Any:
    try:
        return _json.loads(text)
    except ValueError:
        return None


def _is_same_place(url: httpx2.URL, other: httpx2.URL) -> bool:
    return (url.scheme, url.host, _port(url)) == (other.scheme, other.host, _port(other)) and not url.userinfo


def _port(url: httpx2.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Made once: to read all certificates takes longer than many a call."""
    return httpx2.create_ssl_context()
