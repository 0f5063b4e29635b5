"""Show and replace the posters (still pictures) of an environment's videos."""

from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.embedding.arguments import read_arguments
from hvcore.embedding.environment_parts import EnvironmentPart
from hvcore.errors import InvalidParametersError
from hvcore.wire.videos.changes import CustomThumbnailRequest


class EnvironmentPosters(EnvironmentPart):
    """The posters (still pictures) of the videos of an environment; thread-safe."""

    def address(self, video_id: str) -> str:
        """
        Return the URL of a video's poster, with a token if the video is private.

        Raises:
            VideoNotFoundError: The environment has no such video, or the video is deleted.
            UnavailableError: The database does not answer.
        """
        services = self._process.in_use()
        video = services.catalog.details(self._caller, self._org_id, video_id)
        return services.playback.thumbnail_url(video, *BEST_THUMBNAIL_PX)

    def put(self, video_id: str, picture: bytes, *, content_type: str) -> None:
        """
        Use a picture of the host program as a video's poster, from the next request on.

        Args:
            picture: The bytes of the picture, up to 10 MiB.
            content_type: ``image/jpeg`` or ``image/png``.

        Raises:
            InvalidParametersError: The picture cannot be read, or the video has failed.
            ConflictError: The video is not ready yet.
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database or the storage does not answer, or too many
                pictures are being read.
        """
        from hvcore.pictures.redraw import (  # noqa: PLC0415 - see hvcore.embedding
            PICTURE_FORMATS,
        )

        if content_type not in PICTURE_FORMATS:
            raise InvalidParametersError(
                f"content_type must be one of {', '.join(PICTURE_FORMATS)}."
            )
        if not 0 < len(picture) <= MAX_PICTURE_BYTES:
            raise InvalidParametersError(
                f"picture must have from 1 to {MAX_PICTURE_BYTES} bytes."
            )
        thumbnails = self._service(lambda services: services.custom_thumbnails)
        with thumbnails.receiving(self._org_id):
            thumbnails.set_picture(
                self._caller,
                self._org_id,
                video_id,
                picture=picture,
                content_type=content_type,
            )

    def choose(self, video_id: str, at_s: float) -> None:
        """
        Use a moment of the video as its poster, as soon as a worker has made the picture.

        Args:
            at_s: The moment, in seconds from the beginning of the video.

        Raises:
            InvalidParametersError: The moment is behind the video's end, the video has
                failed, or the transcoder makes no pictures.
            ConflictError: The video is not ready yet.
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database does not answer.
        """
        fields = {"at_s": "timestampSeconds"}
        wanted = read_arguments(CustomThumbnailRequest, {"at_s": at_s}, fields)
        thumbnails = self._service(lambda services: services.custom_thumbnails)
        thumbnails.order_still(self._caller, self._org_id, video_id, wanted.at_s)
