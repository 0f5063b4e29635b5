"""
Work with the videos of one environment from the host program's own code.

The host program's code is trusted: it has to decide who may do what. It reaches only the
videos of this environment.
"""

import os
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Unpack

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.videos.preconditions import IfMatch
from hvcore.embedding.analytics import EnvironmentReports
from hvcore.embedding.arguments import (
    CHANGES,
    FILTERS,
    NEW_VIDEO,
    NewVideo,
    VideoFilters,
    VideoUpdate,
    kept_hours,
    read_arguments,
)
from hvcore.embedding.captions import EnvironmentCaptions
from hvcore.embedding.connections import DatabaseConnection, OnCommit
from hvcore.embedding.environment_parts import host_caller
from hvcore.embedding.grants import GrantsUploads
from hvcore.embedding.posters import EnvironmentPosters
from hvcore.embedding.process import ProcessServices
from hvcore.embedding.transactions import EnvironmentInTransaction
from hvcore.embedding.values import EmbeddedVideo, VideoList, described, listed
from hvcore.wire.query import ListParameters, days_in_order
from hvcore.wire.requests import VideoUploadRequest
from hvcore.wire.uploads.fetching import VIDEO_URL, FetchVideoRequest, fetchable
from hvcore.wire.videos.changes import VideoChangeRequest

if TYPE_CHECKING:
    from hvcore.assembly import Services
    from hvcore.services.uploads.grants import Uploads


