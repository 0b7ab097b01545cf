"""Check a requested schema: what breaks the specification, and what hosts are known to choke on."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import _json
from ..errors import ProtocolError
from .exits import Exit, Failure
from .output import give, give_json, say

if TYPE_CHECKING:
    from ..schema.review import Finding, Level

SUMMARY = "check a requested schema against the specification, and against hosts as they are"

_LEVELS: Final[tuple[Level, ...]] = ("fault", "warning", "note")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit check` takes."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="JSON: a requested schema, the params of an elicitation, a JSON-RPC request, a map of inputRequests, or "
        "the error -32042; - for standard input",
    )
    parser.add_argument(
        "--era", metavar="REVISION", help="the revision of the protocol it is for (default: all of them)"
    )
    parser.add_argument("--json", action="store_true", help="print what was found as a JSON list")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit check`, and give its exit code.

    Raises:
        Failure: If the file cannot be read, or holds no question; or there is no such revision.
    """
    from ..schema.review import review_request

    text = _read(args.file)
    try:
        found = [*_repeated_keys(text), *review_request(_document(args.file, text), args.era)]
    except (ProtocolError, ValueError) as error:
        raise Failure(Exit.USAGE, f"{_named(args.file)}: {error}") from None
    if args.json:
        give_json([finding.to_dict() for finding in found])
    else:
        _tell(found)
    return Exit.FAULTS if any(finding.level == "fault" for finding in found) else Exit.FINE


def _read(file: str) -> bytes:
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Failure(Exit.USAGE, f"{_named(file)} cannot be read: {error.strerror or error}") from None
    return text.removeprefix(codecs.BOM_UTF8)


def _document(file: str, text: bytes) -> Any:
    try:
        return _json.loads(text)
    except ValueError as error:
        raise Failure(Exit.USAGE, f"{_named(file)} is not JSON: {error}") from None


def _repeated_keys(text: bytes) -> list[Finding]:
    """Keys that stand twice in one object. Of the reader that is used for all else nobody learns of them."""
    from ..schema.review import Finding

    repeated: list[str] = []

    def noted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return dict(pairs)

    with suppress(ValueError, RecursionError):  # It is told below what is wrong with it.
        json.loads(text, object_pairs_hook=noted)
    words = "stands more than once in one object: some readers take the first, some the last, and some none"
    return [Finding("", "warning", "repeated-key", f"the key {key!r} {words}") for key in dict.fromkeys(repeated)]


def _named(file: str) -> str:
    return "standard input" if file == "-" else file


def _tell(found: list[Finding]) -> None:
    for finding in found:
        give(f"{finding.level:<8}{' '.join(str(finding).split())}")
    counts: Counter[Level] = Counter(finding.level for finding in found)
    told = [f"{count} {level}{'s' if count > 1 else ''}" for level in _LEVELS if (count := counts[level])]
    say(", ".join(told) or "nothing found")
