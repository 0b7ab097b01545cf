"""How the benchmarks measure: the median of many short runs of each work, all in one process, taken in turns.

Each script prints what it finds. What it also gives to `note` is written to the file that BENCH_ROWS names, where there
is one; `_table.py` makes one table of it.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Self

Work = Callable[[], object]


def is_quick() -> bool:
    """Whether only a look is wanted: less is done, and the figures say less."""
    return "--quick" in sys.argv


# --- what goes into the table -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that was measured, alone or beside a peer that did the same in the same run."""

    what: str
    unit: str
    ours: float
    p95: float | None = None
    beside: str = ""
    theirs: float | None = None
    aim: float | None = None
    """At most what `judged` is to be."""

    judged: Literal["ratio", "median", "p95"] = "ratio"

    @classmethod
    def of(
        cls, what: str, ours: Sequence[float], theirs: Sequence[float] = (), *, unit: str, scale: float = 1, **more: Any
    ) -> Self:
        """From all the times of a side, each taken so many times."""
        beside = statistics.median(theirs) * scale if theirs else None
        spent = Spent.of(ours)
        return cls(what=what, unit=unit, ours=spent * scale, p95=spent.p95 * scale, theirs=beside, **more)

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None

    @property
    def is_met(self) -> bool | None:
        found = {"ratio": self.ratio, "median": self.ours, "p95": self.p95}[self.judged]
        return None if self.aim is None or found is None else found <= self.aim


@dataclass(frozen=True, slots=True)
class Growth:
    """How a figure grows with a size."""

    what: str
    by: str
    unit: str
    found: Sequence[tuple[int, float]]


def note(found: Row | Growth | Mapping[str, str]) -> None:
    """Hand over a row, a growth, or the versions that were measured."""
    if file := os.environ.get("BENCH_ROWS"):
        kind = "versions" if isinstance(found, Mapping) else type(found).__name__
        line = {kind: dict(found) if isinstance(found, Mapping) else asdict(found)}
        with Path(file).open("a", encoding="utf-8") as rows:
            rows.write(f"{json.dumps(line)}\n")


def note_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        note(row)


def versions(*names: str) -> str:
    """The versions of the environment, which are noted too."""
    found = {name: version(name) for name in names}
    note(found)
    return ", ".join(f"{name} {number}" for name, number in found.items())


# --- measuring --------------------------------------------------------------------------------------------------------


class Spent(float):
    """A median in microseconds, which knows what 95 of 100 runs stayed below."""

    p95: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Self:
        """The median of some times."""
        spent = cls(statistics.median(times))
        spent.p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else float(spent)
        return spent


def medians(works: Mapping[str, Work], *, rounds: int = 200, loops: int = 50) -> dict[str, Spent]:
    """The median time of each work in microseconds; they alternate, so that a slow moment falls on all."""
    times: dict[str, list[float]] = {name: [] for name in works}
    rounds = 5 if is_quick() else rounds
    gc.disable()
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(loops):
                work()
            times[name].append((time.perf_counter() - start) / loops * 1e6)
    gc.enable()
    return {name: Spent.of(spent) for name, spent in times.items()}


def report(title: str, found: Mapping[str, float], *, beside: str, aims: Mapping[str, float]) -> None:
    """Print a table: each work, its median and p95, its ratio to *beside*, and what was aimed at."""
    width = max(map(len, found))
    print(f"\n{title}\n  {'':<{width}}  {'median':>12}  {'p95':>12}  {'ratio':>8}")
    for name, spent in found.items():
        ratio = spent / found[beside]
        aim = f"   aim: at most {aims[name]:g}, {'met' if ratio <= aims[name] else 'MISSED'}" if name in aims else ""
        p95 = f"{spent.p95:9.2f} µs" if isinstance(spent, Spent) else ""
        print(f"  {name:<{width}}  {spent:9.2f} µs  {p95:>12}  {ratio:8.3f}{aim}")


def compare(
    what: str, found: Mapping[str, float], ours: str, theirs: str, beside: str, aim: float | None = None
) -> None:
    """Note a row from medians in microseconds."""
    spent = found[ours]
    p95 = spent.p95 if isinstance(spent, Spent) else None
    note(Row(what=what, unit="µs", ours=spent, p95=p95, beside=beside, theirs=found[theirs], aim=aim))


def growth(title: str, works: Mapping[str, Callable[[int], Work]], sizes: Sequence[int], *, by: str) -> None:
    """Print how the median time of each work grows with its size, and note it."""
    width = max(map(len, works))
    print(f"\n{title}\n  {'':<{width}}  {'  '.join(f'{size:>9,}' for size in sizes)}")
    for name, make in works.items():
        found = [medians({"": make(size)}, rounds=30, loops=3)[""] for size in sizes]
        print(f"  {name:<{width}}  {'  '.join(f'{spent:9.1f}' for spent in found)}   µs")
        note(Growth(name, by, "µs", [*zip(sizes, found, strict=True)]))
