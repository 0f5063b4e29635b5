"""
Recorded examples of requests and answers, as the service gave them to a test.

``tests/api/openapi/test_examples.py`` sends the requests again and compares;
``HV_RECORD_EXAMPLES=1`` makes it write the file.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("examples.json")

EXAMPLES: Final[Mapping[str, object]] = json.loads(FILE.read_text("utf-8"))
"""The examples of requests and answers by the names of their schemas, and of errors by
their codes."""

ERROR_REQUESTS_FILE: Final = Path(__file__).with_name("error_requests.json")

ERROR_REQUESTS: Final[Mapping[str, Mapping[str, Any]]] = json.loads(
    ERROR_REQUESTS_FILE.read_text("utf-8")
)
"""A request that gets each error, by the code: method, path, headers, JSON data or a file."""