@attrs.frozen(kw_only=True)
class EmbeddedEnvironment(GrantsUploads):
    """
    An environment, with the operations on its videos; thread-safe.

    Attributes:
        org_id: The id of its organization.
        name: The name of the environment, unique in its organization.
    """

    org_id: str
    name: str
    _process: ProcessServices = attrs.field(repr=False)

    def in_transaction(
        self, connection: DatabaseConnection, *, on_commit: OnCommit | None = None
    ) -> EnvironmentInTransaction:
        """
        Return this environment for use within a transaction of the host program.

        Its changes become durable with the transaction's commit, and vanish with its rollback.

        Args:
            connection: SQLAlchemy's, Django's, or that of psycopg, psycopg2 or sqlite3,
                to the same database, in the thread that uses it.
            on_commit: Takes a function that the host program calls after its commit:
                it tells workers of new work. None takes what SQLAlchemy and Django
                have for it; drivers have nothing, and ``run_sweep`` tells workers
                within seconds.

        Raises:
            ConfigError: The connection is of another database or another driver, or
                it is closed, asynchronous, of another thread, in no transaction, or in
                one that has failed; the text says what to do.
            NotMigratedError: The tables do not exist, or are of an older version.
            OwnTransactionError: On SQLite, another connection of this thread has
                written in a transaction that is open.
            UnavailableError: The database does not answer; on SQLite also: another
                program has been writing for 10 s, or has changed what this
                transaction has read.
        """
        from hvcore.assembly.guests import (  # noqa: PLC0415 - see hvcore.embedding
            GuestServices,
        )

        return EnvironmentInTransaction(
            guests=GuestServices(
                self._process.services, connection, call_after_commit=on_commit
            ),
            environment=self._environment,
        )

    def find(self, video_id: str) -> EmbeddedVideo:
        """
        Return the video with this id.

        Args:
            video_id: The video's id, or its public id.

        Raises:
            VideoNotFoundError: The environment has no such video, or the video is deleted.
            UnavailableError: The database does not answer.
        """
        found = self._services.catalog.details(self._caller, self.org_id, video_id)
        return described(found)

    def find_external(self, external_id: str) -> EmbeddedVideo:
        """
        Return the video with this external id, which the host program has given it.

        Raises:
            VideoNotFoundError: The environment has no such video, or the video is deleted.
            UnavailableError: The database does not answer.
        """
        catalog = self._services.catalog
        return described(catalog.external(self._caller, self._environment, external_id))

    def list(self, **filters: Unpack[VideoFilters]) -> VideoList:
        """
        Return one page of the environment's videos; a video that awaits its file is on no page.

        Args:
            filters: See VideoFilters.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each.
            UnavailableError: The database does not answer.
        """
        asked = read_arguments(ListParameters, filters, FILTERS, days_in_order)
        return listed(self._services.catalog.page(self._environment, asked.query()))

    def update(
        self,
        video_id: str,
        *,
        if_match: str | None = None,
        **changes: Unpack[VideoUpdate],
    ) -> EmbeddedVideo:
        """
        Change a video, and return the changed video.

        Args:
            if_match: The ``etag`` of the video as the caller has read it; None changes the
                video whatever its present ``etag``.
            changes: See VideoUpdate.

        Raises:
            VideoNotFoundError: The environment has no such video, or the video is deleted.
            PreconditionFailedError: Somebody has changed the video meanwhile; this call
                changes nothing.
            ConflictError: Another video of the environment has this external ID.
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each.
            UnavailableError: The database does not answer.
        """
        wanted = read_arguments(VideoChangeRequest, changes, CHANGES)
        seen = None if if_match is None else IfMatch(tags=frozenset({if_match}))
        editing = self._services.editing
        # Not asked for again: a database that is silent just then undoes nothing.
        return described(
            editing.change(
                self._caller, self.org_id, video_id, wanted.changes(), if_match=seen
            )
        )

    def upload(
        self,
        source: str | PathLike[str] | BinaryIO,
        *,
        file_name: str | None = None,
        **video: Unpack[NewVideo],
    ) -> EmbeddedVideo:
        """
        Store a file of this machine, or the content of a stream, and make a video of it.

        The file is durable on return; a worker makes the video of it. A failure leaves no video
        behind, nor does a process that is killed before its file is stored.

        Args:
            source: A path, or a file open in binary mode, which is read to its end and not
                closed.
            file_name: The name to show, never part of a path; required for a stream.
            video: See NewVideo.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each. Or a stream gives no bytes.
            UnsupportedFormatError: The file is not a video of a supported format.
            InvalidFileSizeError: The file is empty, too large, or not as large as announced.
            ConflictError: Another video of the environment has this external ID.
            QuotaExceededError: The organization's quota does not allow to store or encode the
                file.
            UnavailableError: There is no room, or the database or storage does not
                answer.
            Exception: Opening or reading the source has failed.
        """
        if isinstance(source, str | PathLike):
            path = Path(source)
            with path.open("rb") as file:
                video.setdefault("size_bytes", os.fstat(file.fileno()).st_size or None)
                return self.upload(file, file_name=file_name or path.name, **video)
        given = {"file_name": file_name, **video}
        wanted = read_arguments(VideoUploadRequest, given, NEW_VIDEO)
        taken = self._process.service(lambda services: services.local_uploads).take(
            self._environment,
            source,
            wanted.file_wanted(),
            wanted.video.video_wanted(),
        )
        return self.find(taken)

    def create_from_url(
        self, url: str, *, file_name: str | None = None, **video: Unpack[NewVideo]
    ) -> EmbeddedVideo:
        """
        Make a video of a file that a worker fetches from an https address.

        Args:
            url: The address of the file; it is forgotten once the file has been fetched.
            file_name: The name to show, never part of a path; None takes the name from the
                address.
            video: See NewVideo.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too, such as
                an address that is not on the public internet; the text names each.
            ConflictError: Another video of the environment has this external ID.
            QuotaExceededError: The organization's quota does not allow to store or encode the
                file.
            UnavailableError: The database does not answer.
        """
        from hvcore.services.uploads.fetching import (  # noqa: PLC0415 - see hvcore.embedding
            file_name_of,
        )

        fetching = self._process.service(lambda services: services.fetching)
        refusal = partial(fetching.refusal, self._environment)
        name = file_name_of(url) if file_name is None else file_name
        wanted = read_arguments(
            FetchVideoRequest,
            {"file_name": name, "url": url, **video},
            {**NEW_VIDEO, "url": VIDEO_URL},
            fetchable(VIDEO_URL, refusal),
        )
        made = fetching.fetch_video(
            self._environment,
            wanted.url,
            wanted.file_wanted(),
            wanted.video.video_wanted(),
        )
        return described(made)

    def delete(self, video_id: str) -> None:
        """
        Delete a video: at once for viewers, and soon from the storage.

        The stay of a video in the bin ends.

        Raises:
            VideoNotFoundError: The environment has no such video.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
            UnavailableError: The database does not answer.
        """
        self._services.deletion.delete(self._caller, self.org_id, video_id, None)

    def put_in_bin(self, video_id: str, *, keep_hours: int = 20) -> None:
        """
        Delete a video so that it can be restored for some hours.

        A video that is neither ready nor failed is deleted for good.

        Args:
            keep_hours: For how many hours the video can be restored: 1 to 23.

        Raises:
            VideoNotFoundError: The environment has no such video.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
            InvalidParametersError: ``keep_hours`` is not from 1 to 23.
            UnavailableError: The database does not answer.
        """
        hours = kept_hours(keep_hours)
        self._services.deletion.delete(
            self._caller, self.org_id, video_id, None, keep_hours=hours
        )

    def restore(self, video_id: str) -> EmbeddedVideo:
        """
        Restore a deleted video with everything that it had; return it.

        A video that is not deleted stays as it is.

        Raises:
            VideoNotFoundError: The environment has no such video.
            ConflictError: The files of the video are being removed, or are gone.
            UnavailableError: The database does not answer.
        """
        return described(
            self._services.bin.restore(self._caller, self.org_id, video_id)
        )

    def page_address(self, video_id: str, *, valid_s: int = 3600) -> str:
        """
        Return the URL of a video's player page, for an iframe or a link.

        Args:
            valid_s: For how many seconds the URL works, if the video is not public.

        Raises:
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database does not answer.
        """
        player_url = self._services.settings.public.player_url
        address = f"{player_url}/v1/embed/{video_id}"
        if self.find(video_id).is_public:
            return address
        signed = self.playlist_address(video_id, valid_s=valid_s)
        return f"{address}?{signed.partition('?')[2]}"

    def playlist_address(self, video_id: str, *, valid_s: int = 3600) -> str:
        """
        Return the URL of a video's HLS playlist, with a token, for any player.

        Args:
            valid_s: For how many seconds the URL works.

        Raises:
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database does not answer.
        """
        signed = self._services.playback.sign(
            self._caller, self.org_id, video_id, expires_in_s=valid_s
        )
        return signed.url

    @property
    def captions(self) -> EnvironmentCaptions:
        """The captions of the environment's videos."""
        return EnvironmentCaptions(process=self._process, environment=self._environment)

    @property
    def posters(self) -> EnvironmentPosters:
        """The posters (still pictures) of the environment's videos."""
        return EnvironmentPosters(process=self._process, environment=self._environment)

    @property
    def analytics(self) -> EnvironmentReports:
        """The reports on how the environment's videos were watched."""
        return EnvironmentReports(process=self._process, environment=self._environment)

    @property
    def _uploads(self) -> "Uploads":
        return self._services.uploads

    @property
    def _services(self) -> "Services":
        return self._process.in_use()

    @property
    def _caller(self) -> Principal:
        return host_caller(self._environment)
