"""A chat as the place where people are asked: each field is a message, and the next message of the person its answer.

    python examples/chat.py

`Chat` is what a chat service gives you: a way to write to a person, and what that person writes. `Terminal` stands for
one, so that it can be tried; everything else is what a bot needs.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Protocol

from elicitkit import Answer, AnswerError, Content, Form, McpSource, Origin, Request
from elicitkit.fields import BooleanField, ChoiceField, Field, MultiChoiceField, UnknownField
from elicitkit.safety import plain

SHOP = {
    "command": sys.executable,
    "args": [str(Path(__file__).with_name("checkout.py"))],
    "env": {"PYTHONPATH": os.pathsep.join(sys.path)},
}
WORDS = {"yes": True, "y": True, "no": False, "n": False}


class Chat(Protocol):
    """A conversation with one person."""

    async def write(self, text: str) -> None: ...

    async def read(self) -> str: ...


class Terminal:
    """A chat that is no chat: one line is one message."""

    async def write(self, text: str) -> None:
        print(f"bot> {plain(text)}", flush=True)  # without what would move the cursor: a server wrote it

    async def read(self) -> str:
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.strip() if line else "stop"


class Interview:
    """Asks a request in a chat: a `wait_for` for `McpSource` and `Toolkit`.

    The person may write `skip` for what is not required, and `stop` to say no. What does not fit is asked again.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def __call__(self, request: Request) -> Answer:
        match request.kind:
            case "input" if request.schema is not None:
                return await self._ask_form(request, Form.from_schema(request.prompt, request.schema))
            case "authorization":
                await self._chat.write(
                    f"{request.prompt}\nOpen this only if you trust it: {request.url}\nDone? (yes, no)"
                )
                return await self._yes_or_no(request)
            case _:
                await self._chat.write(f"{request.prompt} (yes, no)")
                return await self._yes_or_no(request)

    async def _ask_form(self, request: Request, form: Form) -> Answer:
        await self._chat.write(f"{Origin.of(request).server} asks: {form.message}")
        content: dict[str, object] = {}
        for field in form.fields:
            if isinstance(field, UnknownField):
                continue
            while True:
                await self._chat.write(question(field))
                if (text := await self._chat.read()) == "stop":
                    return request.decline()
                if text == "skip" and not field.required:
                    break
                content[field.name] = value_of(field, text)
                if (problem := fault(form, field, content)) is None:
                    break
                await self._chat.write(f"That does not fit: {problem}.")
                del content[field.name]
        return request.accept(content)

    async def _yes_or_no(self, request: Request) -> Answer:
        return request.accept() if WORDS.get((await self._chat.read()).lower()) else request.decline()


def question(field: Field) -> str:
    """One field, as a message."""
    lines = [field.title or field.name, field.description or ""]
    match field:
        case ChoiceField() | MultiChoiceField():
            lines += [f"  {at}. {option.title or option.value}" for at, option in enumerate(field.options, 1)]
        case BooleanField():
            lines += ["  yes or no"]
        case _:
            pass
    return "\n".join(filter(None, [*lines, "" if field.required else "  (or skip)"]))


def value_of(field: Field, text: str) -> object:
    """What a message means for a field; what means nothing goes on as it is, and is refused by the form."""
    match field:
        case BooleanField():
            return WORDS.get(text.lower(), text)
        case ChoiceField():
            return numbered(field, text)
        case MultiChoiceField():
            return [numbered(field, part.strip()) for part in text.split(",") if part.strip()]
        case _:
            return text


def numbered(field: ChoiceField | MultiChoiceField, text: str) -> str:
    at = int(text) if text.isascii() and text.isdigit() else 0
    return field.options[at - 1].value if 1 <= at <= len(field.options) else text


def fault(form: Form[Content], field: Field, content: dict[str, object]) -> str | None:
    """What is wrong with the newest answer; the fields that are still to come do not count."""
    try:
        form.check(content)
    except AnswerError as error:
        return next((fault.problem for fault in error.faults if fault.field == field.name), None)
    return None


async def main() -> None:
    async with McpSource.load({"mcpServers": {"shop": SHOP}}, wait_for=Interview(Terminal())) as source:
        result = await source.call("shop_checkout", {"cart": "42"})
    print(result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main())
