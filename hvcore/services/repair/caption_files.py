"""Find the damages of the files of a video's captions, each with its repair."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from hvcore.domain.media_paths import media_prefix
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import ObjectInfo
from hvcore.services.repair.damages import Damage, DamageKind, Repair, Scope
from hvcore.services.repair.file_checks import FileChecks
from hvcore.services.repair.video_repairs import VideoRepairs

_OF_A_JOB: Final = re.compile(r"job_[A-Za-z0-9]+a[0-9]+")


@attrs.frozen(kw_only=True)
class CaptionFiles:
    """Find the damages of captions, and of the words that generated ones were made of."""

    checks: FileChecks
    repairs: VideoRepairs

    def damages(
        self,
        video: Video,
        captions: Sequence[CaptionTrack],
        stored: Mapping[str, ObjectInfo],
        scope: Scope,
        *,
        has_source: bool,
    ) -> Iterator[Damage]:
        """
        Yield the damages of the captions of a video.

        Args:
            stored: The stored files of the video, by their paths below its folder.
            has_source: Whether the video's source file is stored.
        """
        prefix = f"{media_prefix(video.id)}/"
        for track in captions:
            how = self._how_damaged(
                track, stored.get(track.path.removeprefix(prefix)), scope
            )
            if how:
                yield self._damage(video, track, how, has_source=has_source)
            elif track.words_path is not None:
                info = stored.get(track.words_path.removeprefix(prefix))
                if info is None or not info.size_bytes:
                    yield self._without_words(video, track, track.words_path)

    def _how_damaged(
        self, track: CaptionTrack, info: ObjectInfo | None, scope: Scope
    ) -> str:
        if info is None:
            return "missing"
        if info.size_bytes != track.size_bytes:
            return "not of the size that it was written with"
        if scope.reads_bytes and self.checks.sha256(track.path) != track.sha256:
            return "not what was written"
        return ""

    def _damage(
        self, video: Video, track: CaptionTrack, how: str, *, has_source: bool
    ) -> Damage:
        is_of_source = _OF_A_JOB.fullmatch(track.version) is not None
        again = is_of_source and has_source and video.state is VideoState.READY
        return Damage(
            kind=DamageKind.CAPTIONS,
            what=f"The file of the captions in {track.language} is {how}.",
            path=track.path,
            org_id=video.org_id,
            video_id=video.id,
            repair=Repair(
                step="forget them, and encode the whole video again to get them "
                "from the source",
                carry_out=partial(self.repairs.captions_again, video, track),
            )
            if again
            else Repair(
                step="forget these captions. Nobody but their sender has them",
                carry_out=partial(self.repairs.forget_captions, track),
                gives_up=True,
            ),
        )

    def _without_words(self, video: Video, track: CaptionTrack, path: str) -> Damage:
        return Damage(
            kind=DamageKind.CAPTIONS,
            what=f"The file of the words of the captions in {track.language} is missing.",
            path=path,
            org_id=video.org_id,
            video_id=video.id,
            repair=Repair(
                step="write it again from the captions, without the times of words; "
                "hv captions generate has the whole video heard again",
                carry_out=partial(self.repairs.write_words, track),
            ),
        )
