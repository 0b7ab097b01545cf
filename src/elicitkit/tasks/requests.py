"""From what an author asks with to what a store keeps: the request as the wire has it, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _json
from ..errors import LimitError, LinkError
from ..forms import Form, FormSource
from ..forms.form import message_problem
from ..limits import MESSAGE_CHARACTERS, SCHEMA_BYTES
from ..safety import link_problem

METHOD = "elicitation/create"


def request_of(source: FormSource[Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The request of a form, a builder, or the payload of `to_input_request`; a link's payload is taken too.

    Raises:
        TypeError: If it is none of these.
        FormError: If the form does not work.
        LinkError: If the link cannot be sent.
        LimitError: If it is larger than `elicitkit.limits` allows.
    """
    if isinstance(source, Mapping):
        return _checked(source)
    if not hasattr(source, "build"):
        raise TypeError(f"a form is asked, or the payload of one, not {type(source).__name__}")
    form = source.build()
    form.require_askable()
    # Not `to_input_request()`, which copies the schema: all tasks that ask with this form share it.
    return form_request(form.message, form.schema())


def form_request(message: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An `elicitation/create` request in form mode; it shares the schema."""
    return {"method": METHOD, "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def link_request(message: str, url: str) -> dict[str, Any]:
    """An `elicitation/create` request in URL mode."""
    return {"method": METHOD, "params": {"mode": "url", "message": message, "url": url}}


def shape_of(request: Mapping[str, Any]) -> str:
    """The fingerprint of what a request asks, as `Question.shape` has it."""
    params = request["params"]
    return _json.digest({"url": params["url"]} if params.get("mode") == "url" else params["requestedSchema"])


def require_small(request: Mapping[str, Any]) -> None:
    """Make sure that a request may be stored.

    Raises:
        TypeError: If it is no request of an elicitation, or holds what cannot be sent.
        LimitError: If the message or the schema is larger than `elicitkit.limits` allows.
    """
    params = request.get("params")
    if request.get("method") != METHOD or not isinstance(params, Mapping):
        raise TypeError(f"what is asked is a request with the method {METHOD!r}, and params")
    message = params.get("message")
    if not isinstance(message, str):
        raise TypeError("the message of a question is text")
    if len(message) > MESSAGE_CHARACTERS:
        raise LimitError(f"The message has {len(message):,} characters, and may have {MESSAGE_CHARACTERS:,}.")
    schema = params.get("requestedSchema" if params.get("mode") != "url" else "url")
    if not isinstance(schema, (Mapping, str)):
        raise TypeError("a question has a requestedSchema, or a url")
    if _json.size(request) > SCHEMA_BYTES and (size := _json.size(schema)) > SCHEMA_BYTES:
        raise LimitError(f"The form takes {size:,} bytes as a schema, and may take {SCHEMA_BYTES:,}.")


def _checked(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The request of a payload, in our own spelling."""
    require_small(payload)
    params = payload["params"]
    if params.get("mode", "form") == "form":
        form = Form.from_schema(params["message"], params["requestedSchema"])
        form.require_askable()
        return form_request(form.message, _json.frozen(params["requestedSchema"]))
    if problem := message_problem(params["message"]):
        raise LinkError(f"The link cannot be sent: its message {problem}.")
    if problem := link_problem(params["url"]):
        raise LinkError(f"The link cannot be sent: it {problem}.")
    return link_request(params["message"], params["url"])
