"""The examples of the bridge in another language that this one follows, in Python: each with the same outcome."""

from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams

from elicitkit import Answer, answer_to_elicit_result, elicitation_to_request


def test_form_mode_maps_to_an_input_with_the_schema() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

    request = elicitation_to_request(ElicitRequestFormParams(message="Your name?", requested_schema=schema))

    assert (request.kind, request.prompt, request.url) == ("input", "Your name?", None)
    assert request.data == {"schema": schema}


def test_url_mode_maps_to_an_authorization_with_the_url() -> None:
    request = elicitation_to_request(
        ElicitRequestURLParams(mode="url", message="Log in to continue", url="https://example.com/auth")
    )

    assert (request.kind, request.prompt) == ("authorization", "Log in to continue")
    assert (request.url, request.data) == ("https://example.com/auth", None)


def test_an_answer_round_trips_to_accept_decline_or_cancel() -> None:
    accepted = answer_to_elicit_result(Answer("1", ok=True, data={"name": "Ada"}))
    declined = answer_to_elicit_result(Answer("1", ok=False, reason="declined"))
    expired = answer_to_elicit_result(Answer("1", ok=False, reason="expired"))
    no_reason = answer_to_elicit_result(Answer("1", ok=False))

    assert (accepted.action, accepted.content) == ("accept", {"name": "Ada"})
    assert declined.action == "decline"
    assert (expired.action, no_reason.action) == ("cancel", "cancel")
