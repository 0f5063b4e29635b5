"""The captions of an environment's videos."""

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
        cues: How many cues there are.
    """

    language: str
    label: str
    created_at: datetime
    cues: int
    size_bytes: int


@attrs.frozen(kw_only=True)
class CaptionList:
    """
    The captions of a video, by language.

    Attributes:
        warnings: What of a file that was put is not shown, a sentence each.
    """

    captions: tuple[Caption, ...]
    warnings: tuple[str, ...] = ()


class EnvironmentCaptions(EnvironmentPart):
    """The captions of an environment's videos; thread-safe."""

    def list(self, video_id: str) -> CaptionList:
        """
        Return the captions of a video.

        Raises:
            VideoNotFoundError: The environment has none such, it is deleted, or
                nothing of it has arrived yet.
            UnavailableError: The database does not answer.
        """
        captions = self._service(lambda services: services.captions)
        return _listed(captions.of_video(self._caller, self._org_id, video_id))

    def put(
        self, video_id: str, language: str, data: bytes, *, label: str | None = None
    ) -> CaptionList:
        """
        Show captions from the next request on, in place of others of the language.

        Args:
            language: A tag such as ``en``, ``pt-BR`` or ``zh-Hant``.
            data: A WebVTT or SubRip file, up to 2 MiB.
            label: The name that viewers see; None takes the language's tag.

        Raises:
            InvalidParametersError: No language, no captions, or too many.
            VideoNotFoundError: The environment has none such, it is deleted, or
                nothing of it has arrived yet.
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
        Remove the captions of a language; return the others.

        Raises:
            InvalidParametersError: This can be no language.
            NotFoundError: The video has none in this language.
            VideoNotFoundError: The environment has none such, it is deleted, or
                nothing of it has arrived yet.
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
