"""
Serve the texts of videos: playlists, manifests, captions, the storyboard's index.

Source: interface, "Delivery": the token is carried to every request that follows.
"""

import hashlib
import logging
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.videos.captions import WEBVTT_TYPE, CaptionTrack
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.manifests import dash
from hvcore.manifests.captions import (
    captions_playlist,
    offer_captions,
    offer_captions_in_manifest,
)
from hvcore.manifests.hls import MASTER
from hvcore.manifests.rewrite import (
    carry_token,
    carry_token_in_manifest,
    carry_token_in_storyboard,
)
from hvcore.manifests.storyboard import storyboard_index
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import (
    PublishedCaptions,
    PublishedManifest,
    PublishedPlaylist,
    PublishedStoryboard,
    PublishedText,
)
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.services.playback.text_cache import TextCache

_log = logging.getLogger(__name__)

PLAYLIST_TYPE: Final = "application/vnd.apple.mpegurl"
MANIFEST_TYPE: Final = "application/dash+xml"
PLACEHOLDER: Final = "~hv~token~"
"""Stands for a token in the texts that are kept; no quoting changes it."""
NO_SUCH_FILE: Final = "The video has no such file."


@attrs.frozen(kw_only=True)
class DeliveredTexts:
    """
    The texts of videos, as they are sent.
    """

    directory: PlaybackDirectory
    storage: Storage
    # By storage path, which names the job: what a retry makes lies elsewhere.
    _texts: TextCache = attrs.field(factory=TextCache, init=False)

    def serve(
        self,
        video: Playable,
        found: PublishedText,
        token: str | None,
        *,
        is_public: bool,
    ) -> PlaybackResponse:
        """
        Return a text as it is now.

        Args:
            token: Carried to every address in it.

        Raises:
            VideoNotFoundError: Its file is gone.
            NotFoundError: There are no such captions (any more).
        """
        if isinstance(found, PublishedPlaylist):
            body = self._playlist(video, found, token)
            return _served_text(body, PLAYLIST_TYPE, is_public=is_public)
        if isinstance(found, PublishedManifest):
            text = self._manifest(video)
            body = carry_token_in_manifest(text, token) if token else text
            return _served_text(body, MANIFEST_TYPE, is_public=is_public)
        if isinstance(found, PublishedStoryboard):
            text = storyboard_index(found.storyboard, duration_s=video.media.duration_s)
            body = carry_token_in_storyboard(text, token) if token else text
            return _served_text(body, WEBVTT_TYPE, is_public=is_public)
        return self._captions(video, found, token, is_public=is_public)

    def _playlist(
        self, video: Playable, found: PublishedPlaylist, token: str | None
    ) -> str:
        path = f"{video.media_root}/{found.name}"
        text = self._stored_text(path)
        if text is None:
            # Deleted between the look-up and now, or a damaged storage.
            _log.warning("published playlist missing", extra={"hv_path": path})
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        if found.name == MASTER:
            text = offer_captions(text, self._tracks(video))
            return carry_token(text, token) if token else text
        return self._with_token(path, text, token) if token else text

    def _with_token(self, path: str, text: str, token: str) -> str:
        # Where the token goes is found once for each playlist: that takes 100
        # times as long as to put it there.
        if PLACEHOLDER in text:
            return carry_token(text, token)
        prepared = self._texts.get(f"{path}?{PLACEHOLDER}")
        if prepared is None:
            prepared = carry_token(text, PLACEHOLDER)
            self._texts.put(f"{path}?{PLACEHOLDER}", prepared)
        return prepared.replace(PLACEHOLDER, quote(token, safe=""))

    def _captions(
        self,
        video: Playable,
        found: PublishedCaptions,
        token: str | None,
        *,
        is_public: bool,
    ) -> PlaybackResponse:
        # Twice: between the look-up and the reading they may be replaced.
        for _ in range(2):
            track = self._track(video, found.language)
            if track is None:
                break
            if found.is_playlist:
                text = captions_playlist(
                    track.language, duration_s=video.media.duration_s
                )
                body = carry_token(text, token) if token else text
                return _served_text(body, PLAYLIST_TYPE, is_public=is_public)
            # Each upload has a path of its own, so that none is kept too long.
            stored = self._stored_text(track.path)
            if stored is not None:
                return _served_text(stored, WEBVTT_TYPE, is_public=is_public)
        raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)

    def _track(self, video: Playable, language: str) -> CaptionTrack | None:
        tracks = (t for t in self._tracks(video) if t.language == language)
        return next(tracks, None)

    def _tracks(self, video: Playable) -> Sequence[CaptionTrack]:
        return self.directory.captions(VideoId(video.id))

    def _manifest(self, video: Playable) -> str:
        path = f"{video.media_root}/{dash.MANIFEST}"
        text = self._stored_text(path)
        if text is None:
            # Of a video that was published before manifests were written.
            text = dash.manifest(video.media)
            self._texts.put(path, text)
        return offer_captions_in_manifest(text, self._tracks(video))

    def _stored_text(self, path: str) -> str | None:
        text = self._texts.get(path)
        if text is None:
            try:
                with self.storage.open(path) as file:
                    text = file.read().decode()
            except ObjectNotFoundError:
                return None
            self._texts.put(path, text)
        return text


def _served_text(text: str, content_type: str, *, is_public: bool) -> PlaybackResponse:
    body = text.encode()
    return PlaybackResponse(
        body=body,
        content_type=content_type,
        etag=hashlib.sha256(body).hexdigest()[:32],
        lifetime=Lifetime.PLAYLIST,
        is_public=is_public,
        is_text=True,
    )
