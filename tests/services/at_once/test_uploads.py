"""
Two calls at once that change one upload, or fill one quota.
"""

import pytest

from hvcore.domain.tasks.kinds import TRANSCODE_PLAN, UPLOAD_PURGE
from hvcore.domain.uploads.expiry import IN_FLIGHT_FOR
from hvcore.domain.uploads.grants import FileWanted, GrantState, UploadGrant
from hvcore.domain.uploads.resumable import UploadGoneError
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ForbiddenError,
    HvError,
    InvalidGcsPathError,
    ProcessingInProgressError,
    QuotaExceededError,
)
from tests.services.at_once.calls import delete, process
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant
from tests.services.conftest import MP4

pytestmark = pytest.mark.services

DATA = b"a video in pieces"


def put(at: Tenant, grant: UploadGrant, data: bytes, *, name: str = "") -> Call:
    """
    Send bytes to an upload's address.
    """
    uploads = at.services.uploads
    local = uploads.incoming_dir() / f"test-{grant.id}{name}"
    local.write_bytes(data)
    return lambda: uploads.receive(
        grant.id, local, size_bytes=len(data), content_type=MP4
    )


def awaited(at: Tenant) -> UploadGrant:
    """
    Grant an upload that starts its video's job once it is there.
    """
    file = FileWanted(file_name="clip.mp4", content_type=MP4)
    return at.services.uploads.grant_video(at.env, file, at.wanted()).grant


def test_of_two_sendings_of_one_upload_one_is_stored(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        grant = at.granted()
        return put(at, grant, b"first", name="1"), put(at, grant, b"second", name="2")

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        (grant,) = at.grants()
        assert grant.stored_path is not None
        stored = (at.storage_dir / grant.stored_path).read_bytes()
        assert grant.stored_bytes == len(stored)


def test_an_upload_that_is_processed_has_the_bytes_that_were_sent(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        grant = at.uploaded()
        return put(at, grant, b"again"), process(at, grant.path)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        video = at.only_video()
        is_sent = not isinstance(ends.first, HvError)
        assert is_sent or isinstance(ends.first, ProcessingInProgressError)
        stored = (at.storage_dir / video.source_path).read_bytes()
        assert stored == (b"again" if is_sent else b"video")


@pytest.mark.long
def test_an_upload_that_is_not_there_yet_is_processed_after_its_sending(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        grant = at.granted()
        return put(at, grant, DATA), process(at, grant.path)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        is_processed = not isinstance(ends.second, HvError)
        assert is_processed or isinstance(ends.second, InvalidGcsPathError)
        assert len(at.videos()) == is_processed


@pytest.mark.long
def test_a_deleted_video_takes_no_upload_in(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        grant = awaited(at)
        assert grant.video_id is not None
        return put(at, grant, DATA), delete(at, grant.video_id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        assert isinstance(ends.first, (UploadGrant, ForbiddenError))
        assert at.only_video().state is VideoState.DELETED
        assert not at.tasks(TRANSCODE_PLAN)
        at.run_tasks()
        assert not at.stored("uploads/" + at.env.org_id)


@pytest.mark.long
def test_a_cancelled_upload_is_not_finished(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        resumable = at.services.resumable
        file = FileWanted(file_name="clip.mp4", size_bytes=len(DATA), tus_metadata="")
        grant = resumable.create(at.env, file, at.wanted()).grant

        def finish() -> object:
            with resumable.partial_files().hold(grant.id) as partial:
                partial.append(DATA)
                resumable.finish(grant, partial)
            return None

        return finish, lambda: resumable.cancel(grant.id)

    for at, ends in meeting.each(pair):
        assert ends.refused == 1
        is_finished = not isinstance(ends.first, HvError)
        wanted = VideoState.TRANSCODING if is_finished else VideoState.DELETED
        assert at.only_video().state is wanted
        refusal = ProcessingInProgressError if is_finished else UploadGoneError
        assert isinstance(ends.second if is_finished else ends.first, refusal)
        (grant,) = at.grants()
        assert at.services.resumable.partial_files().size_of(grant.id) == 0


@pytest.mark.long
@pytest.mark.parametrize("make", [awaited, Tenant.granted])
def test_an_upload_that_expires_is_stored_or_ended(
    meeting: Meeting, make: object
) -> None:
    assert callable(make)

    def pair(at: Tenant) -> Pair:
        at.services.uploads.expire()
        grant: UploadGrant = make(at)
        sent = put(at, grant, DATA)
        at.clock.move(seconds=IN_FLIGHT_FOR.total_seconds() + 2 * 86_400)
        return at.services.uploads.expire, sent

    for at, ends in meeting.each(pair):
        assert isinstance(ends.first, int)
        (grant,) = at.grants()
        if isinstance(ends.second, HvError):
            assert isinstance(ends.second, ForbiddenError)
            at.services.uploads.expire()
            (grant,) = at.grants()
            assert grant.state is GrantState.ENDED
            assert at.tasks(UPLOAD_PURGE)
        elif grant.starts_processing:
            assert at.only_video().state is VideoState.TRANSCODING


def limited(at: Tenant, stored_bytes: int) -> Call:
    """
    Set how many bytes an organization may store.
    """
    return lambda: at.services.quotas.change(
        at.env.org_id, {"stored_bytes": stored_bytes}
    )


def test_two_uploads_do_not_exceed_a_quota_together(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        limited(at, len(DATA))()
        first, second = at.granted(), at.granted()
        return put(at, first, DATA), put(at, second, DATA)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {QuotaExceededError}
        used = at.services.quotas.of_one(at.env.org_id).use.stored_bytes
        assert used == len(DATA)


@pytest.mark.long
def test_a_limit_that_is_set_during_an_upload_holds_both(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        limited(at, 1000)()
        return limited(at, 1), put(at, at.granted(), DATA)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        assert isinstance(ends.second, (UploadGrant, QuotaExceededError))
        found = at.services.quotas.of_one(at.env.org_id)
        assert found.limits.stored_bytes == 1
        is_stored = isinstance(ends.second, UploadGrant)
        assert found.use.stored_bytes == is_stored * len(DATA)


@pytest.mark.long
def test_two_jobs_do_not_exceed_a_quota_of_encodes_together(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        at.services.quotas.change(at.env.org_id, {"concurrent_encodes": 1})
        first, second = at.uploaded().path, at.uploaded().path
        return process(at, first), process(at, second)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {QuotaExceededError}
        assert at.only_video().state is VideoState.TRANSCODING
