"""
Labels of a video: an external ID that the owner chooses, metadata and tags.

The service stores and searches labels, and does not interpret them.
"""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.folded_texts import composed
from hvcore.domain.limits import MAX_METADATA_BYTES, MAX_METADATA_KEYS
from hvcore.errors import ConflictError, FieldError, InvalidParametersError

Metadata = tuple[tuple[str, str], ...]
"""Keys and their values, in the order in which they were set."""


@attrs.frozen(kw_only=True)
class Labels:
    """
    Hold the labels of a video: external ID, metadata and tags.

    Attributes:
        external_id: The owner's own ID of the video, unique among the videos of the
            environment that are not deleted.
        tags: The tags as they were sent; each one once.
    """

    external_id: str | None = None
    metadata: Metadata = ()
    tags: tuple[str, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """The search terms of all tags and metadata: see tag_term and metadata_term."""
        pairs = (metadata_term(key, value) for key, value in self.metadata)
        return frozenset((*map(tag_term, self.tags), *pairs))


NO_LABELS: Final = Labels()


@attrs.frozen(kw_only=True)
class LabelChanges:
    """
    Hold an owner's changes to a video's labels; None leaves a label as it is.

    Attributes:
        metadata: The new values of the keys that change; None removes a key. Other keys
            stay.
        tags: The tags that replace all present tags; None leaves them.
    """

    external_id: str | None = None
    clears_external_id: bool = False
    metadata: Mapping[str, str | None] | None = None
    clears_metadata: bool = False
    tags: tuple[str, ...] | None = None

    def of(self, labels: Labels) -> Labels:
        """
        Return a video's labels after the change.

        Raises:
            InvalidParametersError: The video would have too much metadata.
        """
        external_id = None if self.clears_external_id else labels.external_id
        pairs = {} if self.clears_metadata else dict(labels.metadata)
        for key, value in (self.metadata or {}).items():
            if value is None:
                pairs.pop(key, None)
            else:
                pairs[key] = value
        if self.metadata:
            _check(pairs)
        return Labels(
            external_id=self.external_id or external_id,
            metadata=tuple(pairs.items()),
            tags=labels.tags if self.tags is None else self.tags,
        )


def tag_term(tag: str) -> str:
    """Return the search term of a tag, with composed letters (NFC); case matters."""
    return written_tag_term(composed(tag))


def written_tag_term(tag: str) -> str:
    """Return the search term of a tag exactly as it is written, without composing letters."""
    return f"tag:{tag}"


def metadata_term(key: str, value: str) -> str:
    """
    Return the search term of videos that have a metadata key with a value.

    A key never contains a colon.
    """
    return f"metadata:{key}:{value}"


def too_much_metadata(pairs: Mapping[str, str | None]) -> str | None:
    """Return the rule that metadata breaks by its size, ``must have …``; None if it fits."""
    if len(pairs) > MAX_METADATA_KEYS:
        return f"must have at most {MAX_METADATA_KEYS} keys"
    size_bytes = sum(
        len(key.encode()) + len((value or "").encode()) for key, value in pairs.items()
    )
    if size_bytes > MAX_METADATA_BYTES:
        return f"must have at most {MAX_METADATA_BYTES} bytes of keys and values"
    return None


def external_id_taken(external_id: str) -> ConflictError:
    """Return the error for an external ID that another video of the environment has."""
    message = (
        "externalID belongs to another video of this environment; choose another one, "
        "or find that video in the list with the parameter externalID."
    )
    problem = FieldError(message=message, location="body.externalID", value=external_id)
    return ConflictError(message, errors=[problem])


def _check(pairs: Mapping[str, str | None]) -> None:
    rule = too_much_metadata(pairs)
    if rule is not None:
        message = (
            f"metadata {rule}, together with what the video has; null removes a key."
        )
        problem = FieldError(message=message, location="body.metadata")
        raise InvalidParametersError(message, errors=[problem])
