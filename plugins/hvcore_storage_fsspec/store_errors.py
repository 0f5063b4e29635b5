"""Turn refusals, failures and silence of a store into the errors of the storage port."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from hvcore.plugin_api import (
    ObjectNotFoundError,
    StorageRefusedError,
    UnavailableError,
)
from hvcore_storage_fsspec.time_limits import SilentStoreError

# Callers of the API are shown it, so nothing else may pass for one.
_CODE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
# The names that S3 and Azure give to an answer that says nothing of an object.
_MISSING_BUCKET: Final = frozenset({"NoSuchBucket", "ContainerNotFound"})
_REFUSALS: Final = frozenset({"401", "403"})
# Google's client says so of a 403 and within the answer to a batch: no number is beside it.
_GOOGLE: Final = re.compile(r'(?P<forbidden>Forbidden: )|.*"code": *(?P<code>[45]\d\d)')


class MissingBucketError(UnavailableError):
    """The store answers, but has no such bucket, so that nothing is known of its objects."""


@contextmanager
def foreign_errors(path: str | None = None) -> Iterator[None]:
    """
    Turn exceptions of a file system in a block into the errors of the storage port.

    Args:
        path: The path of the object whose absence becomes ObjectNotFoundError; None if
            an absence means that the storage is unavailable.
    """
    try:
        yield
    except UnavailableError:
        raise
    except Exception as exc:
        # Each of fsspec's file systems has exceptions of its own.
        code, words = store_answer(exc)
        is_absent = isinstance(exc, FileNotFoundError | IsADirectoryError)
        if path is not None and is_absent and code not in _MISSING_BUCKET:
            raise ObjectNotFoundError(path) from exc
        if isinstance(exc, TimeoutError):
            raise SilentStoreError("The storage does not answer.") from exc
        name = f" ({code})" if code else ""
        if isinstance(exc, PermissionError) or _status(exc) in _REFUSALS:
            raise StorageRefusedError(
                f"The storage refuses{name}.", said=words
            ) from exc
        if code in _MISSING_BUCKET or (is_absent and code in {None, "404"}):
            raise MissingBucketError(
                f"The storage has no such bucket{name}.", said=words
            ) from exc
        if code is None:
            raise UnavailableError("The storage does not answer.", said=words) from exc
        raise UnavailableError(f"The storage fails{name}.", said=words) from exc


def store_answer(error: BaseException) -> tuple[str | None, str | None]:
    """Return the error code and the message in a store's answer; both are None if it did not answer."""
    seen: BaseException | None = error
    while seen is not None:
        code, words = _told(seen)
        if code is not None and _CODE.fullmatch(code):
            return code, words
        seen = seen.__cause__ or seen.__context__
    return None, None


def _told(error: BaseException) -> tuple[str | None, str | None]:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        found = response.get("Error", {})
        return found.get("Code"), found.get("Message")
    if isinstance(error, OSError):
        google = _GOOGLE.match(str(error))
        return (google["code"] or "403", str(error)) if google else (None, None)
    for name in ("error_code", "status_code", "code"):
        code = getattr(error, name, None)
        if code:
            # An enumeration of strings is none where it is shown.
            return str(getattr(code, "value", code)), str(error).partition("\n")[0]
    return None, None


def _status(error: Exception) -> str | None:
    # Those of Azure tell it beside their code.
    status = getattr(error, "status_code", None)
    return str(status) if status else store_answer(error)[0]
