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
from collections.abc import Callable
from functools import partial
from itertools import count
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
from hvcore.testing.transcoder import TranscoderConformance, order_of
from hvcore.testing.transcoder.known_sources import (
    KNOWN,
    SOUND_ALONE,
    KnownSource,
    require_facts,
    require_unchanged,
    workspace_with,
)
from hvcore.testing.transcoder.made_parts import (
    Made,
    parts_made,
    planned,
    require_cuts,
    require_files,
    require_planned,
    require_starts,
)
from hvcore.testing.transcoder.made_samples import (
    require_length_of_sound,
    require_nothing_hidden,
    require_picture,
    require_samples,
)
from hvcore.testing.transcoder.watched_work import WatchedWork, children, watch

ASKS_WITHIN_S: Final = 0.5
ENDS_WITHIN_S: Final = 5.0
"""The most seconds between an error of ``check`` and the end of the work; the port says 0.5 s."""
ASKS_WHEN_BUSY_S: Final = 1.5
"""The most seconds between two calls of ``check``, on a machine that is busy with other work."""
TRIES: Final = 3
NEARLY_DONE: Final = 0.98
TOOLS: Final = ("ffmpeg", "ffprobe", "gstreamer", "libav", "x264", "mediainfo")
_ROOT: Final = "media/kit"
_made_once: Final[dict[tuple[type, str], Made]] = {}
"""The parts that were made, by test class and parameters, because encoding takes most of the kit's time."""


class KitStop(Exception):  # noqa: N818 - no error: somebody wants the work to end
    """The error that ``check`` raises in the kit, as the core does when a video is deleted meanwhile."""


class KitInterrupt(KeyboardInterrupt):
    """The error that ``check`` raises in the kit in place of Ctrl-C."""


class KitExit(SystemExit):
    """The error that ``check`` raises in the kit in place of a worker's exit."""


STOPS: Final = (KitStop, KitInterrupt, KitExit)


