"""How the benchmarks measure: the median of many short runs of each work, all in one process, taken in turns."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Self

Work = Callable[[], object]


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


def growth(title: str, works: Mapping[str, Callable[[int], Work]], sizes: Sequence[int]) -> None:
    """Print how the median time of each work grows with its size."""
    width = max(map(len, works))
    print(f"\n{title}\n  {'':<{width}}  {'  '.join(f'{size:>9,}' for size in sizes)}")
    for name, make in works.items():
        found = [medians({"": make(size)}, rounds=30, loops=3)[""] for size in sizes]
        print(f"  {name:<{width}}  {'  '.join(f'{spent:9.1f}' for spent in found)}   µs")
