"""Rounds that a tool drives itself: inside a task, what it asks in them is parked like any other question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..journal import LinkQuestion, Question
from .questions import answer_on_wire, question_of
from .road import ParkedRoad


async def answers_to(road: ParkedRoad, requests: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Park what a tool asks in a round of its own, and give the answers by its keys.

    Raises:
        ProtocolError: If something is asked that a task cannot carry: no person answers it.
        AnswerError: If nothing that came was an answer.
    """
    questions = {key: _question(road, key, request) for key, request in requests.items()}
    replies = await asyncio.gather(*(road.ask(question) for question in questions.values()))
    return {key: answer_on_wire(reply) for key, reply in zip(questions, replies, strict=True)}


def _question(road: ParkedRoad, key: str, request: Mapping[str, Any]) -> Question:
    question = question_of(request, road.name(f"round {key}", None))
    road.require("url" if isinstance(question, LinkQuestion) else "form")
    return question
