"""A long run of the fuzzer: `make fuzz`, or `python -m tests.fuzz --seconds 600 [target ...]`.

Each target runs in a process of its own, led by the code's coverage where `atheris` is installed (`pip install
atheris`), else at random. What is found is printed, with the bytes that do it: an `example` for `test_targets.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

Target = Callable[[bytes], None]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="what to try; all unless named")
    parser.add_argument("--seconds", type=int, default=300, help="how long in all; 300 unless given")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--in-process", help=argparse.SUPPRESS)
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if given.seed is None else given.seed
    if given.in_process:
        return run(given.in_process, given.seconds, seed)
    chosen = given.targets or [*all_targets()]
    if unknown := {*chosen} - {*all_targets()}:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(all_targets())}")
    print(f"seed {seed}; {'coverage-guided' if is_guided() else 'at random: atheris is not installed'}")
    return sum(started(name, max(1, given.seconds // len(chosen)), seed) for name in chosen)


def all_targets() -> dict[str, Target]:
    """The targets by name; imported late, so that what they import can be watched."""
    from tests.fuzz.targets import TARGETS

    return TARGETS


def is_guided() -> bool:
    return importlib.util.find_spec("atheris") is not None


def started(name: str, seconds: int, seed: int) -> int:
    """Run one target, say how many inputs it was given, and give 1 if something was found."""
    command = [sys.executable, "-m", "tests.fuzz", "--in-process", name, "--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120)
    shown = done.stdout + done.stderr
    tried = re.findall(r"(?:Done (\d+) runs|^#(\d+)\s+DONE)", shown, re.MULTILINE)
    count = int(next(filter(None, tried[-1]))) if tried else 0
    print(
        f"{name:<20} {count:>10,} inputs in {seconds} s   {'nothing found' if not done.returncode else 'FOUND'}",
        flush=True,
    )
    if done.returncode:
        print(shown[-4000:])
    return int(done.returncode != 0)


def run(name: str, seconds: int, seed: int) -> int:
    return guided(name, seconds, seed) if is_guided() else at_random(all_targets()[name], seconds, seed)


def guided(name: str, seconds: int, seed: int) -> int:
    import atheris

    with atheris.instrument_imports(include=["elicitkit"]):
        target = all_targets()[name]
    with tempfile.TemporaryDirectory() as corpus:
        limits = [f"-max_total_time={seconds}", f"-seed={seed or 1}", "-max_len=600"]
        atheris.Setup([sys.argv[0], corpus, *limits, f"-artifact_prefix={corpus}/"], target)
        atheris.Fuzz()  # ends the process
    return 0


def at_random(target: Target, seconds: int, seed: int) -> int:
    chosen, until, count = random.Random(seed), time.monotonic() + seconds, 0
    kept = [b""]
    while time.monotonic() < until:
        data = mutated(chosen.choice(kept), chosen)
        try:
            target(data)
        except BaseException:
            print(f"by {data!r}")
            raise
        kept.append(data)
        del kept[:-500]
        count += 1
    print(f"Done {count} runs")
    return 0


def mutated(data: bytes, chosen: random.Random) -> bytes:
    """Some bytes more, fewer or others."""
    changed = bytearray(data[:600])
    for _ in range(chosen.randrange(1, 8)):
        at = chosen.randrange(len(changed) + 1)
        match chosen.randrange(3):
            case 0:
                changed[at:at] = chosen.randbytes(chosen.randrange(1, 9))
            case 1 if changed:
                changed[at - 1] = chosen.randrange(256)
            case _:
                del changed[at : at + chosen.randrange(4)]
    return bytes(changed)


if __name__ == "__main__":
    sys.exit(main())
