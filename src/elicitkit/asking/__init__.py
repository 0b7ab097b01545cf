"""Asking a person. `questions` has the forms, `links` the links, `steps` what is done once; `road` is the port behind.

Nothing here knows how a question travels. `elicit` finds the road of the running call and asks it; an adapter for a
framework puts the road there.
"""

from .awaitable import Asking
from .cancellation import note_cancelled, stay_cancelled
from .links import complete, elicit_url, url_required
from .questions import TRIES, confirm, elicit, elicit_all, elicit_sync
from .road import AskContext, Mode, Road, refuse_in_step, reply_from, travel, travelling
from .steps import call_id, step, task_id

__all__ = [
    "TRIES",
    "AskContext",
    "Asking",
    "Mode",
    "Road",
    "call_id",
    "complete",
    "confirm",
    "elicit",
    "elicit_all",
    "elicit_sync",
    "elicit_url",
    "note_cancelled",
    "refuse_in_step",
    "reply_from",
    "stay_cancelled",
    "step",
    "task_id",
    "travel",
    "travelling",
    "url_required",
]
