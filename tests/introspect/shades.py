"""The enums that the tests about choices share."""

from enum import Enum, Flag, IntEnum, IntFlag, StrEnum


class Colour(Enum):
    RED = "r"
    BLUE_GREEN = "bg"
    CRIMSON = "r"


class Speed(StrEnum):
    STANDARD = "std"
    EXPRESS = "exp"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Odd(Enum):
    PAIR = (1, "one")
    THING = object()
    LIST = [1, 2]  # noqa: RUF012  # an enum takes what it is given


class Crossed(Enum):
    """The value of each is the name of the other."""

    A = "B"
    B = "A"
    C = "see"


class Right(Flag):
    NONE = 0
    READ = 1
    WRITE = 2
    BOTH = 3
    RUN = 4


class Mode(IntFlag):
    R = 4
    W = 2
    RW = 6
