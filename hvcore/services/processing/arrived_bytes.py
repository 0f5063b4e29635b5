"""Check whether the file that a client uploaded directly to the object store is there."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeGuard

from hvcore.domain.uploads.direct import UNREADABLE, mismatch, part_sizes
from hvcore.domain.uploads.grants import GrantState, UploadGrant, direct_upload_path
from hvcore.errors import FieldError, InvalidGcsPathError, UnavailableError
from hvcore.ports.direct_uploads import (
    PartedWrite,
    SupportsPartedWrite,
    SupportsStagedWrite,
    UploadedPart,
)
from hvcore.ports.storage import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    UnreadableObjectError,
)

SENT_AGAIN: Final = "The file was sent again while it was looked at; try again."


def check_arrived(storage: Storage, grant: UploadGrant, *, location: str) -> None:
    """
    Refuse a direct upload grant whose file is not in the store or does not fit the grant.

    A file that does not fit is removed. Asks the store: do not call within a transaction.

    Args:
        location: The name of the request field that names the upload, for the error.

    Raises:
        InvalidGcsPathError: The file is not there, or does not fit.
        UnavailableError: The store does not answer, or another file came meanwhile.
    """
    if grant.state is not GrantState.DIRECT:
        raise not_arrived(grant.path, location)
    try:
        found = storage.stat(direct_upload_path(grant))
    except ObjectNotFoundError as exc:
        whole = whole_parts(storage, grant)
        if whole is not None:
            _check_parts(storage, grant, whole[1], location)
            return
        raise not_arrived(grant.path, location) from exc
    except UnreadableObjectError as exc:
        storage.delete_tree(direct_upload_path(grant))
        raise refused_path(
            grant.path, f"{UNREADABLE} It was removed.", location
        ) from exc
    reason = mismatch(
        grant, size_bytes=found.size_bytes, content_type=found.content_type
    )
    if reason is None:
        return
    if not remove_mismatched(storage, found):
        raise UnavailableError(SENT_AGAIN)
    raise refused_path(grant.path, f"{reason} It was removed.", location)


def remove_mismatched(storage: Storage, found: ObjectInfo) -> bool:
    """
    Remove a directly uploaded file that does not fit its grant.

    Args:
        found: The object's info at the time when it was judged.

    Returns:
        False if another file was uploaded meanwhile; that file stays.

    Raises:
        UnavailableError: The store does not answer.
    """
    with suppress(ObjectNotFoundError):
        if storage.stat(found.path) != found:
            return False
        storage.delete_tree(found.path)
    return True


def whole_parts(
    storage: Storage, grant: UploadGrant
) -> tuple[PartedWrite, Sequence[UploadedPart]] | None:
    """
    Return a multipart upload that has all its parts but was not joined yet, and the parts.

    Returns:
        None if the grant has no multipart upload, or parts are missing.

    Raises:
        UnavailableError: The store does not answer.
    """
    if isinstance(storage, SupportsStagedWrite):
        staged = storage.staged_write(direct_upload_path(grant))
        if staged is not None:
            return staged
    sizes = list(part_sizes(grant.size_bytes))
    if not grant.in_parts or not sizes or not can_take_parts(storage):
        return None
    for begun in storage.parted_writes(direct_upload_path(grant)):
        try:
            parts = storage.uploaded_parts(begun)
        except ObjectNotFoundError:
            # Another worker has joined them just now.
            continue
        if [part.size_bytes for part in parts] == sizes:
            return begun, parts
    return None


def _check_parts(
    storage: Storage, grant: UploadGrant, parts: Sequence[UploadedPart], location: str
) -> None:
    sent_bytes = sum(part.size_bytes for part in parts)
    reason = mismatch(grant, size_bytes=sent_bytes, content_type=None)
    if reason is not None:
        storage.delete_tree(direct_upload_path(grant))
        raise refused_path(grant.path, f"{reason} It was removed.", location)


def can_take_parts(storage: Storage) -> TypeGuard[SupportsPartedWrite]:
    """Return whether a storage can sign addresses for the parts of multipart uploads."""
    return isinstance(storage, SupportsPartedWrite) and storage.can_presign_parts


def not_arrived(path: str, location: str) -> InvalidGcsPathError:
    """
    Return the error for an upload path to which no file was uploaded yet.

    Args:
        location: The name of the request field that names the upload.
    """
    return refused_path(
        path,
        "No bytes were uploaded to this path yet; send them to the signedURL first.",
        location,
    )


def refused_path(path: str, message: str, location: str) -> InvalidGcsPathError:
    """
    Return the error for an upload path in a request, with its reason and field.

    Args:
        location: The name of the request field that names the upload.
    """
    problem = FieldError(message=message, location=location, value=path)
    return InvalidGcsPathError(message, errors=[problem])
