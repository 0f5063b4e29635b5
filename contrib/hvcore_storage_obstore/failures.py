"""
Tell refusals, failures and silence of a store apart by the texts of obstore's errors.

obstore gives the answer of a store only as a text, in which the store's own text is
quoted.
"""

import re
from typing import Final

from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

from hvcore.plugin_api import StorageRefusedError, UnavailableError

_NAME: Final = "[A-Za-z0-9._-]{1,64}"
# As S3 writes it; as obstore writes it of one of many objects; and without a body.
_CODE: Final = re.compile(
    rf"<Code>({_NAME})</Code>|\(code: ({_NAME})\)|status code: (\d{{3}})"
)
_WORDS: Final = re.compile(
    r"<Message>([^<]{1,500})</Message>|for key \S+: (.{1,500}) \(code:"
)
_BUCKET: Final = "NoSuchBucket"
_REFUSALS: Final = frozenset({"AccessDenied", "AllAccessDisabled", "403", "401"})
# Of stores that have no bulk deletes, or check them by a digest of another kind.
_NO_BULK: Final = frozenset(
    {
        *("NotImplemented", "MethodNotAllowed", "501", "405"),
        *("InvalidRequest", "InvalidArgument", "InvalidDigest", "BadDigest"),
        *("MissingContentMD5", "XAmzContentChecksumMismatch"),
    }
)


def failure_of(error: Exception) -> UnavailableError:
    """Return the storage port's error for an exception of obstore, with the store's error code if any."""
    text = str(error)
    code, words = _first(_CODE, text), _first(_WORDS, text)
    name = f" ({code})" if code else ""
    is_denied = isinstance(
        error, PermissionDeniedError | UnauthenticatedError | PermissionError
    )
    if is_denied or code in _REFUSALS:
        return StorageRefusedError(f"The storage refuses{name}.", said=words)
    if code == _BUCKET:
        return UnavailableError(f"The storage has no such bucket{name}.", said=words)
    if code is None:
        return UnavailableError("The storage does not answer.")
    return UnavailableError(f"The storage fails{name}.", said=words)


def is_of_bucket(error: Exception) -> bool:
    """Return whether an error of obstore says that the bucket is missing, and not one object."""
    return _first(_CODE, str(error)) == _BUCKET


def has_no_bulk(error: BaseException | None) -> bool:
    """Return whether an error says that the store takes no requests to remove many objects at once."""
    return _first(_CODE, str(error)) in _NO_BULK


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = [match[match.lastindex or 0] for match in pattern.finditer(text)]
    # The store's own code stands behind the status.
    named = [one for one in found if not one.isdigit()]
    return next(iter(named or found), None)
