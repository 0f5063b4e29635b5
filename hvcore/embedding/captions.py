"""List, add and remove the captions of an environment's videos."""

from collections.abc import Iterable
from datetime import datetime

import attrs

from hvcore.domain.videos.captions import MAX_CAPTION_BYTES, CaptionTrack
from hvcore.embedding.arguments import read_arguments
from hvcore.embedding.environment_parts import EnvironmentPart
from hvcore.errors import InvalidParametersError
from hvcore.wire.videos.captions import CaptionParameters


@attrs.frozen(kw_only=True)
class Caption:
    """
    The captions of a video in one language.

    Attributes:
        language: A tag such as ``en`` or ``pt-BR``.
        label: The name that viewers see.
        cues: The number of cues.
    """

    language: str
    label: str
    created_at: datetime
    cues: int
    size_bytes: int


@attrs.frozen(kw_only=True)
class CaptionList:
    """
    The captions of a video in all of its languages.

    Attributes:
        warnings: A sentence for each part of the stored file that players will not show.
    """

    captions: tuple[Caption, ...]
    warnings: tuple[str, ...] = ()


class EnvironmentCaptions(EnvironmentPart):
    """The captions of the videos of an environment; thread-safe."""

    def list(self, video_id: str) -> CaptionList:
        """
        Return the captions of a video.

        Raises:
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database does not answer.
        """
        captions = self._service(lambda services: services.captions)
        return _listed(captions.of_video(self._caller, self._org_id, video_id))

    def put(
        self, video_id: str, language: str, data: bytes, *, label: str | None = None
    ) -> CaptionList:
        """
        Store captions for a video in one language, in place of earlier ones; return all of its captions.

        Args:
            language: A tag such as ``en``, ``pt-BR`` or ``zh-Hant``.
            data: A WebVTT or SubRip file, up to 2 MiB.
            label: The name that viewers see; None takes the language's tag.

        Raises:
            InvalidParametersError: The language is no language tag, the data has no
                captions, or the video would have too many.
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database or the storage does not answer, or too many
                captions are being read.
        """
        from hvcore.services.videos.captions import (  # noqa: PLC0415 - see hvcore.embedding
            NewCaptions,
        )

        if len(data) > MAX_CAPTION_BYTES:
            raise InvalidParametersError(
                f"data must have at most {MAX_CAPTION_BYTES} bytes."
            )
        named = read_arguments(CaptionParameters, {"label": label}, {"label": "label"})
        captions = self._service(lambda services: services.captions)
        new = NewCaptions(
            language=language, label=named.label, data=data, expected=None
        )
        with captions.receiving(self._org_id):
            put = captions.put(self._caller, self._org_id, video_id, new)
        return _listed(put.tracks, put.left_out)

    def delete(self, video_id: str, language: str) -> CaptionList:
        """
        Remove the captions of a video in one language; return its other captions.

        Raises:
            InvalidParametersError: The language is no language tag.
            NotFoundError: The video has no captions in this language.
            VideoNotFoundError: The environment has no such video, the video is deleted, or
                no byte of its file has arrived yet.
            UnavailableError: The database does not answer.
        """
        captions = self._service(lambda services: services.captions)
        return _listed(captions.remove(self._caller, self._org_id, video_id, language))


def _listed(
    tracks: Iterable[CaptionTrack], warnings: Iterable[str] = ()
) -> CaptionList:
    return CaptionList(
        captions=tuple(
            Caption(
                language=track.language,
                label=track.label,
                created_at=track.created_at,
                cues=track.cues,
                size_bytes=track.size_bytes,
            )
            for track in tracks
        ),
        warnings=tuple(warnings),
    )
