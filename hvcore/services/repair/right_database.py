"""Check whether a database is the one whose files the storage has."""

from collections.abc import Callable
from io import BytesIO
from typing import Final

import attrs

from hvcore.errors import ConfigError
from hvcore.ports.repositories.inspection import Inspection
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.repair.orphans import batches, distinct, upload_of, video_of

MARK: Final = "installation/id"
"""The object that names the storage's installation; the first repair writes it."""
LEAST_SHARE: Final = 0.5
"""The least share of stored videos that the right database knows."""


@attrs.frozen(kw_only=True)
class RightDatabase:
    """Tell whether a database belongs to a storage; rows of a few stored files may be missing in it."""

    uow: UnitOfWork
    storage: Storage
    inspection: Inspection
    installation_id: Callable[[], str]

    def check(self) -> None:
        """
        Refuse to repair with a database that knows less than half of the stored videos.

        Otherwise mark the storage with the id of this installation.

        Raises:
            ConfigError: The database knows less than half of the videos whose files are
                stored.
            UnavailableError: The storage or the database does not answer.
        """
        what, (known, stored) = "videos", self._videos()
        if not stored:
            what, (known, stored) = "uploads", self._uploads()
        if known >= stored * LEAST_SHARE:
            self._mark()
            return
        raise ConfigError(
            f"The storage has files of {stored} {what}, and the database knows {known} "
            "of them: it looks like an empty one, an old one, or one of another "
            "installation, and a repair would remove what it does not know. Nothing was "
            "changed. See with hv config whether database.url and storage.options.url "
            "belong together, or restore the newest backup first. A single video is "
            "repaired with --video."
        )

    def check_mark(self) -> None:
        """
        Refuse to repair a storage that is marked with the id of another installation.

        Raises:
            ConfigError: The mark names another installation.
            UnavailableError: The storage or the database does not answer.
        """
        try:
            with self.storage.open(MARK) as file:
                said = file.read().decode(errors="replace").strip()
        except ObjectNotFoundError:
            return
        own = self.installation_id()
        if said != own:
            raise ConfigError(
                f"The storage is of the installation {said}, and the database of {own}: "
                "a repair would remove what it does not know. Nothing was changed. See "
                "with hv config whether database.url and storage.options.url belong "
                f"together. If they do, remove the object {MARK} from the storage."
            )

    def _mark(self) -> None:
        text = BytesIO(self.installation_id().encode())
        self.storage.write(MARK, text, content_type="text/plain")

    def _videos(self) -> tuple[int, int]:
        known = stored = 0
        folders = distinct(video_of(info) for info in self.storage.walk("media"))
        for batch in batches(folders):
            stored += len(batch)
            known += len(self.inspection.outlines(batch))
        return known, stored

    def _uploads(self) -> tuple[int, int]:
        known = stored = 0
        for path in distinct(upload_of(info) for info in self.storage.walk("uploads")):
            stored += 1
            with self.uow.read() as work:
                known += work.grants.find_path(path) is not None
        return known, stored
