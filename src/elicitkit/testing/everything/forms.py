"""The forms of the server that asks everything: one of each kind, and one of all kinds."""

from __future__ import annotations

from typing import Any, Final

from ...forms import Form, FormElicitation

SIZES: Final = {"s": "Small", "m": "Medium", "l": "Large"}


def _form(message: str) -> FormElicitation[Any]:
    return FormElicitation.create(message)


FORMS: Final[dict[str, Form[Any]]] = {
    "text": _form("What is your name?").string("name").required().min_length(2).max_length(20).build(),
    "email": _form("Where can we write to?").email("email").title("E-mail").required().build(),
    "uri": _form("Where is your page?").uri("page").required().build(),
    "date": _form("When do you arrive?").date("arrival").required().default("2026-11-30").build(),
    "date_time": _form("When do we meet?").date_time("at").required().build(),
    "integer": _form("How many scoops?").integer("scoops").required().between(1, 3).build(),
    "number": _form("How heavy is it?").number("weight").description("In kilograms").required().min(0.5).build(),
    "boolean": _form("May we write to you?").boolean("news").required().default(True).build(),
    "choice": _form("Which flavour?").choice("flavour").options(["vanilla", "lemon"]).required().build(),
    "titled_choice": _form("Which size?").choice("size").options(SIZES).required().default("m").build(),
    "multi_choice": _form("Which days?").multi_choice("days").options(["Mon", "Tue", "Wed"]).required()
    .min_items(1).max_items(2).build(),
    "titled_multi_choice": _form("Which sizes do you have?").multi_choice("sizes").options(SIZES).build(),
    "optional": _form("Anything else?").string("note").integer("stars").min(1).max(5).boolean("again").build(),
    "defaults": _form("Is this right?").string("name").default("Ada").integer("age").default(36)
    .number("score").default(9.5).boolean("sure").default(True)
    .choice("size").options(SIZES).default("l").multi_choice("days").options(["Mon", "Tue"]).default("Tue").build(),
}  # fmt: skip
"""By the name of the tool that asks it, behind `ask_`."""

EVERYTHING: Final = (
    _form("Everything at once.\nIt has two lines.")
    .string("name").description("As it stands in your passport").required().min_length(2).max_length(20)
    .email("email").title("E-mail").required()
    .uri("page")
    .date("arrival").default("2026-11-30")
    .date_time("at")
    .integer("scoops").required().between(1, 3)
    .number("weight").min(0.5)
    .boolean("news").default(False)
    .choice("flavour").options(["vanilla", "lemon"]).required()
    .choice("size").options(SIZES).default("m")
    .multi_choice("days").options(["Mon", "Tue", "Wed"]).min_items(1).max_items(2)
    .multi_choice("sizes").options(SIZES).default("s", "m")
    .build()
)  # fmt: skip
