"""Make the services that compare the database with the storage and repair damage."""

from functools import cached_property

from hvcore.assembly.presence import PresenceWiring
from hvcore.assembly.processing import ProcessingWiring
from hvcore.assembly.tables import TableWiring
from hvcore.persistence.inspection import SqlInspection
from hvcore.services.repair.caption_files import CaptionFiles
from hvcore.services.repair.file_checks import FileChecks
from hvcore.services.repair.fsck import Fsck
from hvcore.services.repair.orphans import Orphans
from hvcore.services.repair.quarantine import Quarantine
from hvcore.services.repair.right_database import RightDatabase
from hvcore.services.repair.video_files import VideoFiles
from hvcore.services.repair.video_repairs import VideoRepairs


class RepairWiring(PresenceWiring, ProcessingWiring, TableWiring):
    """The services that repair, a part of Services; each is made when it is first read."""

    @cached_property
    def quarantine(self) -> Quarantine:
        """The service that keeps for a week the objects that repairs have removed."""
        return Quarantine(storage=self.storage, clock=self.clock)

    @cached_property
    def fsck(self) -> Fsck:
        """The service that finds lost and left-over files of videos, and repairs the damage."""
        inspection = SqlInspection(self.engine)
        checks = FileChecks(storage=self.storage)
        repairs = VideoRepairs(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            files=self._attempt_files,
            quarantine=self.quarantine,
        )
        return Fsck(
            uow=self.uow,
            inspection=inspection,
            videos=VideoFiles(
                uow=self.uow,
                storage=self.storage,
                checks=checks,
                captions=CaptionFiles(checks=checks, repairs=repairs),
                repairs=repairs,
            ),
            orphans=Orphans(
                uow=self.uow,
                storage=self.storage,
                inspection=inspection,
                clock=self.clock,
                quarantine=self.quarantine,
            ),
            database=RightDatabase(
                uow=self.uow,
                storage=self.storage,
                inspection=inspection,
                installation_id=self.installation_id,
            ),
            recount=self.recount,
        )
