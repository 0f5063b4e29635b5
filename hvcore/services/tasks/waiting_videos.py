"""Tell the positions of videos in the queue for an encoder."""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.ids import OrgId
from hvcore.ports.unit_of_work import UnitOfWork

LOOKED_AT: Final = 1_000
"""The most waiting tasks of a lane that are looked at: lists are asked for often."""


@attrs.frozen(kw_only=True)
class WaitingVideos:
    """Tell the positions in the queue of an organization's videos that wait for an encoder."""

    uow: UnitOfWork

    def places(self, org_id: OrgId) -> Mapping[str, int]:
        """
        Return the position, from 1, of each video in the queue for an encoder, by its id.

        Videos behind very many others are left out. Other organizations have a queue of
        their own, and encoders take turns between these queues.
        """
        with self.uow.read() as work:
            waiting = work.tasks.waiting_for_encoder(org_id, LOOKED_AT)
        return {video_id: place for place, video_id in enumerate(waiting, 1)}