class LocalTranscoderConformance(TranscoderConformance):
    """The promises of every transcoder whose parts are made on this machine."""

    @pytest.fixture
    def made(
        self,
        request: pytest.FixtureRequest,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> Made:
        """Return the made parts of the plan, each with its folder; tests of a class share them."""
        # Of a kit whose transcoder has parameters each has its own.
        chosen = getattr(request.node, "callspec", None)
        key = (type(self), chosen.id if chosen else "")
        if key not in _made_once:
            folder = tmp_path_factory.mktemp("made") / "parts"
            _made_once[key] = tuple(parts_made(transcoder, order, workspace, folder))
        return _made_once[key]

    @pytest.fixture
    def watched(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> WatchedWork:
        """Make the first part that has pictures, and return its calls of ``check`` and ``report``."""
        return part_watched(transcoder, order, workspace, tmp_path / "watched")

    def test_files_are_what_tracks_say(self, made: Made) -> None:
        """Each file of a track has its size and hash, and the track's folder no other file."""
        for folder, part in made:
            assert part.tracks, "nothing was made"
            for track in part.tracks:
                require_files(folder, track)
                require_samples(folder, track)
            pictures = (part.poster, *(still.name for still in part.stills))
            for name in filter(None, pictures):
                path = folder / name
                assert path.is_file(), (
                    f"PartDone names {name!r}, and no such file was written into "
                    "workspace.folder"
                )
                assert path.stat().st_size > 0, f"{name} is empty"
                require_picture(path)

    def test_parts_make_what_the_plan_says(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """A part makes rungs if it was planned with pictures, and audio if it was planned with sound."""
        for part, (_, done) in zip(planned(transcoder, order), made, strict=True):
            require_planned(part, done)

    def test_segments_begin_at_the_multiples_of_their_length(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """Segments of all rungs begin at multiples of the segment length, so that players can switch rungs."""
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
        """Every rendition of the ladder is made and lasts as long as the source."""
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
        require_length_of_sound(order, made)

    def test_a_made_rendition_can_be_published(
        self, transcoder: Transcoder, order: TranscodeOrder, made: Made
    ) -> None:
        """The renditions break no rule of the level MUST in the service's check before publishing."""
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

    @pytest.mark.parametrize("kind", STOPS, ids=lambda kind: kind.__name__)
    def test_work_that_is_not_wanted_ends(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
        kind: type[BaseException],
    ) -> None:
        """An error that ``check`` raises while a part is made ends the work and its programs, and reaches the caller."""
        part = planned(transcoder, order)[0]
        for asked_before in (0, 2):
            folder = tmp_path / f"stopped-{asked_before}"
            folder.mkdir()
            stopped = attrs.evolve(workspace, folder=folder)
            _require_end(partial(transcoder.run, part), stopped, kind, asked_before)

    def test_probing_that_is_not_wanted_ends(
        self, transcoder: Transcoder, workspace: Workspace
    ) -> None:
        """An error that ``check`` raises while a source is probed ends the work and its programs, and reaches the caller."""
        _require_end(transcoder.probe, workspace, KitStop, 0)

    def test_the_transcoder_asks_whether_to_go_on(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> None:
        """The transcoder calls ``check`` at short intervals while it makes a part, also while a program hangs."""
        folders = (tmp_path / f"watched-{number}" for number in count())
        _require_questions(
            lambda: part_watched(transcoder, order, workspace, next(folders))
        )

    def test_the_transcoder_asks_while_it_probes(
        self, transcoder: Transcoder, workspace: Workspace
    ) -> None:
        """The transcoder calls ``check`` at short intervals while it probes a source, also while a program hangs."""
        _require_questions(lambda: watch(transcoder.probe, workspace))

    def test_the_transcoder_tells_its_progress(self, watched: WatchedWork) -> None:
        """The transcoder calls ``report`` with rising shares of the work from 0 to 1."""
        shares = watched.shares

        assert shares, "workspace.report was never called"
        assert all(0 <= share <= 1 for share in shares), f"not 0.0 to 1.0: {shares}"
        assert list(shares) == sorted(shares), f"what is done went back: {shares}"
        assert shares[-1] > 0, "workspace.report was called with 0.0 only"
        assert len(shares) == 1 or shares[-1] > shares[0], (
            f"workspace.report was always called with {shares[0]}"
        )
        assert shares[-1] > NEARLY_DONE, (
            f"the last share is {shares[-1]}; report 1.0 when the part is made: a short "
            "video may be made between two reports"
        )

    def test_a_file_that_is_no_video_is_unusable(
        self, transcoder: Transcoder, workspace: Workspace, tmp_path: Path
    ) -> None:
        """A file without a picture raises UnusableSourceError with a sentence for its owner."""
        letter, nothing = tmp_path / "letter.mp4", tmp_path / "nothing.mp4"
        letter.write_text("Dear Sir or Madam", "utf-8")
        nothing.touch()
        sound = workspace_with(workspace, SOUND_ALONE, tmp_path / "sound").source

        for source in (letter, nothing, sound):
            with pytest.raises(UnusableSourceError) as raised:
                transcoder.probe(attrs.evolve(workspace, source=source))

            _require_sentence(str(raised.value), source)

    def test_a_failed_attempt_tells_owners_and_operators_why(
        self,
        transcoder: Transcoder,
        order: TranscodeOrder,
        workspace: Workspace,
        tmp_path: Path,
    ) -> None:
        """A failed attempt raises an error with a sentence for the video's owner and, for operators, the tool's log."""
        letter = tmp_path / "letter.mp4"
        letter.write_text("Dear Sir or Madam", "utf-8")
        (tmp_path / "failed").mkdir()
        broken = attrs.evolve(workspace, source=letter, folder=tmp_path / "failed")

        with pytest.raises((TranscodeError, UnusableSourceError)) as raised:
            transcoder.run(planned(transcoder, order)[0], broken)

        error = raised.value
        _require_sentence(str(error), letter)
        assert not isinstance(error, TranscodeError) or error.log, (
            "TranscodeError.log is empty; give operators the last words of the tool"
        )

    @pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.file)
    def test_the_facts_of_a_source_are_found(
        self,
        transcoder: Transcoder,
        workspace: Workspace,
        tmp_path: Path,
        known: KnownSource,
    ) -> None:
        """Probing finds the size, rotation, rate and length of pictures, and each audio track, of known sources."""
        other = workspace_with(workspace, known.file, tmp_path / "known")

        require_facts(transcoder.probe(other), known)
        require_unchanged(other.source)

    def test_several_videos_are_made_one_after_the_other(
        self, transcoder: Transcoder, workspace: Workspace, tmp_path: Path
    ) -> None:
        """Several videos made in one process each follow their own order, and reveal no hidden metadata."""
        for known in KNOWN:
            other = workspace_with(workspace, known.file, tmp_path / known.file)
            order = order_of(transcoder.probe(other))
            folder = tmp_path / known.file / "work"

            made = tuple(parts_made(transcoder, order, other, folder))

            require_unchanged(other.source)
            require_nothing_hidden(folder)
            self.test_files_are_what_tracks_say(made)
            self.test_parts_make_what_the_plan_says(transcoder, order, made)
            self.test_segments_begin_at_the_multiples_of_their_length(
                transcoder, order, made
            )
            self.test_every_rendition_lasts_as_long_as_the_source(
                transcoder, order, made
            )
            self.test_a_made_rendition_can_be_published(transcoder, order, made)


def part_watched(
    transcoder: Transcoder, order: TranscodeOrder, workspace: Workspace, folder: Path
) -> WatchedWork:
    """Make the first part that has pictures in a new folder; return its calls of ``check`` and ``report``."""
    parts = planned(transcoder, order)
    part = next((part for part in parts if part.has_pictures), parts[0])
    folder.mkdir(parents=True)
    return watch(partial(transcoder.run, part), attrs.evolve(workspace, folder=folder))


def _require_end(
    work: Callable[[Workspace], object],
    workspace: Workspace,
    kind: type[BaseException],
    asked_before: int,
) -> None:
    """Assert that work and its programs end when ``check`` raises an error, and that the error is passed on."""
    asked, raised_at_s = 0, list[float]()

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > asked_before:
            raised_at_s.append(time.monotonic())
            raise kind

    before, start_s = children(), time.monotonic()
    try:
        work(attrs.evolve(workspace, check=stop))
    except kind:
        pass
    else:
        # So little work may be done before it asks once more.
        assert not raised_at_s, (
            f"{kind.__name__} that workspace.check raised was swallowed"
        )
        took_s = time.monotonic() - start_s
        assert asked or took_s < ASKS_WHEN_BUSY_S, "it never asked"
    # Until it asks, a busy machine may take as long as it likes.
    ends_s = time.monotonic() - raised_at_s[0] if raised_at_s else 0.0
    assert ends_s < ENDS_WITHIN_S, "it went on"
    assert children() <= before, "a program goes on"


def _require_questions(watched: Callable[[], WatchedWork]) -> None:
    """Assert that ``check`` is called at short intervals; a busy machine gets three tries."""
    longest_s = min_so_far = max(watched().gaps_s)
    for _ in range(TRIES - 1):
        if longest_s < ASKS_WHEN_BUSY_S:
            break
        longest_s = max(watched().gaps_s)
        min_so_far = min(min_so_far, longest_s)
    assert min_so_far < ASKS_WHEN_BUSY_S, (
        f"workspace.check was not called for {min_so_far:.1f} s; call it every "
        f"{ASKS_WITHIN_S} s, also while a program runs"
    )


def _require_sentence(told: str, source: Path) -> None:
    """Assert that a text is a sentence for a video's owner, without names of files and tools."""
    assert told.endswith("."), f"this is no sentence: {told!r}"
    assert "\n" not in told, f"these are several lines: {told!r}"
    assert source.name not in told, f"this names the file: {told!r}"
    named = [tool for tool in TOOLS if tool in told.casefold()]
    assert not named, f"this names {named[0]}, which owners do not know: {told!r}"


def _assembled(transcoder: Transcoder, order: TranscodeOrder, made: Made) -> MediaIndex:
    try:
        return transcoder.assemble(
            order, [(folder.name, part) for folder, part in made]
        )
    except TranscodeError as exc:
        raise AssertionError(f"{exc.reason} ({exc.log})") from exc


def _stored(media: MediaIndex, made: Made) -> MemoryStorage:
    """Return a storage with all made files in the places where the service stores them."""
    storage = MemoryStorage()
    for folder, part in made:
        for track in part.tracks:
            for path in (folder / track.name).iterdir():
                name = f"{_ROOT}/{folder.name}/{track.name}/{path.name}"
                storage.put_file(name, path, content_type="video/mp4")
    for name, text in playlists(media).items():
        storage.keep(f"{_ROOT}/{name}", text.encode(), "text/plain")
    return storage
