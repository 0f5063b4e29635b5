"""
Serve the texts of videos: playlists, manifests, captions, chapters, storyboard indexes.

Source: the interface document, "Delivery": the token is added to the address of every
later request.
"""

import logging
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.chapters import within
from hvcore.domain.videos.captions import WEBVTT_TYPE, CaptionTrack
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.manifests import dash
from hvcore.manifests.captions import (
    captions_playlist,
    offer_captions,
    offer_captions_in_manifest,
)
from hvcore.manifests.chapters import (
    apple_chapters,
    offer_chapters,
    webvtt_chapters,
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
    PublishedChapters,
    PublishedManifest,
    PublishedPlaylist,
    PublishedStoryboard,
    PublishedText,
)
from hvcore.services.playback.shared_texts import (
    MARK,
    PIECE_BYTES,
    FilledText,
    SharedText,
)
from hvcore.services.playback.text_cache import (
    MAX_LONG_TEXT_BYTES,
    MAX_TEXT_BYTES,
    TextCache,
)

_log = logging.getLogger(__name__)

PLAYLIST_TYPE: Final = "application/vnd.apple.mpegurl"
MANIFEST_TYPE: Final = "application/dash+xml"
JSON_TYPE: Final = "application/json"
NO_SUCH_FILE: Final = "The video has no such file."


@attrs.frozen
class DeliveredText:
    """
    A text of a video as one viewer gets it, such as a playlist with the viewer's token.

    Attributes:
        etag: The HTTP entity tag, without quotes; it differs whenever the bytes differ.
    """

    body: bytes | FilledText
    etag: str
    content_type: str


@attrs.frozen(kw_only=True)
class DeliveredTexts:
    """Find the texts of videos, and add the viewers' tokens."""

    directory: PlaybackDirectory
    storage: Storage
    # By storage path, which names the job: what a retry makes is elsewhere.
    _texts: TextCache[SharedText] = attrs.field(factory=TextCache, init=False)
    # Apart, so that a few of them do not drop all others.
    _long_texts: TextCache[SharedText] = attrs.field(init=False)

    @_long_texts.default
    def _make_long_texts(self) -> TextCache[SharedText]:
        return TextCache(max_text_bytes=MAX_LONG_TEXT_BYTES)

    def find(
        self, video: Playable, found: PublishedText, token: str | None
    ) -> DeliveredText:
        """
        Return a text of a video as one viewer gets it now.

        Args:
            token: Added to every address in the text; None if the viewer has none.

        Raises:
            VideoNotFoundError: The text's file is gone.
            NotFoundError: There are no such captions or chapters (any more).
        """
        if isinstance(found, PublishedPlaylist):
            return self._playlist(video, found, token)
        if isinstance(found, PublishedManifest):
            text = self._manifest(video)
            body = carry_token_in_manifest(text, token) if token else text
            return _as_it_is(_made(body), MANIFEST_TYPE)
        if isinstance(found, PublishedStoryboard):
            text = storyboard_index(found.storyboard, duration_s=video.media.duration_s)
            body = carry_token_in_storyboard(text, token) if token else text
            return _as_it_is(_made(body), WEBVTT_TYPE)
        if isinstance(found, PublishedChapters):
            return self._chapters(video, found)
        return self._captions(video, found, token)

    def _playlist(
        self, video: Playable, found: PublishedPlaylist, token: str | None
    ) -> DeliveredText:
        path = f"{video.media_root}/{found.name}"
        # Where the token goes is found once for each playlist: that takes 100
        # times as long as to put it there.
        template = self._cached_text(f"{path}?{MARK}") if token else None
        if token and template is not None:
            return _filled(template, token)
        stored = self._stored_text(path)
        if stored is None:
            # Deleted between the look-up and now, or a damaged storage.
            _log.warning("published playlist missing", extra={"hv_path": path})
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        if found.name == MASTER:
            text = offer_captions(stored.text, self._tracks(video))
            text = offer_chapters(text) if video.has_chapters else text
            stored = _made(carry_token(text, token) if token else text)
        elif token:
            return self._with_token(path, stored, token)
        return _as_it_is(stored, PLAYLIST_TYPE)

    def _with_token(self, path: str, stored: SharedText, token: str) -> DeliveredText:
        if stored.marks:
            text = _made(carry_token(stored.text, token))
            return _as_it_is(text, PLAYLIST_TYPE)
        template = _made(carry_token(stored.text, MARK))
        self._keep(f"{path}?{MARK}", template)
        return _filled(template, token)

    def _captions(
        self, video: Playable, found: PublishedCaptions, token: str | None
    ) -> DeliveredText:
        # Twice: between the look-up and the reading they may be replaced.
        for _ in range(2):
            track = self._track(video, found.language)
            if track is None:
                break
            if found.is_playlist:
                text = captions_playlist(
                    track.language, duration_s=video.media.duration_s
                )
                body = _made(carry_token(text, token) if token else text)
                return _as_it_is(body, PLAYLIST_TYPE)
            # Each upload has a path of its own, so that none is kept too long.
            stored = self._stored_text(track.path)
            if stored is not None:
                return _as_it_is(stored, WEBVTT_TYPE)
        raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)

    def _chapters(self, video: Playable, found: PublishedChapters) -> DeliveredText:
        chapters = self.directory.chapters(VideoId(video.id))
        if not chapters:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)
        shown = within(chapters, video.media.duration_s)
        if found.is_json:
            return _as_it_is(SharedText(apple_chapters(shown)), JSON_TYPE)
        return _as_it_is(SharedText(webvtt_chapters(shown)), WEBVTT_TYPE)

    def _track(self, video: Playable, language: str) -> CaptionTrack | None:
        tracks = (t for t in self._tracks(video) if t.language == language)
        return next(tracks, None)

    def _tracks(self, video: Playable) -> Sequence[CaptionTrack]:
        return self.directory.captions(VideoId(video.id))

    def _manifest(self, video: Playable) -> str:
        path = f"{video.media_root}/{dash.MANIFEST}"
        stored = self._stored_text(path)
        if stored is None:
            # Of a video that was published before manifests were written.
            stored = _made(dash.manifest(video.media))
            self._keep(path, stored)
        return offer_captions_in_manifest(stored.text, self._tracks(video))

    def _stored_text(self, path: str) -> SharedText | None:
        text = self._cached_text(path)
        if text is None:
            try:
                with self.storage.open(path) as file:
                    text = SharedText(file.read())
            except ObjectNotFoundError:
                return None
            self._keep(path, text)
        return text

    def _cached_text(self, key: str) -> SharedText | None:
        text = self._texts.get(key)
        return self._long_texts.get(key) if text is None else text

    def _keep(self, key: str, text: SharedText) -> None:
        is_long = len(text) > MAX_TEXT_BYTES
        (self._long_texts if is_long else self._texts).put(key, text)


def _made(text: str) -> SharedText:
    return SharedText(text.encode())


def _filled(template: SharedText, token: str) -> DeliveredText:
    quoted = quote(token, safe="").encode()
    is_short = template.filled_bytes(len(quoted)) <= PIECE_BYTES
    body = template.filled(quoted) if is_short else FilledText(template, quoted)
    return DeliveredText(body, template.filled_etag(quoted), PLAYLIST_TYPE)


def _as_it_is(text: SharedText, content_type: str) -> DeliveredText:
    return DeliveredText(text.content, text.etag, content_type)
