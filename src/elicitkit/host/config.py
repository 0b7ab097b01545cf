"""Which server is meant: a URL, a command line, or a name in a file such as `mcp.json`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from .. import _json
from .._json import is_sendable
from ..naming import nearest
from .servers import HttpServer, Server, StdioServer
from .variables import filled_in, first_unset, is_variable, variables_of

DEFAULT_CONFIG: Final = "mcp.json"
"""Where names are looked up when no file is given."""

_SECTIONS = ("mcpServers", "servers", "mcp")
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_ENV_NAME = re.compile(r"[^=\0]+")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def find_server(text: str, *, config: str | Path | None = None) -> Server:
    """Find the server that *text* means: a name in a configuration file, a URL, or a command line.

    A name is looked up first. A command line is run without a shell, in the environment of this process.

    Args:
        text: What was typed.
        config: The file with the names; without one, `mcp.json` in the working directory, if it is there.

    Raises:
        ValueError: If it is none of the three, with the nearest name there is; or if the file is not what it should
            be, with the server and the key.
        OSError: If *config* cannot be read.
    """
    named, problem = _named_servers(config)
    if text in named:
        return server_from(text, named[text])
    if is_url(text):
        return HttpServer(_checked_url(text))
    command = _command_line(text)
    if command is None:
        known = problem or f"of the names in {config or DEFAULT_CONFIG}, {nearest(text, named)}"
        raise ValueError(f"{text!r} is no URL (http:// or https://), no command here, and no known name: {known}")
    return StdioServer(command[0], args=tuple(command[1:]), env=dict(os.environ))


def read_config(path: str | Path) -> dict[str, Any]:
    """The servers a file describes, by name and unchecked; one bad server is no fault of the others.

    Reads what other hosts write: an object of servers under `mcpServers`, `servers` or `mcp` (there also under
    `mcp.servers`). All else is ignored.

    Raises:
        ValueError: If it is not JSON, or has none of the three.
        OSError: If it cannot be read.
    """
    try:
        found = _json.loads(Path(path).read_bytes().removeprefix(_BYTE_ORDER_MARK))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    return servers_in(found, path)


def servers_in(found: object, where: str | Path) -> dict[str, Any]:
    """The servers that the content of a file describes, as `read_config` gives them.

    Args:
        found: What a file holds.
        where: What an error calls it.

    Raises:
        ValueError: If it has none of the three sections.
    """
    sections = [found[key] for key in _SECTIONS if key in found] if isinstance(found, Mapping) else []
    if not sections:
        raise ValueError(f"{where} has no servers: it needs an object under 'mcpServers', 'servers' or 'mcp'")
    return {name: entry for section in reversed(sections) for name, entry in _entries(where, section).items()}


def server_from(name: str, entry: object) -> Server:
    """The server that one entry of a configuration file describes, with the variables `${NAME}` filled in.

    An entry has `command` with `args`, `env` and `cwd`, or `url` with `headers`. Other keys are ignored, and so are
    values of `null`. Variables are filled in in `env` and `headers` only; a variable of this process that is handed on
    under its own name, as in `dict(os.environ)`, keeps its value to the letter.

    Raises:
        ValueError: If a value has the wrong type, or a variable is not set; with the server and the key.
    """
    if not isinstance(entry, Mapping):
        raise _fault(name, None, "is to be an object with a command or a url")
    entry = {key: value for key, value in entry.items() if value is not None}
    if ("command" in entry) == ("url" in entry):
        raise _fault(name, None, "needs either a command or a url" + (", not both" if "url" in entry else ""))
    if "url" in entry:
        url = _checked_url(_text(name, "url", entry["url"]), name)
        return HttpServer(url, headers=_headers(name, entry.get("headers", {})))
    args = entry.get("args", [])
    if not isinstance(args, (list, tuple)):
        raise _fault(name, "args", f"is to be a list of text, not {_kind(args)}")
    return StdioServer(
        _text(name, "command", entry["command"]),
        args=tuple(_text(name, f"args[{at}]", arg, may_be_blank=True) for at, arg in enumerate(args)),
        env=_environment(name, entry.get("env", {})),
        cwd=_text(name, "cwd", entry["cwd"]) if "cwd" in entry else None,
    )


def is_url(text: str) -> bool:
    """Tell whether *text* is meant as a URL."""
    return text.lower().startswith(("http://", "https://"))


# --- names ------------------------------------------------------------------------------------------------------------


def _named_servers(config: str | Path | None) -> tuple[dict[str, Any], str | None]:
    """The servers by name; and why there are none, where nobody asked for the file that is to blame."""
    if config is not None:
        return read_config(config), None
    try:
        return read_config(DEFAULT_CONFIG), None
    except FileNotFoundError:
        return {}, f"there is no {DEFAULT_CONFIG} here"
    except (OSError, ValueError) as error:
        return {}, str(error)


def _entries(path: str | Path, section: object) -> dict[str, Any]:
    if not isinstance(section, dict):
        raise ValueError(f"{path}: the servers are to be an object by name, not {_kind(section)}")
    if unnamed := [name for name in section if not isinstance(name, str)]:
        raise ValueError(f"{path}: the name of a server is text, not {_kind(unnamed[0])}")
    nested = section.get("servers")
    is_nested = isinstance(nested, dict) and not {"command", "url"} & nested.keys()
    return nested if is_nested else section  # type: ignore[return-value]  # `is_nested` says that it is a dict


def _command_line(text: str) -> list[str] | None:
    """The words of a command line; `None` when it is one word, and no program there is."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no command line: {error}") from None
    if not words or (len(words) == 1 and shutil.which(words[0]) is None):
        return None
    return words


