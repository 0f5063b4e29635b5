"""
Refuse uploads of a part of a file where only whole files are taken.

Source: RFC 9110, sections 14.4 and 14.5.
"""

import re
from typing import Final

import falcon

from hvcore.errors import FieldError, InvalidParametersError

_NAME: Final = "Content-Range"
_RANGE = re.compile(r"bytes ([0-9]{1,19})-([0-9]{1,19})/([0-9]{1,19})", re.ASCII)


def check_whole(req: falcon.Request) -> None:
    """
    Refuse a request whose ``Content-Range`` says that its body is only a part of a file.

    Raises:
        InvalidParametersError: The body is a part, or the header cannot be read.
    """
    sent = req.get_header(_NAME)
    if sent is None:
        return
    found = _RANGE.fullmatch(sent.strip())
    if found is not None:
        first, last, size = map(int, found.groups())
        length = req.content_length
        if first == 0 and last + 1 == size and length in {None, size}:
            return
    message = (
        f"{_NAME} is not supported with PUT: send the whole file without it, or create "
        "a resumable upload at /v1/uploads."
    )
    problem = FieldError(message=message, location=f"header.{_NAME}", value=sent)
    raise InvalidParametersError(message, errors=[problem])
