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

import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.conformance import Level, check
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.manifests.hls import MASTER, playlists
from hvcore.plugin_api import (
    MediaFile,
    PartDone,
    Track,
    TranscodeOrder,
    Transcoder,
    UnusableSourceError,
    Workspace,
)
from hvcore.services.processing.failure_reasons import chosen_by
from hvcore.services.processing.published_source import PublishedSource
from hvcore.testing.fakes import MemoryStorage
from hvcore.testing.transcoder import TranscoderConformance

ASKS_WITHIN_S: Final = 0.5
ENDS_WITHIN_S: Final = 5.0
"""The port says 0.5 s from question to question; a killed program takes a moment."""
_ROOT: Final = "media/kit"

Made = Sequence[tuple[Path, PartDone]]
"""The parts of a plan, each with its folder."""


class KitStop(Exception):  # noqa: N818 - no error: somebody wants the work to end
    """
    Raised as the core does when a video is deleted while it is made.
    """


def parts_made(
    transcoder: Transcoder, order: TranscodeOrder, workspace: Workspace, root: Path
) -> Iterator[tuple[Path, PartDone]]:
    """
    Make every part of a plan, each in a folder below the given one.
    """
    for part in transcoder.plan(order):
        folder = root / f"p{part.index}"
        folder.mkdir(parents=True)
        done = transcoder.run(part, attrs.evolve(workspace, folder=folder))
        assert isinstance(done, PartDone), "parts elsewhere have a kit of their own"
        yield folder, done


class LocalTranscoderConformance(TranscoderConformance):
    """
    What every transcoder promises whose parts are made on this machine.
    """

    @pytest.fixture
    def made(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> Made:
        """
        Make every part of the plan, each in a folder of its own.
        """
        return tuple(parts_made(transcoder, order, workspace, tmp_path / "parts"))

    def test_files_are_what_tracks_say(self, made: Made) -> None:
        """
        Each is there with its size and its hash, and nothing else is stored with them.
        """
        for folder, part in made:
            assert part.tracks, "nothing was made"
            for track in part.tracks:
                there = {path.name for path in (folder / track.name).iterdir()}
                told = _files(track)
                assert there == set(told), track.name
                for name, file in told.items():
                    data = (folder / track.name / name).read_bytes()
                    assert file == _measured(data), f"{track.name}/{name}"
            assert part.poster is None or (folder / part.poster).stat().st_size > 0

    def test_every_rendition_lasts_as_long_as_the_source(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """
        All that the ladder names is made, and none is cut short or goes on.
        """
        media = _assembled(transcoder, order, made)
        wanted = [f"video/{rung.key}" for rung in order.ladder.rungs]
        wanted += [audio.name for audio in order.ladder.audio]

        assert [one.track.name for one in media.tracks] == wanted
        for one in media.tracks:
            lasts_s = sum(segment.duration_s for segment in one.track.segments)
            assert abs(lasts_s - order.source.duration_s) < 1, one.track.name

    def test_what_is_made_can_be_published(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """
        It keeps the rules that the service checks before a video is ready.
        """
        media = _assembled(transcoder, order, made)
        source = PublishedSource(
            storage=_stored(media, made),
            media_root=_ROOT,
            media=media,
            before_reading=lambda: None,
        )

        certificate = check(source, MASTER)

        broken = [
            f"{found.rule.id} {found.file} {found.place}: {found.message}"
            for found in certificate.findings
            if found.rule.level is Level.MUST
            and chosen_by(found.rule.id, order, media) is None
        ]
        assert not broken, "; ".join(broken)
        assert certificate.segments > 0

    def test_work_that_is_not_wanted_ends(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> None:
        """
        What ``check`` raises passes, and no program is left behind.
        """

        def stop() -> None:
            raise KitStop

        before = _children()
        folder = tmp_path / "stopped"
        folder.mkdir()
        stopped = attrs.evolve(workspace, folder=folder, check=stop)
        start = time.monotonic()
        try:
            transcoder.run(transcoder.plan(order)[0], stopped)
        except KitStop:
            pass
        else:
            assert time.monotonic() - start < ASKS_WITHIN_S, "it never asked"

        assert time.monotonic() - start < ENDS_WITHIN_S, "it went on"
        assert _children() <= before, "a program goes on"

    def test_what_is_no_video_is_unusable(
        self, transcoder: Transcoder, workspace: Workspace, tmp_path: Path
    ) -> None:
        """
        Its owner is told in a sentence, and no attempt is repeated.
        """
        letter = tmp_path / "letter.mp4"
        letter.write_text("Dear Sir or Madam", "utf-8")

        with pytest.raises(UnusableSourceError) as raised:
            transcoder.probe(attrs.evolve(workspace, source=letter))

        assert str(raised.value).endswith(".")
        assert letter.name not in str(raised.value)


def _assembled(transcoder: Transcoder, order: TranscodeOrder, made: Made) -> MediaIndex:
    return transcoder.assemble(order, [(folder.name, part) for folder, part in made])


def _stored(media: MediaIndex, made: Made) -> MemoryStorage:
    """
    Lay everything out as the service stores it.
    """
    storage = MemoryStorage()
    for folder, part in made:
        for track in part.tracks:
            for path in (folder / track.name).iterdir():
                name = f"{_ROOT}/{folder.name}/{track.name}/{path.name}"
                storage.put_file(name, path, content_type="video/mp4")
    for name, text in playlists(media).items():
        storage.keep(f"{_ROOT}/{name}", text.encode(), "text/plain")
    return storage


def _files(track: Track) -> dict[str, MediaFile]:
    named = {f"{segment.number}.m4s": segment.file for segment in track.segments}
    return {"init.m4s": track.init, **named}


def _measured(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def _children() -> set[str]:
    """
    Return the numbers of this process's children; none where the kernel does not tell.
    """
    lists = Path("/proc/self/task").glob("*/children")
    return {number for one in lists for number in one.read_text().split()}
