"""
The addresses by which a cloud knows files in this deployment's storage.

The cloud's own account reads and writes the files, so no job contains a signed address:
signed addresses expire, and whoever may list jobs would see them.
"""

from urllib.parse import unquote, urlsplit

import attrs

from hvcore.plugin_api import NotAddressableError, PartTarget, Workspace


@attrs.frozen(kw_only=True)
class CloudAddresses:
    """
    Converts addresses of files in the storage to those of a cloud, ``scheme://bucket/path``.

    Attributes:
        scheme: The URL scheme of the cloud's store, such as ``gs``.
        root: The cloud's address of the storage's root; empty: the same as the
            storage's own.
        fix: The advice to operators if the storage has another scheme.
    """

    scheme: str
    root: str = ""
    fix: str = "the cloud cannot reach the storage; choose one of its own"

    def problem(self, url: str) -> str:
        """
        Return a sentence about the setting that lets the cloud reach the storage; empty if it does.

        Args:
            url: The URL that the storage's clients use for a path.
        """
        is_named = self.root or url.startswith(f"{self.scheme}://")
        return "" if is_named else self.fix

    def target(self, target: PartTarget) -> str:
        """
        Return the cloud's address of a remote job's target folder, without a slash at the end.

        Raises:
            NotAddressableError: The cloud cannot reach the folder.
        """
        own = self._own_url(target)
        if not self.root:
            return own
        return f"{self.root.rstrip('/')}/{target.prefix}"

    def source(self, signed: str, target: PartTarget) -> str:
        """
        Return the address, such as ``s3://bucket/path``, at which the cloud finds a source.

        Args:
            signed: A presigned URL of the source, from the storage; the bucket is in its
                host or in its path, as the store has it.
            target: Where the part's files are written, in the bucket of the source.

        Raises:
            NotAddressableError: The cloud cannot reach the source.
        """
        scheme, _, own = self._own_url(target).partition("://")
        bucket, _, folder = own.partition("/")
        parts = urlsplit(signed)
        key = unquote(parts.path).lstrip("/")
        if not (parts.hostname or "").startswith(f"{bucket}."):
            key = key.removeprefix(f"{bucket}/")
        if not self.root:
            return f"{scheme}://{bucket}/{key}"
        base = folder.removesuffix(target.prefix)
        return f"{self.root.rstrip('/')}/{key.removeprefix(base)}"

    def _own_url(self, target: PartTarget) -> str:
        url = target.url
        if self.problem(url):
            raise NotAddressableError(self.fix)
        return url


def target_of(workspace: Workspace) -> PartTarget:
    """
    Return the folder in the storage that takes the files of a workspace's part.

    Raises:
        NotAddressableError: The workspace has no target.
    """
    if workspace.target is None:
        raise NotAddressableError("this workspace has no target")
    return workspace.target
