"""Objects in the memory of one process, for tests."""

from pathlib import Path

from hvcore_storage_fsspec.remote import RemoteStorage


class MemoryFileSystemStorage(RemoteStorage):
    """A storage whose objects are in fsspec's memory file system."""

    def _send(self, local: Path, target: str, content_type: str) -> None:  # noqa: ARG002 - it keeps no types
        # put_file shows an object before it is whole, also to another writer.
        self._fs.pipe_file(target, local.read_bytes())
