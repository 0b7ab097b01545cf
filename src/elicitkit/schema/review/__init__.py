"""What is wrong with a requested schema, or may go wrong: against the specification, and with hosts as they are.

`grammar` has the specification's tables, `properties` and `root` the rules, `requests` those around a schema.
"""

from .finding import Breach, Finding, Level
from .requests import review_request
from .root import review_schema

__all__ = ["Breach", "Finding", "Level", "review_request", "review_schema"]
