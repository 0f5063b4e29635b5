"""
An organization of its own for each pair of calls, and what must hold of it afterwards.
"""

from collections.abc import Sequence

import attrs
import sqlalchemy as sa

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import KeyId, new_org_id
from hvcore.domain.media_paths import media_prefix, posters_prefix
from hvcore.domain.tasks.kinds import (
    THUMBNAIL_TIDY,
    TRANSCODE_KINDS,
    TRANSCODE_PLAN,
    UPLOAD_PURGE,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import ENDED, Task
from hvcore.domain.uploads.grants import FileWanted, GrantState, UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.domain.webhooks.events import EventQuery, StoredEvent
from hvcore.persistence.engine import writing
from hvcore.persistence.inspection import SqlInspection
from hvcore.persistence.rows import grant_from_row
from hvcore.persistence.tables import grants, label_totals, video_labels, videos
from hvcore.persistence.videos.label_index import index_again
from hvcore.services.access.audit import acting_as_person
from tests.services.at_once.holding import Call, Pair
from tests.services.conftest import MP4, World

ANN = Person(subject="ann", name="Ann", backend="links")
"""Who makes all calls: what people do is audited."""


@attrs.frozen(kw_only=True)
class Tenant(World):
    """
    A service with an organization that one pair of calls has for itself.
    """

    @classmethod
    def of(cls, world: World) -> "Tenant":
        """
        Make an organization with an environment.
        """
        tenants, org_id = world.services.tenants, new_org_id()
        tenants.create_organization(org_id)
        env = tenants.create_environment(org_id, "live", EnvironmentKind.PRODUCTION)
        caller = Principal(
            key_id=KeyId("key_test"),
            type=KeyType.FULL_ACCESS,
            org_id=env.org_id,
            env_id=env.id,
            permissions=ALL_PERMISSIONS,
        )
        same = ("services", "clock", "queue", "transcoder", "storage_dir")
        return cls(
            env=env, caller=caller, **{name: getattr(world, name) for name in same}
        )

    def granted(self, size_bytes: int | None = None) -> UploadGrant:
        """
        Grant an upload that waits for its bytes, and then for its process request.
        """
        file = FileWanted(file_name="clip.mp4", content_type=MP4, size_bytes=size_bytes)
        return self.services.uploads.grant(self.env, file).grant

    def ready(self) -> Video:
        """
        Make a video that plays.
        """
        video_id = self.processed()
        self.run_tasks()
        video = self.video(video_id)
        assert video.state is VideoState.READY
        return video

    def failed(self) -> Video:
        """
        Make a video whose source no job can use.
        """
        video_id = self.processed(b"unusable")
        self.run_tasks()
        video = self.video(video_id)
        assert video.state is VideoState.FAILED
        return video

    def videos(self) -> Sequence[Video]:
        """
        Return all videos, the deleted ones too.
        """
        asked = sa.select(videos.c.id).where(videos.c.org_id == self.env.org_id)
        with self.services.engine.connect() as connection:
            found = connection.execute(asked).scalars().all()
        return [self.video(video_id) for video_id in found]

    def only_video(self) -> Video:
        """
        Return the one video that there is.
        """
        (video,) = self.videos()
        return video

    def grants(self) -> Sequence[UploadGrant]:
        """
        Return all uploads.
        """
        asked = sa.select(grants).where(grants.c.org_id == self.env.org_id)
        with self.services.engine.connect() as connection:
            return [grant_from_row(row) for row in connection.execute(asked).mappings()]

    def tasks(self, *kinds: str) -> Sequence[Task]:
        """
        Return the tasks of some kinds that have not ended.
        """
        with self.services.uow.read() as work:
            found = work.tasks.search(org_id=self.env.org_id, limit=1000)
        return [one for one in found if one.kind in kinds and one.state not in ENDED]

    def run(self, kind: str) -> object:
        """
        Run the tasks of a kind.
        """
        for task in self.tasks(kind):
            self.services.task_runs.run(
                task.id, worker="test:1", stopping=lambda: False
            )
        return None

    def events(self) -> Sequence[StoredEvent]:
        """
        Return what has happened, in order.
        """
        query = EventQuery(after=0, limit=100)
        with self.services.uow.read() as work:
            return work.events.page(self.env, query).events

    def audited(self, action: str) -> int:
        """
        Return how often the audit log tells of an action.
        """
        entries = self.services.audit.latest(self.env.org_id, limit=100)
        return sum(entry.action == action for entry in entries)

    def stored(self, prefix: str) -> set[str]:
        """
        Name the files in storage below a folder.
        """
        return {
            path.relative_to(self.storage_dir).as_posix()
            for path in (self.storage_dir / prefix).rglob("*")
            if path.is_file()
        }


def by_ann(pair: Pair) -> Pair:
    """
    Return calls that a person makes.
    """

    def by_a_person(call: Call) -> Call:
        def call_it() -> object:
            with acting_as_person(ANN):
                return call()

        return call_it

    return by_a_person(pair[0]), by_a_person(pair[1])


def require_whole(at: Tenant) -> None:
    """
    Demand what holds whatever calls have met: counters, events, tasks, files.
    """
    wrong = SqlInspection(at.services.engine).wrong_totals(org_id=at.env.org_id)
    assert not wrong
    _require_label_index(at)
    _require_events(at)
    for video in at.videos():
        _require_work(at, video)
        _require_files(at, video)
    for grant in at.grants():
        _require_source(at, grant)


def _require_label_index(at: Tenant) -> None:
    def indexed() -> list[set[tuple[object, ...]]]:
        return [
            {
                tuple(row)
                for row in connection.execute(
                    sa.select(table).where(table.c.org_id == at.env.org_id)
                )
            }
            for table in (video_labels, label_totals)
        ]

    if not any(video.labels.terms for video in at.videos()):
        return
    with writing(at.services.engine) as connection:
        kept = indexed()
        # Rolled back at the end.
        index_again(connection)
        assert kept == indexed()


def _require_events(at: Tenant) -> None:
    events = at.events()
    assert [stored.number for stored in events] == list(range(1, len(events) + 1))
    for video in at.videos():
        told = [one.event for one in events if one.event.video_id == video.id]
        assert [event.sequence for event in told] == list(range(1, len(told) + 1))
        # Nothing is told of a video whose bytes never came.
        is_told = video.job_id is not None or bool(told)
        assert not is_told or told[-1].status == video.state.value


def _require_work(at: Tenant, video: Video) -> None:
    with at.services.uow.read() as work:
        tasks = work.tasks.of_subject(video.id)
    due = [task for task in tasks if task.state not in ENDED]
    if video.state is VideoState.TRANSCODING:
        # Once each: the parts of one job are several tasks.
        orders = [task for task in due if task.kind in TRANSCODE_KINDS]
        assert {task.payload["job"] for task in orders} == {video.job_id}
        assert sum(task.kind == TRANSCODE_PLAN for task in orders) <= 1
    if video.state is VideoState.DELETED:
        assert any(task.kind == VIDEO_PURGE for task in due)


def _require_files(at: Tenant, video: Video) -> None:
    with at.services.uow.read() as work:
        tracks = work.captions.of_video(video.id)
    if video.state is VideoState.DELETED:
        return
    posters, shown = at.stored(posters_prefix(video.id)), {video.poster_path} - {None}
    replaced = {str(task.payload["replaced"]) for task in at.tasks(THUMBNAIL_TIDY)}
    assert shown <= posters <= shown | replaced
    captions = {
        path for path in at.stored(media_prefix(video.id)) if path.endswith(".vtt")
    }
    assert captions == {track.path for track in tracks}


def _require_source(at: Tenant, grant: UploadGrant) -> None:
    stored = at.stored(grant.path)
    is_purged = any(task.subject == grant.path for task in at.tasks(UPLOAD_PURGE))
    if grant.state is GrantState.ENDED:
        is_deleted = grant.video_id is not None and _is_deleted(at, grant.video_id)
        assert not stored or is_purged or is_deleted
        return
    assert stored == (set() if grant.stored_path is None else {grant.stored_path})
    if grant.state is GrantState.USED:
        assert grant.video_id is not None
        assert at.video(grant.video_id).source_path == grant.stored_path


def _is_deleted(at: Tenant, video_id: str) -> bool:
    return at.video(video_id).state is VideoState.DELETED
