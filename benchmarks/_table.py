"""Make one Markdown table of what the benchmarks noted, and one of how it grows, with the machine they ran on.

`python benchmarks/_table.py build/bench.jsonl` prints it; `--into docs/benchmarks.md` also puts it in there, between
the two comments that say so. `make bench` ends with the first.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from _measure import Growth, Row

BEGIN, END = "<!-- made by `make bench` -->\n", "<!-- until here -->\n"


def read(lines: Iterable[str]) -> tuple[list[Row], list[Growth], dict[str, str]]:
    """What was noted, in the order of the scripts."""
    rows, growths, versions = list[Row](), list[Growth](), dict[str, str]()
    for line in lines:
        ((kind, found),) = json.loads(line).items()
        match kind:
            case "Row":
                rows.append(Row(**found))
            case "Growth":
                growths.append(Growth(**{**found, "found": [(size, value) for size, value in found["found"]]}))
            case _:
                versions |= found
    return rows, growths, versions


def figure(value: float) -> str:
    """A number with three digits that say something."""
    digits = next((places for least, places in ((100, 0), (10, 1), (1, 2), (0.1, 3)) if abs(value) >= least), 4)
    return f"{value:,.{digits}f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from (f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))


def cells(row: Row) -> list[str]:
    def told(value: float | None) -> str:
        return "" if value is None else f"{figure(value)} {row.unit}".rstrip()

    unit = {"ratio": "", "median": f" {row.unit}", "p95": f" {row.unit} at p95"}[row.judged]
    return [
        row.what,
        row.beside,
        told(row.ours),
        told(row.p95),
        told(row.theirs),
        "" if row.ratio is None else figure(row.ratio),
        "" if row.aim is None else f"{row.aim:.3g}{unit}".rstrip(),
        {None: "", True: "met", False: "**missed**"}[row.is_met],
    ]


def grown(growth: Growth) -> list[str]:
    (least, first), (most, last) = growth.found[0], growth.found[-1]
    sizes = ", ".join(f"{size:,}: {figure(value)}" for size, value in growth.found)
    times = f"{last / first:.2g} times" if len(growth.found) > 1 and first else ""
    return [growth.what, f"{sizes} {growth.unit}", growth.by, f"{most / least:,.4g} times", times]


def machine(versions: dict[str, Any]) -> str:
    named = ", ".join(f"{name} {number}" for name, number in versions.items())
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{os.cpu_count()} processors, {platform.system()} on {platform.machine()}, {python}, {named}."


def page(lines: Iterable[str]) -> str:
    rows, growths, versions = read(lines)
    heads = ("what", "beside", "median", "p95", "theirs", "ratio", "aim, at most", "")
    sized = ("what", "by size", "of", "the size grows", "it grows")
    tables = [machine(versions), "", *table(heads, map(cells, rows)), "", *table(sized, map(grown, growths))]
    return "".join(f"{line}\n" for line in tables)


def put(into: Path, made: str) -> None:
    """Replace what stands between the comments."""
    text = into.read_text(encoding="utf-8")
    pattern = re.compile(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{into} has no place for the table: {BEGIN.strip()} and {END.strip()}")
    into.write_text(pattern.sub(lambda _: f"\n{made}\n", text, count=1), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="what the scripts noted: the file that BENCH_ROWS named")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="a page that has a place for it")
    given = parser.parse_args()
    if not given.rows.is_file():
        parser.error(
            f"there is no file {given.rows}: a script makes it when BENCH_ROWS names it, and `make bench` does"
        )
    made = page(given.rows.read_text(encoding="utf-8").splitlines())
    print(made, end="")
    if given.into:
        put(given.into, made)


if __name__ == "__main__":
    main()
