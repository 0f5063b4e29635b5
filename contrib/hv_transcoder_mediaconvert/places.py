"""
What MediaConvert calls the places of this deployment's storage.

The role reads and writes them, so that no signed address is in a job: those end, and
whoever may list jobs would see them.
"""

from urllib.parse import unquote, urlsplit

import attrs

from hvcore.plugin_api import NotAddressableError, PartTarget

_SCHEME = "s3://"


@attrs.frozen(kw_only=True)
class StoragePlaces:
    """
    Names places as ``s3://bucket/path``.

    Attributes:
        root: What MediaConvert calls the storage's root; empty: as the storage does.
    """

    root: str = ""

    def target(self, target: PartTarget) -> str:
        """
        Return the folder that a submission writes to, without a slash at the end.

        Raises:
            NotAddressableError: The storage is no bucket of S3.
        """
        own = self._own_url(target)
        if not self.root:
            return own
        return f"{self.root.rstrip('/')}/{target.prefix}"

    def source(self, signed: str, target: PartTarget) -> str:
        """
        Return a source's place.

        Args:
            signed: An address of it that the storage has signed. Its path is the
                place; whether the bucket stands in the host or in the path depends on
                the store.

        Raises:
            NotAddressableError: The storage is no bucket of S3.
        """
        own = self._own_url(target)
        bucket = own.removeprefix(_SCHEME).partition("/")[0]
        parts = urlsplit(signed)
        key = unquote(parts.path).lstrip("/")
        if not (parts.hostname or "").startswith(f"{bucket}."):
            key = key.removeprefix(f"{bucket}/")
        if not self.root:
            return f"{_SCHEME}{bucket}/{key}"
        base = own.removeprefix(f"{_SCHEME}{bucket}/").removesuffix(target.prefix)
        return f"{self.root.rstrip('/')}/{key.removeprefix(base)}"

    def _own_url(self, target: PartTarget) -> str:
        url = target.url
        if not url.startswith(_SCHEME):
            raise NotAddressableError(
                "MediaConvert reads and writes buckets of S3 only; set "
                f"storage.options.url to s3://…, not {url.partition(':')[0]}://…"
            )
        return url
