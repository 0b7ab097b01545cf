"""Questions of every kind, as servers ask them."""

from typing import Any

from elicitkit import FormElicitation, Origin, Request

SHOP = Origin("harbour-talks", "plan_talk", call="c1", task="a1b2c3d4", agents=("planner", "booker"))
OPTIONS = {f"o{number}": f"Option number {number}" for number in range(30)}

EVERY_KIND = (
    FormElicitation.create("Harbour Talks, our small conference by the sea, would like to have you as a speaker.")
    .string("title").description("As it stands in the programme").required().min_length(5).max_length(60)
    .string("summary").description("A few lines about your talk").max_length(2000)
    .email("email").title("E-mail").required()
    .uri("page").title("A page about it")
    .date("arrival").required()
    .date_time("slot").title("When you speak").required()
    .integer("seats").between(5, 200).default(40)
    .number("costs").title("Travel costs").between(0, 900)
    .boolean("recorded").title("May we record it?").default(True)
    .boolean("terms").title("Do you accept the terms?").required()
    .choice("length").options({"short": "Lightning talk", "long": "Workshop"}).required()
    .choice("room").options(OPTIONS).required()
    .multi_choice("topics").options({"testing": "Testing", "types": "Types", "people": "People"}).required()
    .min_items(1).max_items(2)
)  # fmt: skip


def form(made: Any, id: str = "r1", **more: Any) -> Request:
    built = made.build()
    return SHOP.noted_in(Request(id, "input", built.message, data={"schema": built.schema()}, **more))


def a_name(id: str = "r1") -> Request:
    return form(FormElicitation.create("Who are you?").string("name").required().max_length(20).string("more"), id)


def every_kind() -> Request:
    return form(EVERY_KIND)


def a_link(url: str = "https://pay.example.com:8443/checkout/9f8e7d6c?amount=42&currency=EUR#top") -> Request:
    return Origin("shop", "pay").noted_in(Request("r1", "authorization", "Please pay your order of 42 euros.", url=url))


def an_approval(id: str = "r1") -> Request:
    data = {"paths": ["reports/2025.csv", "reports/2026.csv"]}
    return Origin("", "delete_files").noted_in(Request(id, "approval", "Delete 2 files?", data=data))


def a_dialog() -> Request:
    return form(FormElicitation.create("Do you agree to the terms of the conference?"))


def a_lone_boolean() -> Request:
    return form(
        FormElicitation.create('Shall we announce "Testing at sea"?').boolean("it").title("Announce it").required()
    )


def questions() -> Request:
    asked = [
        {"question": "Which colours do you like?", "header": "Colours", "options": ["red", "blue"], "multiple": True},
        {"question": "Why?"},
    ]
    return Origin("", "question").noted_in(Request("r1", "question", "Two questions", data={"questions": asked}))


def an_unknown_kind() -> Request:
    return Request("r1", "signature", "Please sign this.", data={"pages": 3, "hash": "ab" * 60})


def an_unanswerable_form() -> Request:
    properties = {"address": {"type": "object", "title": "Address"}, "name": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["address"]}
    return SHOP.noted_in(Request("r1", "input", "Where do you live?", data={"schema": schema}))
