"""
The labels of a video: an ID of its owner's, metadata and tags.

Nothing here means anything to the service. See decision 124.
"""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.folded_texts import composed
from hvcore.domain.limits import MAX_METADATA_BYTES, MAX_METADATA_KEYS
from hvcore.errors import FieldError, InvalidParametersError

Metadata = tuple[tuple[str, str], ...]
"""Keys and their values, in the order in which they were set."""


@attrs.frozen(kw_only=True)
class Labels:
    """
    The labels of a video.

    Attributes:
        external_id: What the owner calls the video; no other one of its environment has
            it that is not deleted.
        tags: Each once, as it was sent.
    """

    external_id: str | None = None
    metadata: Metadata = ()
    tags: tuple[str, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """The terms that lists are filtered by: see tag_term and metadata_term."""
        pairs = (metadata_term(key, value) for key, value in self.metadata)
        return frozenset((*map(tag_term, self.tags), *pairs))


NO_LABELS: Final = Labels()


@attrs.frozen(kw_only=True)
class LabelChanges:
    """
    The changes of an owner to labels; None leaves a label as it is.

    Attributes:
        metadata: The keys that change, None for those that go; other keys stay.
        tags: In place of all that were there.
    """

    external_id: str | None = None
    clears_external_id: bool = False
    metadata: Mapping[str, str | None] | None = None
    clears_metadata: bool = False
    tags: tuple[str, ...] | None = None

    def of(self, labels: Labels) -> Labels:
        """
        Return the labels after the change.

        Raises:
            InvalidParametersError: They have too much metadata then.
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
    """Return the label term of a tag, composed (NFC); case counts."""
    return written_tag_term(composed(tag))


def written_tag_term(tag: str) -> str:
    """Return the term of a tag whose letters are composed, or were never asked about."""
    return f"tag:{tag}"


def metadata_term(key: str, value: str) -> str:
    """
    Return the term that finds videos by a key and a value of metadata.

    No key has a colon.
    """
    return f"metadata:{key}:{value}"


def too_much_metadata(pairs: Mapping[str, str | None]) -> str | None:
    """Return the problem with the size of metadata: ``must have …``; None if none."""
    if len(pairs) > MAX_METADATA_KEYS:
        return f"must have at most {MAX_METADATA_KEYS} keys"
    size_bytes = sum(
        len(key.encode()) + len((value or "").encode()) for key, value in pairs.items()
    )
    if size_bytes > MAX_METADATA_BYTES:
        return f"must have at most {MAX_METADATA_BYTES} bytes of keys and values"
    return None


def _check(pairs: Mapping[str, str | None]) -> None:
    rule = too_much_metadata(pairs)
    if rule is not None:
        message = (
            f"metadata {rule}, together with what the video has; null removes a key."
        )
        problem = FieldError(message=message, location="body.metadata")
        raise InvalidParametersError(message, errors=[problem])
