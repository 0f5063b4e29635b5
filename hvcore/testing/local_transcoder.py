"""
The promises of transcoders that make videos on this machine, as tests.

A plugin's tests inherit and say what is transcoded::

    class TestAcmeTranscoder(LocalTranscoderConformance):
        @pytest.fixture
        def transcoder(self): ...

        @pytest.fixture
        def workspace(self, tmp_path): ...

The video should have sound and last some seconds more than a segment, so that there
are two. Each test makes it anew; the kit itself uses no network.
"""

import time
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.conformance import Level, check
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.manifests.hls import MASTER, playlists
from hvcore.plugin_api import (
    TranscodeError,
    TranscodeOrder,
    Transcoder,
    UnusableSourceError,
    Workspace,
)
from hvcore.services.processing.failure_reasons import chosen_by
from hvcore.services.processing.published_source import PublishedSource
from hvcore.testing.fakes import MemoryStorage
from hvcore.testing.transcoder import TranscoderConformance
from hvcore.testing.transcoder.made_parts import (
    Made,
    parts_made,
    planned,
    require_cuts,
    require_files,
    require_planned,
    require_starts,
)
from hvcore.testing.transcoder.watched_work import WatchedWork, children, watch

ASKS_WITHIN_S: Final = 0.5
ENDS_WITHIN_S: Final = 5.0
"""The port says 0.5 s from question to question; a killed program takes a moment."""
ASKS_WHEN_BUSY_S: Final = 1.5
"""The same, on a machine on which everything else runs, too."""
_ROOT: Final = "media/kit"


class KitStop(Exception):  # noqa: N818 - no error: somebody wants the work to end
    """Raised as the core does when a video is deleted while it is made."""


