"""Tell a client which uploaded file was taken in, if the answer to the upload was lost."""

from collections.abc import Sequence

from hvcore.domain.uploads.grants import UploadGrant
from hvcore.errors import FieldError, UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage


def taken_file(storage: Storage, grant: UploadGrant) -> Sequence[FieldError]:
    """
    Return error details with the size of a used grant's file, so that a client recognizes it.

    Returns:
        An empty sequence if the storage does not know the size or does not answer.
    """
    try:
        size_bytes = storage.stat(grant.stored_path or grant.path).size_bytes
    except (ObjectNotFoundError, UnavailableError):
        return ()
    told = f"The file that is being processed has {size_bytes} bytes."
    where = "header.Content-Length"
    return (FieldError(message=told, location=where, value=size_bytes),)
