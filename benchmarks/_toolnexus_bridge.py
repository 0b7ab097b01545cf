"""The other side of `host.py`: run by a Python that has toolnexus, it measures the same pair of mappings there.

It reads the schema and the answer from standard input, and writes the version and the median in microseconds.
"""

import json
import sys
from importlib.metadata import version

from _measure import medians
from mcp import types
from toolnexus.mcp_source import answer_to_elicit_result, elicitation_to_request
from toolnexus.types import Answer


def main() -> None:
    schema, content = json.load(sys.stdin)
    params = types.ElicitRequestFormParams(message="Your booking", requestedSchema=schema)

    def pair() -> object:
        request = elicitation_to_request(params)
        return answer_to_elicit_result(Answer(id=request.id, ok=True, data=content))

    print(json.dumps([version("toolnexus"), medians({"pair": pair})["pair"]]))


if __name__ == "__main__":
    main()
