"""
The sweep reads spoken texts that no transaction has stored.
"""

import pytest

from hvcore.domain.videos import spoken_texts
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.persistence.spoken import texts
from hvcore.services.captions import spoken_reading
from hvcore.services.videos import captions
from hvcore.services.videos.captions import NewCaptions
from tests.services.spoken_service import SpokenService

FILE = b"WEBVTT\n\n00:01.000 --> 00:02.000\nbudget\n"


def found(spoken: SpokenService, words: str) -> list[str]:
    query = VideoQuery(page=1, page_size=20, spoken=words)
    world = spoken.world
    return [one.id for one in world.services.catalog.page(world.env, query).videos]


def put(
    spoken: SpokenService, video_id: str, data: bytes = FILE, language: str = "en"
) -> None:
    world = spoken.world
    new = NewCaptions(language=language, label=None, data=data, expected=None)
    world.services.captions.put(world.caller, world.env.org_id, video_id, new)


def test_captions_by_machine_are_found_when_they_are_listed(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.transcoder.said_ms = [(1_000, 2_000)]
    spoken.generate(video_id)
    spoken.world.run_tasks()
    services = spoken.world.services
    with services.uow.read() as work:
        (track,) = work.captions.of_video(video_id)
    word = services.transcripts.said(track).cues[0].words[0].text.strip()

    assert found(spoken, word) == [video_id]


def test_long_captions_are_found_after_the_next_sweep(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captions, "READ_AT_ONCE_BYTES", 10)
    video_id = spoken.ready()
    put(spoken, video_id)
    reading = spoken.world.services.spoken_reading

    assert found(spoken, "budget") == []
    assert reading.step() == 1
    assert found(spoken, "budget") == [video_id]
    # From the end, and then from the beginning again.
    assert [reading.step(), reading.step()] == [0, 0]


def test_operators_learn_of_captions_that_are_not_found_as_a_whole(
    spoken: SpokenService,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(spoken_texts, "MAX_SPOKEN_CHARS", 10)
    video_id = spoken.ready()

    with caplog.at_level("INFO"):
        put(spoken, video_id)
        assert caplog.messages == []
        put(spoken, video_id, FILE.replace(b"budget", b"the whole budget"))

    assert caplog.messages == ["captions are too long to be searched as a whole"]


@pytest.mark.parametrize("is_removed", [True, False])
def test_captions_without_room_are_read_once_others_make_room(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch, *, is_removed: bool
) -> None:
    monkeypatch.setattr(texts, "MAX_VIDEO_SPOKEN_CHARS", 45)
    video_id = spoken.ready()
    put(spoken, video_id, FILE.replace(b"budget", b"the whole weather"))
    put(spoken, video_id, language="de")
    world, reading = spoken.world, spoken.world.services.spoken_reading
    assert reading.step() == 0
    assert found(spoken, "budget") == []

    if is_removed:
        world.services.captions.remove(world.caller, "org_a", video_id, "en")
    else:
        put(spoken, video_id, FILE.replace(b"budget", b"sun"))
    # One that goes on behind these captions begins anew with the step after it.
    assert reading.step() + reading.step() == 1

    assert found(spoken, "budget") == [video_id]
    assert [reading.step() for _ in range(3)] == [0, 0, 0]


def test_a_change_that_makes_no_room_has_no_captions_read_again(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MAX_VIDEO_SPOKEN_CHARS", 80)
    video_id = spoken.ready()
    put(spoken, video_id, FILE.replace(b"budget", b"the whole weather"))
    for language in ("de", "fr", "it"):
        put(spoken, video_id, FILE.replace(b"budget", b"budget " * 6), language)
    world, reading = spoken.world, spoken.world.services.spoken_reading

    put(spoken, video_id, FILE.replace(b"budget", b"the whole WEATHER"))
    unread = reading.step() + reading.step()
    world.services.captions.remove(world.caller, "org_a", video_id, "it")
    assert (unread, reading.step() + reading.step()) == (0, 0)

    # There is room for one of the two others.
    world.services.captions.remove(world.caller, "org_a", video_id, "en")
    assert sum(reading.step() for _ in range(4)) == 1


def test_captions_whose_words_were_made_in_another_way_are_read_anew(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    put(spoken, video_id)
    # As processes stored them that knew of one way only.
    with spoken.world.services.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE spoken_texts SET words = '', "
            "version = (SELECT version FROM video_captions)"
        )
    assert found(spoken, "budget") == []

    assert spoken.world.services.spoken_reading.step() == 1

    assert found(spoken, "budget") == [video_id]


def test_captions_with_a_lost_file_are_read_when_it_is_back(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captions, "READ_AT_ONCE_BYTES", 10)
    video_id = spoken.ready()
    put(spoken, video_id)
    services = spoken.world.services
    (track,) = spoken.tracks(video_id)
    path = spoken.world.storage_dir / track.path
    lost = path.rename(path.with_suffix(".lost"))
    reading = services.spoken_reading

    # This process has asked for it once, and asks no more.
    assert [reading.step() for _ in range(4)] == [1, 0, 0, 0]

    lost.rename(path)
    assert reading.step() == 0
    # After a while it looks again.
    monkeypatch.setattr(spoken_reading, "LOST_FOR_S", 0.0)
    assert [reading.step() for _ in range(2)] == [0, 1]
    assert found(spoken, "budget") == [video_id]


def test_captions_that_cannot_be_stored_keep_no_others_waiting(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captions, "READ_AT_ONCE_BYTES", 10)
    bad, good = sorted([spoken.ready(), spoken.ready()])
    for video_id in (bad, good):
        put(spoken, video_id)
    services = spoken.world.services
    with services.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER refuse BEFORE INSERT ON spoken_texts "
            f"WHEN NEW.video_id = '{bad}' BEGIN SELECT raise(ABORT, 'bad'); END"
        )

    services.spoken_reading.step()

    assert found(spoken, "budget") == [good]


def test_a_step_looks_further_than_at_captions_that_have_their_text(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sorted(spoken.ready() for _ in range(3))
    for video_id in made[:2]:
        put(spoken, video_id)
    monkeypatch.setattr(captions, "READ_AT_ONCE_BYTES", 10)
    monkeypatch.setattr(spoken_reading, "LOOKED_AT", 1)
    put(spoken, made[2])

    assert spoken.world.services.spoken_reading.step() == 1
    assert set(found(spoken, "budget")) == set(made)


def test_captions_that_an_older_version_put_over_generated_ones_are_found(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captions, "READ_AT_ONCE_BYTES", 10)
    video_id = spoken.ready()
    put(spoken, video_id)
    services = spoken.world.services
    # Which knows nothing of this column: it still has the value of the captions before.
    with services.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE video_captions SET is_generated = 1")
    services.spoken_reading.step()

    assert found(spoken, "budget") == [video_id]


def test_the_sweep_overwrites_removed_words_once_an_hour(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = spoken.world.services

    def replace_and_sweep() -> bool:
        """
        Return whether words of replaced captions are in the index after a sweep.
        """
        put(spoken, video_id)
        put(spoken, video_id, FILE.replace(b"budget", b"weather"))
        services.spoken_reading.step()
        with services.uow.read() as work:
            return work.spoken_texts.has_removed_words()

    video_id = spoken.ready()

    assert not replace_and_sweep()
    assert replace_and_sweep()
    monkeypatch.setattr(spoken_reading, "OVERWRITE_EVERY_S", 0)
    assert not replace_and_sweep()
