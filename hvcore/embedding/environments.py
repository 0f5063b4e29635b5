"""
The videos of one environment, for the host program's own code.

That code is trusted: who may do what, it has judged before. It reaches the videos of
this environment and no others.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

import attrs

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import KeyId
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import VideoWanted
from hvcore.embedding.connections import DatabaseConnection, OnCommit
from hvcore.embedding.process import ProcessServices
from hvcore.embedding.values import EmbeddedVideo, Upload
from hvcore.errors import HvError, InvalidParametersError
from hvcore.wire.converter import read_document
from hvcore.wire.requests import VideoUploadRequest

if TYPE_CHECKING:
    from hvcore.assembly import Services
    from hvcore.services.uploads.grants import Uploads

_FIELDS: Final = {
    "file_name": "fileName",
    "name": "videoName",
    "description": "description",
    "content_type": "contentType",
    "size_bytes": "fileSize",
}
"""The arguments of an upload, and the fields of the API's request."""


@attrs.frozen(kw_only=True)
class GrantsUploads(ABC):
    """The upload grants of an environment, also in the host's transaction."""

    _environment: Environment = attrs.field(repr=False)

    def grant_upload(  # noqa: PLR0913 - each by its name
        self,
        *,
        file_name: str,
        name: str | None = None,
        description: str | None = None,
        content_type: str | None = None,
        size_bytes: int | None = None,
        is_public: bool = False,
        preset: Preset = Preset.STANDARD,
    ) -> Upload:
        """
        Permit one file to be sent; the video is made when it has arrived.

        Args:
            name: Of the video; None takes the file's name without its ending.
            content_type: The only one that is taken; None takes every video's.
            size_bytes: The only size that is taken; None takes up to 5 GB.
            is_public: Whether everybody may watch it.
            preset: Which qualities are made.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each.
            QuotaExceededError: The organization may not store or encode it.
            UnavailableError: The database does not answer.
        """
        _check_arguments(
            file_name=file_name,
            name=name,
            description=description,
            content_type=content_type,
            size_bytes=size_bytes,
        )
        granted = self._uploads.grant_video(
            self._environment,
            FileWanted(
                file_name=file_name,
                content_type=content_type,
                size_bytes=size_bytes,
                description=description,
            ),
            VideoWanted(
                settings=EncodingSettings(preset=preset),
                is_public=is_public,
                name=name,
                description=description,
            ),
        )
        assert granted.grant.video_id is not None  # noqa: S101 - for the type checker
        return Upload(
            video_id=granted.grant.video_id,
            address=granted.signed_url,
            expires_at=granted.grant.expires_at,
        )

    @property
    @abstractmethod
    def _uploads(self) -> "Uploads": ...


def _check_arguments(**given: object) -> None:
    """Refuse arguments that the API refuses, named as the method names them."""
    document = {
        field: given[argument]
        for argument, field in _FIELDS.items()
        if given[argument] is not None
    }
    try:
        read_document(VideoUploadRequest, document)
    except HvError as exc:
        problems = " ".join(problem.message for problem in exc.errors) or exc.detail
        for argument, field in _FIELDS.items():
            problems = problems.replace(field, argument)
        raise InvalidParametersError(problems) from exc


@attrs.frozen(kw_only=True)
class EmbeddedEnvironment(GrantsUploads):
    """
    An environment, and what is done with its videos; thread-safe.

    Attributes:
        org_id: Of its organization.
        name: Within its organization.
    """

    org_id: str
    name: str
    _process: ProcessServices = attrs.field(repr=False)

    def in_transaction(
        self, connection: DatabaseConnection, *, on_commit: OnCommit | None = None
    ) -> "EnvironmentInTransaction":
        """
        Do the same within a transaction of the host program.

        What is done becomes durable with its commit, and vanishes with its rollback.

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
            NotMigratedError: The tables are not there, or of an older version.
            OwnTransactionError: On SQLite, another connection of this thread has
                written in a transaction that is open.
            UnavailableError: The database does not answer; on SQLite also: another
                program has been writing for 10 s, or has changed what this
                transaction has read.
        """
        from hvcore.assembly.guests import (  # noqa: PLC0415 - see hvcore.embedding
            GuestUploads,
        )

        return EnvironmentInTransaction(
            guests=GuestUploads(
                self._process.services, connection, call_after_commit=on_commit
            ).uploads,
            environment=self._environment,
        )

    def find(self, video_id: str) -> EmbeddedVideo:
        """
        Return a video.

        Raises:
            VideoNotFoundError: The environment has none such, or it is deleted.
            UnavailableError: The database does not answer.
        """
        found = self._services.catalog.details(self._caller, self.org_id, video_id)
        return EmbeddedVideo(
            id=found.id,
            name=found.name,
            description=found.description,
            state=found.state,
            is_public=found.is_public,
            created_at=found.created_at,
            progress_percent=found.progress,
            duration_s=found.duration_s,
            failure_reason=found.failure_reason,
        )

    def delete(self, video_id: str) -> None:
        """
        Delete a video; at once for viewers, and soon from the storage.

        Raises:
            VideoNotFoundError: The environment has none such.
            AlreadyDeletedError: It is deleted.
            UnavailableError: The database does not answer.
        """
        self._services.deletion.delete(self._caller, self.org_id, video_id, None)

    def page_address(self, video_id: str, *, valid_s: int = 3600) -> str:
        """
        Return the address of the player's page, for an iframe or a link.

        Args:
            valid_s: For how long it works, if the video is not public.

        Raises:
            VideoNotFoundError: The environment has none such, it is deleted, or
                nothing of it has arrived yet.
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
        Return the address of the video's HLS playlist, with a token, for any player.

        Args:
            valid_s: For how long it works.

        Raises:
            VideoNotFoundError: The environment has none such, it is deleted, or
                nothing of it has arrived yet.
            UnavailableError: The database does not answer.
        """
        signed = self._services.playback.sign(
            self._caller, self.org_id, video_id, expires_in_s=valid_s
        )
        return signed.url

    @property
    def _uploads(self) -> "Uploads":
        return self._services.uploads

    @property
    def _services(self) -> "Services":
        return self._process.in_use()

    @property
    def _caller(self) -> Principal:
        return Principal(
            key_id=KeyId("host"),
            type=KeyType.ENVIRONMENT,
            org_id=self._environment.org_id,
            env_id=self._environment.id,
            permissions=ALL_PERMISSIONS,
        )


@attrs.frozen(kw_only=True)
class EnvironmentInTransaction(GrantsUploads):
    """
    An environment within a transaction of the host program.

    What it grants works from the commit on. After an error of it the transaction can
    go on.
    """

    _guests: "Uploads" = attrs.field(repr=False)

    @property
    def _uploads(self) -> "Uploads":
        return self._guests
