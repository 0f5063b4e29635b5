"""
Captions that a source brings along, from the parts' files to the rows.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import pytest

from hvcore.domain.processing.source_info import CaptionTrackInfo
from hvcore.domain.videos.captions import (
    MAX_CAPTION_BYTES,
    MAX_CAPTION_TRACKS,
    CaptionTrack,
)
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.manifests.languages import canonical_tag
from hvcore.services.processing.attempt_files import CONTENT_TYPES
from hvcore.services.videos.captions import NewCaptions
from tests.services.conftest import World

HELLO = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n"


def track(language: str, **more: Any) -> CaptionTrackInfo:  # noqa: ANN401
    return CaptionTrackInfo(stream_index=2, codec="subrip", language=language, **more)


def brings(world: World, *tracks: tuple[CaptionTrackInfo, str]) -> None:
    world.transcoder.captions = [(info, text.encode()) for info, text in tracks]


def shown(world: World, video_id: str) -> Sequence[CaptionTrack]:
    with world.services.uow.read() as work:
        return work.captions.of_video(world.video(video_id).id)


def texts(world: World, video_id: str) -> dict[str, str]:
    return {
        one.language: (world.storage_dir / one.path).read_text().split("\n")[-2]
        for one in shown(world, video_id)
    }


def caption_files(world: World) -> list[str]:
    return [path for path in world.files("media/") if path.endswith(".vtt")]


def said(text: str) -> str:
    return HELLO.replace("Hello", text)


def test_captions_of_a_source_are_shown_when_it_is_ready(world: World) -> None:
    brings(world, (track("eng", title="English"), HELLO), (track("ger"), said("Hallo")))
    video_id = world.processed()
    assert not shown(world, video_id)

    world.run_tasks()

    german, english = shown(world, video_id)
    assert (german.language, german.label) == ("de", "de")
    assert (english.language, english.label, english.cues) == ("en", "English", 1)
    assert texts(world, video_id) == {"de": "Hallo", "en": "Hello"}
    assert sorted(caption_files(world)) == sorted([german.path, english.path])
    media = world.video(video_id).media
    assert media is not None
    assert media.warnings == ()


def test_captions_come_once_however_many_parts_there_are(world: World) -> None:
    world.transcoder.parts = 4
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()

    world.run_everything()

    assert [one.language for one in shown(world, video_id)] == ["en"]
    assert len(caption_files(world)) == 1


@pytest.mark.parametrize(
    ("code", "language", "label"),
    [
        ("", "und", "Captions"),
        ("zxx", "und", "Captions"),
        ("no_such", "und", "Captions"),
        ("fre", "fr", "fr"),
        ("pt-br", "pt-BR", "pt-BR"),
        ("en-x-own", "en", "en"),
    ],
)
def test_a_language_becomes_a_tag(
    world: World, code: str, language: str, label: str
) -> None:
    brings(world, (track(code), HELLO))
    video_id = world.processed()

    world.run_tasks()

    (one,) = shown(world, video_id)
    assert (one.language, one.label) == (language, label)


def test_the_whole_text_goes_before_a_part_of_it(world: World) -> None:
    brings(
        world,
        (track("eng", is_forced=True, is_default=True), said("Forced")),
        (track("eng"), said("Second")),
        (track("eng", is_default=True, title="Full"), said("First")),
        (track("deu", is_forced=True), said("Schild")),
    )
    video_id = world.processed()

    world.run_tasks()

    assert texts(world, video_id) == {"en": "First", "de": "Schild"}
    found = {one.label: one.is_forced for one in shown(world, video_id)}
    assert found == {"Full": False, "de (forced)": True}
    media = world.video(video_id).media
    assert media is not None
    assert media.warnings == (
        "The source has several captions of one language (en); one of them was taken.",
    )


def test_captions_of_too_many_languages_are_left_out_with_a_warning(
    world: World,
) -> None:
    codes = [f"{a}{b}" for a in "abcdefghijk" for b in "abcdefghijklmnopqrstuvwxyz"]
    known = [code for code in codes if canonical_tag(code) == code]
    assert len(known) > MAX_CAPTION_TRACKS
    brings(world, *((track(code), HELLO) for code in known[: MAX_CAPTION_TRACKS + 1]))
    video_id = world.processed()

    world.run_tasks()

    assert len(shown(world, video_id)) == MAX_CAPTION_TRACKS
    media = world.video(video_id).media
    assert media is not None
    (warning,) = media.warnings
    assert f"more than {MAX_CAPTION_TRACKS} languages" in warning


def test_unreadable_captions_are_a_warning_and_the_next_best_are_taken(
    world: World,
) -> None:
    brings(
        world,
        (track("eng", is_default=True), "no captions"),
        (track("eng"), said("Spare")),
        (track("deu"), said("a --> b")),
        # Too long by empty lines: no other limit refuses them.
        (track("fra"), HELLO + "\n" * MAX_CAPTION_BYTES),
        (track("ita"), "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<x></x>\n"),
    )
    video_id = world.processed()

    world.run_tasks()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert texts(world, video_id) == {"en": "Spare"}
    assert video.media is not None
    assert video.media.warnings == (
        "Captions of the source (de) could not be read.",
        "Captions of the source (fr) could not be read.",
        "Captions of the source (it) could not be read.",
    )


def test_texts_behind_the_last_picture_are_left_out(world: World) -> None:
    # The fake's videos have 6 s.
    late = "\n00:00:06.000 --> 00:00:07.000\nLate\n"
    brings(world, (track("eng"), HELLO + late), (track("deu"), "WEBVTT\n" + late))
    video_id = world.processed()

    world.run_tasks()

    assert texts(world, video_id) == {"en": "Hello"}


def test_captions_that_the_owner_has_set_stay(world: World) -> None:
    brings(world, (track("eng"), HELLO), (track("deu"), said("Hallo")))
    video_id = world.processed()
    own = NewCaptions(
        language="en", label=None, data=said("Own").encode(), expected=None
    )
    world.services.captions.put(world.caller, "org_a", video_id, own)

    world.run_tasks()

    assert texts(world, video_id) == {"en": "Own", "de": "Hallo"}
    assert len(caption_files(world)) == 2


@pytest.mark.parametrize("most", [1, 2])
def test_captions_of_a_source_and_of_the_owner_are_at_most_those_of_a_video(
    world: World, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    brings(world, (track("deu"), HELLO), (track("fra"), HELLO))
    video_id = world.processed()
    own = NewCaptions(language="en", label=None, data=HELLO.encode(), expected=None)
    world.services.captions.put(world.caller, "org_a", video_id, own)
    module = "hvcore.services.processing.source_captions"
    monkeypatch.setattr(f"{module}.MAX_CAPTION_TRACKS", most)

    world.run_tasks()

    assert len(shown(world, video_id)) == most


def test_captions_of_an_unknown_language_can_be_removed(world: World) -> None:
    brings(world, (track(""), HELLO))
    video_id = world.processed()
    world.run_tasks()

    left = world.services.captions.remove(world.caller, "org_a", video_id, "UND")

    assert (left, caption_files(world)) == ([], [])


def test_an_attempt_that_is_refused_leaves_no_captions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    seen: list[list[str]] = []
    write = type(world.services.uow).write

    @contextmanager
    def refused(uow: Any, **how: bool) -> Any:  # noqa: ANN401
        with write(uow, **how) as work:
            put = work.captions.put

            def fail(found: CaptionTrack) -> None:
                put(found)
                seen.append(caption_files(world))
                if len(seen) == 1:
                    raise UnavailableError

            monkeypatch.setattr(work.captions, "put", fail)
            yield work

    monkeypatch.setattr(type(world.services.uow), "write", refused)
    world.run_everything()

    first, second = ({p for p in paths if "/captions/" in p} for paths in seen)
    assert len(first) == len(second) == 1
    assert first.isdisjoint(second)
    assert {one.path for one in shown(world, video_id)} == second
    assert set(caption_files(world)) == second


def test_a_killed_attempts_captions_go_when_the_next_one_publishes(
    world: World,
) -> None:
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    job_id = world.video(video_id).job_id
    folder = world.storage_dir / f"media/{video_id}/captions"
    folder.mkdir(parents=True)
    killed = folder / f"fr-{job_id}a0.vtt"
    own = folder / "fr-0123456789abcdef.vtt"
    killed.write_text("left")
    own.write_text("an owner's, whose row is not there yet")

    world.run_tasks()

    (one,) = shown(world, video_id)
    assert {path.name for path in folder.iterdir()} == {
        own.name,
        one.path.rpartition("/")[2],
    }


def test_captions_of_another_job_outlive_the_publishing(world: World) -> None:
    # A renewal stores its captions before the commit that shows them.
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    folder = world.storage_dir / f"media/{video_id}/captions"
    folder.mkdir(parents=True)
    stored = folder / "fr-job_renewala1.vtt"
    stored.write_text("stored, to be shown")

    world.run_tasks()

    assert stored.exists()


def test_a_worker_that_lost_its_lease_leaves_published_captions_alone(
    world: World,
) -> None:
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    vanished: list[bool] = []

    def vanish() -> None:
        if vanished:
            return
        vanished.append(True)
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks(worker="test:2")

    world.transcoder.before_assembling = vanish
    world.run_tasks(worker="test:1")

    (one,) = shown(world, video_id)
    assert caption_files(world) == [one.path]


def test_a_storage_that_breaks_after_publishing_takes_nothing_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    storage = type(world.services.storage)
    delete_tree = storage.delete_tree
    removed: list[str] = []

    def broken(self: object, path: str) -> None:
        removed.append(path)
        if len(removed) == 1:
            raise RuntimeError("a plugin's bug")
        delete_tree(self, path)

    monkeypatch.setattr(storage, "delete_tree", broken)
    world.run_tasks()

    assert world.video(video_id).state is VideoState.READY
    assert removed[0].endswith(".vtt")
    assert not [path for path in removed if "storyboard" in path]


def test_every_kind_of_file_that_attempts_store_has_a_content_type(
    world: World,
) -> None:
    brings(world, (track("eng"), HELLO))
    video_id = world.processed()
    suffixes: set[str] = set()

    def look() -> None:
        root = world.video(video_id).media_root
        suffixes.update(PurePosixPath(name).suffix for name in world.files(root or ""))

    world.transcoder.before_assembling = look
    world.run_tasks()

    assert {".m4s", ".vtt"} <= suffixes <= set(CONTENT_TYPES)
