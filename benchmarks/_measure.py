"""How the benchmarks measure: the median of many short runs of each work, all in one process, taken in turns."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping

Work = Callable[[], object]


def medians(works: Mapping[str, Work], *, rounds: int = 200, loops: int = 50) -> dict[str, float]:
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
    return {name: statistics.median(spent) for name, spent in times.items()}


def report(title: str, found: Mapping[str, float], *, beside: str, aims: Mapping[str, float]) -> None:
    """Print a table: each work, its median, its ratio to *beside*, and what was aimed at."""
    print(f"\n{title}")
    width = max(map(len, found))
    for name, spent in found.items():
        ratio = spent / found[beside]
        aim = f"   aim: at most {aims[name]:g}, {'met' if ratio <= aims[name] else 'MISSED'}" if name in aims else ""
        print(f"  {name:<{width}}  {spent:9.2f} µs  {ratio:8.3f}{aim}")
