"""The outside judge of an answer: `jsonschema-rs` with formats, as strict as the design says, and offline."""

from typing import Any

from jsonschema_rs import Draft202012Validator, EmailOptions

EMAIL = EmailOptions(allow_display_text=False, require_tld=True, allow_domain_literal=False)


def passes(schema: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Tell whether an answer passes a requested schema."""
    judge = Draft202012Validator(schema, validate_formats=True, email_options=EMAIL, offline=True)
    return judge.is_valid(answer)
