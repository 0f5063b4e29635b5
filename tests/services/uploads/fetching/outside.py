"""
A server somewhere else, from which files are fetched.
"""

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import FETCH_GET as FETCH_KIND
from hvcore.domain.tasks.task import Task
from hvcore.domain.uploads.grants import FileWanted, UploadGrant
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import World
from tests.support.network.outbound import Names, Source

SECRET = "?signature=very-secret"


@attrs.frozen(kw_only=True)
class Outside:
    """
    The source, and the ways to fetch from it.
    """

    source: Source
    names: Names
    world: World

    def url(self, path: str = "/clip.mp4") -> str:
        """
        Return an address of the source.
        """
        return f"http://source.test:{self.source.port}{path}{SECRET}"

    def video(self, path: str = "/clip.mp4", file: FileWanted | None = None) -> VideoId:
        """
        Order a video to be made of a file of the source.
        """
        return self.world.services.fetching.fetch_video(
            self.world.env,
            self.url(path),
            file or self.world.file(),
            self.world.wanted(),
        ).id

    def download(self, path: str = "/clip.mp4") -> UploadGrant:
        """
        Order a file of the source, for a process request.
        """
        return self.world.services.fetching.fetch_file(self.world.env, self.url(path))

    def process(self, grant: UploadGrant) -> VideoId:
        """
        Ask for a video of a file that is being fetched.
        """
        processing = self.world.services.processing
        return processing.process(self.world.env, grant.path, self.world.wanted())

    def grant_of(self, path_or_id: str) -> UploadGrant:
        """
        Read a grant anew, by its id or its path.
        """
        with self.world.services.uow.read() as work:
            found = work.grants.find(path_or_id) or work.grants.find_path(path_or_id)
        assert found is not None
        return found

    def fetches_of(self, subject: str) -> list[Task]:
        """
        Read the fetch tasks about something.
        """
        with self.world.services.uow.read() as work:
            return list(work.tasks.of_subject(subject, kind=FETCH_KIND))

    def outcome(self, video_id: str) -> tuple[VideoState, str | None]:
        """
        Tell how a video is doing, and why.
        """
        video = self.world.video(video_id)
        return video.state, video.failure_reason