class LocalTranscoderConformance(TranscoderConformance):
    """The promises of every transcoder whose parts are made on this machine."""

    @pytest.fixture
    def made(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> Made:
        """Make every part of the plan, each in a folder of its own."""
        return tuple(parts_made(transcoder, order, workspace, tmp_path / "parts"))

    @pytest.fixture
    def watched(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> WatchedWork:
        """Make the first part with pictures, and note what it asks and reports."""
        return part_watched(transcoder, order, workspace, tmp_path / "watched")

    def test_files_are_what_tracks_say(self, made: Made) -> None:
        """Each file of a track has its size and hash, and the track's folder no other file."""
        for folder, part in made:
            assert part.tracks, "nothing was made"
            for track in part.tracks:
                require_files(folder, track)
            pictures = (part.poster, *(still.name for still in part.stills))
            for name in filter(None, pictures):
                path = folder / name
                assert path.is_file(), (
                    f"PartDone names {name!r}, and no such file was written into "
                    "workspace.folder"
                )
                assert path.stat().st_size > 0, f"{name} is empty"

    def test_parts_make_what_the_plan_says(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """Rungs are made where there are to be pictures, and audio where there is sound."""
        for part, (_, done) in zip(planned(transcoder, order), made, strict=True):
            require_planned(part, done)

    def test_segments_begin_at_the_multiples_of_their_length(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """All rungs are cut at the same times, or players cannot go from one to another."""
        assert order.source.duration_s > order.segment_s, (
            f"the workspace's video lasts {order.source.duration_s:.1f} s; the kit needs "
            f"one of more than {order.segment_s} s, so that there are two segments"
        )
        for rung in order.ladder.rungs:
            require_cuts(rung, order.segment_s, made)
            require_starts(rung, planned(transcoder, order), made)

    def test_every_rendition_lasts_as_long_as_the_source(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """Every rendition of the ladder is made, and none is cut short or goes on."""
        media = _assembled(transcoder, order, made)
        wanted = [f"video/{rung.key}" for rung in order.ladder.rungs]
        wanted += [audio.name for audio in order.ladder.audio]

        joined = [one.track.name for one in media.tracks]
        assert joined == wanted, f"joined: {joined}; the order's ladder: {wanted}"
        for one in media.tracks:
            lasts_s = sum(segment.duration_s for segment in one.track.segments)
            assert abs(lasts_s - order.source.duration_s) < 1, (
                f"{one.track.name} lasts {lasts_s:.1f} s, and the source "
                f"{order.source.duration_s:.1f} s"
            )

    def test_a_made_rendition_can_be_published(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """The renditions keep the rules that the service checks before publishing."""
        media = _assembled(transcoder, order, made)
        source = PublishedSource(
            storage=_stored(media, made),
            media_root=_ROOT,
            media=media,
            before_reading=lambda: None,
        )

        report = check(source, MASTER)

        broken = [
            f"{found.rule.id} {found.file} {found.place}: {found.message}"
            for found in report.findings
            if found.rule.level is Level.MUST
            and chosen_by(found.rule.id, order, media) is None
        ]
        assert not broken, "; ".join(broken)
        assert report.segments > 0, "no segment was found"

    def test_work_that_is_not_wanted_ends(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> None:
        """An error of ``check`` passes, and no program is left behind."""

        def stop() -> None:
            raise KitStop

        before = children()
        folder = tmp_path / "stopped"
        folder.mkdir()
        stopped = attrs.evolve(workspace, folder=folder, check=stop)
        part = planned(transcoder, order)[0]
        start = time.monotonic()
        try:
            transcoder.run(part, stopped)
        except KitStop:
            pass
        else:
            assert time.monotonic() - start < ASKS_WITHIN_S, "it never asked"

        assert time.monotonic() - start < ENDS_WITHIN_S, "it went on"
        assert children() <= before, "a program goes on"

    def test_the_transcoder_asks_whether_to_go_on(self, watched: WatchedWork) -> None:
        """The transcoder calls ``check`` all the time, also while its program stands still."""
        longest_s = max(watched.gaps_s)

        assert longest_s < ASKS_WHEN_BUSY_S, (
            f"workspace.check was not called for {longest_s:.1f} s; call it every "
            f"{ASKS_WITHIN_S} s, also while a program runs"
        )

    def test_the_transcoder_tells_its_progress(self, watched: WatchedWork) -> None:
        """The transcoder calls ``report`` with shares that rise."""
        shares = watched.shares

        assert shares, "workspace.report was never called"
        assert all(0 <= share <= 1 for share in shares), f"not 0.0 to 1.0: {shares}"
        assert list(shares) == sorted(shares), f"what is done went back: {shares}"
        assert shares[-1] > 0, "workspace.report was called with 0.0 only"
        assert len(shares) == 1 or shares[-1] > shares[0], (
            f"workspace.report was always called with {shares[0]}"
        )

    def test_a_file_that_is_no_video_is_unusable(
        self, transcoder: Transcoder, workspace: Workspace, tmp_path: Path
    ) -> None:
        """The owner of an unusable file gets a sentence, and no attempt is repeated."""
        letter = tmp_path / "letter.mp4"
        letter.write_text("Dear Sir or Madam", "utf-8")

        with pytest.raises(UnusableSourceError) as raised:
            transcoder.probe(attrs.evolve(workspace, source=letter))

        told = str(raised.value)
        assert told.endswith("."), f"this is no sentence: {told!r}"
        assert letter.name not in told, f"this names the file: {told!r}"


def part_watched(
    transcoder: Transcoder, order: TranscodeOrder, workspace: Workspace, folder: Path
) -> WatchedWork:
    """Make the first part with pictures in a new folder, and watch that."""
    parts = planned(transcoder, order)
    part = next((part for part in parts if part.has_pictures), parts[0])
    folder.mkdir(parents=True)
    return watch(transcoder, part, attrs.evolve(workspace, folder=folder))


def _assembled(transcoder: Transcoder, order: TranscodeOrder, made: Made) -> MediaIndex:
    try:
        return transcoder.assemble(
            order, [(folder.name, part) for folder, part in made]
        )
    except TranscodeError as exc:
        raise AssertionError(f"{exc.reason} ({exc.log})") from exc


def _stored(media: MediaIndex, made: Made) -> MemoryStorage:
    """Lay everything out as the service stores it."""
    storage = MemoryStorage()
    for folder, part in made:
        for track in part.tracks:
            for path in (folder / track.name).iterdir():
                name = f"{_ROOT}/{folder.name}/{track.name}/{path.name}"
                storage.put_file(name, path, content_type="video/mp4")
    for name, text in playlists(media).items():
        storage.keep(f"{_ROOT}/{name}", text.encode(), "text/plain")
    return storage
