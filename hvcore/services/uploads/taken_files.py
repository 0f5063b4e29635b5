"""Tell a sender which file has come, if the answer to it may have been lost."""

from collections.abc import Sequence

from hvcore.domain.uploads.grants import UploadGrant
from hvcore.errors import FieldError, UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage


def taken_file(storage: Storage, grant: UploadGrant) -> Sequence[FieldError]:
    """
    Return the size of a used grant's file as an error's detail, if known.

    By that a sender knows its own file again.
    """
    try:
        size_bytes = storage.stat(grant.stored_path or grant.path).size_bytes
    except (ObjectNotFoundError, UnavailableError):
        return ()
    told = f"The file that is being processed has {size_bytes} bytes."
    where = "header.Content-Length"
    return (FieldError(message=told, location=where, value=size_bytes),)
