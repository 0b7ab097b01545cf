"""A type is described once, and may be forgotten with its description (design, section 4; section 12)."""

import copy
import dataclasses
import gc
import pickle
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, Generic, TypeVar

import attrs
import pytest

from elicitkit.introspect import describe as module
from elicitkit.introspect.bind import bind
from elicitkit.introspect.describe import describe
from elicitkit.introspect.members import MISSING
from tests.introspect.making import KINDS, answered
from tests.introspect.shades import Colour

T = TypeVar("T")


@dataclasses.dataclass
class Box(Generic[T]):
    it: T


@dataclasses.dataclass
class Data:
    it: int
    colour: Colour = Colour.RED


@pytest.mark.parametrize("kind", KINDS)
def test_a_type_is_described_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = KINDS[kind]({"it": int}, {})
    first = describe(made)
    monkeypatch.setattr(module, "kind_of", None)

    assert describe(made) is first


def test_a_filled_generic_is_described_once_for_each_filling() -> None:
    assert describe(Box[int]) is describe(Box[int])
    assert describe(Box[int]) is not describe(Box[str])
    assert describe(Box[int]).made == Box[int]


def test_a_subclass_and_a_class_made_from_another_are_described_themselves() -> None:
    describe(Data)

    class Child(Data):
        pass

    slotted = dataclasses.dataclass(slots=True)(Data)

    assert describe(Child).made is Child
    assert describe(slotted).made is slotted
    assert type(answered(slotted, {"it": 1})) is slotted


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_made_at_run_time_can_be_forgotten(kind: str) -> None:
    made = KINDS[kind]({"it": int, "colour": Colour}, {})
    answered(made, {"it": 1, "colour": "RED"})
    gone = weakref.ref(made)

    del made
    gc.collect()

    assert gone() is None


def test_a_description_survives_a_copy_and_another_process() -> None:
    description = describe(Data)

    assert pickle.loads(pickle.dumps(description)) is description
    assert copy.deepcopy(description) is description
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING


def test_many_threads_describe_the_same() -> None:
    made = attrs.make_class("Made", {f"m{at}": attrs.field(type=int) for at in range(20)})
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(describe(made))) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({tuple(seed.member.name for seed in one.seeds) for one in found}) == 1
    assert describe(made) in found


def fastest(work: Any, loops: int = 2_000) -> float:
    """Microseconds of one call, in the best of some runs: a busy machine only ever adds."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(loops):
            work()
        times.append((time.perf_counter() - start) / loops * 1e6)
    return min(times)


def test_a_known_type_costs_less_than_two_microseconds() -> None:
    describe(Data)

    assert fastest(lambda: describe(Data)) < 2


def test_binding_costs_little_beside_making_the_value() -> None:
    """Design, section 12: check and bind at most 1.5 of pydantic; binding has room for a third of that here."""
    hints = {f"m{at}": hint for at, hint in enumerate([int, str, float, bool, Colour] * 2)}
    answers = {f"m{at}": value for at, value in enumerate([1, "x", 0.5, True, "RED"] * 2)}
    for kind in ("dataclass", "pydantic model", "msgspec struct"):
        description = describe(KINDS[kind](hints, {}))

        assert fastest(lambda description=description: bind(description, answers), 500) < 40  # type: ignore[misc]


def test_neither_attrs_nor_msgspec_is_imported_for_a_class_of_another_kind() -> None:
    """Both are optional (design, section 3)."""
    script = (
        "import sys; from dataclasses import dataclass; from elicitkit.introspect.describe import describe\n"
        "from elicitkit.introspect.bind import bind\n"
        "made = dataclass(type('Made', (), {'__annotations__': {'it': int}}))\n"
        "assert bind(describe(made), {'it': 3}).it == 3\n"
        "print({'attr', 'attrs', 'msgspec', 'yarl', 'email_validator'} & {*sys.modules})"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=ENVIRONMENT)

    assert done.stdout == "set()\n"


ENVIRONMENT = {"PYTHONPATH": ":".join(filter(None, ["src", *sys.path]))}