# --- the values of an entry -------------------------------------------------------------------------------------------


def _fault(name: str, key: str | None, problem: str) -> ValueError:
    """The error for one server; it never has a value in it, which may be a secret."""
    return ValueError(f"server {name!r}: {key} {problem}" if key else f"server {name!r} {problem}")


def _text(name: str, key: str, value: object, *, may_be_blank: bool = False) -> str:
    if not isinstance(value, str):
        raise _fault(name, key, f"is to be text, not {_kind(value)}")
    if not (may_be_blank or value.strip()):
        raise _fault(name, key, "is blank")
    return _passable(name, key, value)


def _passable(name: str, key: str, text: str) -> str:
    """Text that a program can be given: the system ends one at its first null character."""
    if "\0" in text or not is_sendable(text):
        raise _fault(name, key, "has a character that no program can be given")
    return text


def _checked_url(url: str, name: str | None = None) -> str:
    try:
        is_good = is_url(url) and bool(urlsplit(url).hostname) and urlsplit(url).port != 0 and bool(httpx2.URL(url))
    except (ValueError, httpx2.InvalidURL):
        is_good = False
    if not is_good:
        what = "is to be the address of a host, such as https://example.com/mcp"
        raise ValueError(f"a URL {what}") if name is None else _fault(name, "url", what)
    return url


def _headers(name: str, value: object) -> dict[str, str]:
    headers = _expanded(name, "headers", value, _HEADER_NAME, "a header")
    for key, content in headers.items():
        if not (content.isascii() and content.isprintable()):
            raise _fault(name, f"headers.{key}", "has characters that a header cannot carry")
    return headers


def _environment(name: str, value: object) -> dict[str, str]:
    ours = dict(os.environ)
    handed_on = {at: text for at, text in value.items() if text == ours.get(at)} if isinstance(value, Mapping) else {}
    written = {at: text for at, text in value.items() if at not in handed_on} if isinstance(value, Mapping) else value
    return handed_on | _expanded(name, "env", written, _ENV_NAME, "a variable")


def _expanded(name: str, key: str, value: object, names: re.Pattern[str], noun: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise _fault(name, key, f"is to be an object of text, not {_kind(value)}")
    if not all(isinstance(at, str) and names.fullmatch(at) for at in value):
        raise _fault(name, key, f"has something that is no name of {noun}")
    return {at: _filled_in(name, f"{key}.{at}", text) for at, text in value.items()}


def _filled_in(name: str, key: str, text: object) -> str:
    if not isinstance(text, str):
        raise _fault(name, key, f"is to be text, not {_kind(text)}")
    if not all(map(is_variable, variables_of(text))):
        raise _fault(name, key, "has ${…} with something else between the braces than the name of a variable")
    if (unset := first_unset(text)) is not None:
        raise _fault(name, key, f"needs the environment variable {unset}, which is not set")
    return _passable(name, key, filled_in(text))


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    kinds |= {int: "a number", float: "a number"}
    return kinds.get(type(value)) or f"a {type(value).__name__}"
