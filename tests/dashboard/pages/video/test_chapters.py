"""
Chapters of a video, which people write or import.
"""

import json
from collections.abc import Sequence

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.pages.video.sent_files import post_file
from tests.dashboard.sent_forms import form_of

VTT = (
    b"WEBVTT\n\n00:00.000 --> 00:10.000\nOne <b>&amp;\n\n00:10.000 --> 00:20.000\nTwo\n"
)
STORED = (
    Chapter(start_ms=0, end_ms=5000, title="Welcome <b>"),
    Chapter(start_ms=5000, end_ms=12_500, title="Spring"),
    Chapter(start_ms=12_500, end_ms=75_500, title="Autumn"),
)


def chaptered(
    dashboard: Dashboard, chapters: Sequence[Chapter] = STORED
) -> tuple[str, str]:
    """
    Make a video with chapters; return its id and the address of its tab.
    """
    video_id = dashboard.world.ready()
    dashboard.world.change(
        video_id, lambda video: setattr(video, "chapters", tuple(chapters))
    )
    return video_id, f"{VIDEOS}/{video_id}/chapters"


def starts(dashboard: Dashboard, video_id: str) -> list[tuple[int, str]]:
    return [(one.start_ms, one.title) for one in dashboard.video(video_id).chapters]


def test_chapters_are_saved_as_they_were_shown(dashboard: Dashboard) -> None:
    video_id, path = chaptered(dashboard)

    answer = dashboard.sign_in(Role.EDITOR).submit(path)

    assert answer.status_code == 303
    assert dashboard.video(video_id).chapters == STORED


def test_chapters_are_added_changed_and_removed(dashboard: Dashboard) -> None:
    video_id, path = chaptered(dashboard)
    person = dashboard.sign_in(Role.EDITOR)
    changed = {
        "title-1": "Begin",
        "start-2": "",
        "title-2": "",
        "start-4": "0:00:02",
        "title-4": " Second ",
    }

    answer = person.submit(path, changed)

    assert answer.headers["location"] == path
    assert starts(dashboard, video_id) == [
        (0, "Begin"),
        (2000, "Second"),
        (12_500, "Autumn"),
    ]
    assert dashboard.video(video_id).chapters[1].end_ms == 12_500
    assert dashboard.last_audited() == ("chapters.set", video_id, "Editor Person")


def test_rows_that_a_script_has_added_are_saved(dashboard: Dashboard) -> None:
    video_id, path = chaptered(dashboard, ())

    dashboard.sign_in(Role.EDITOR).submit(path, {"start-41": "1", "title-41": "A"})

    assert starts(dashboard, video_id) == [(1000, "A")]


def test_all_chapters_are_removed(dashboard: Dashboard) -> None:
    video_id, path = chaptered(dashboard)
    empty = {f"{name}-{n}": "" for name in ("start", "title") for n in (1, 2, 3)}

    dashboard.sign_in(Role.EDITOR).submit(path, empty)

    assert dashboard.video(video_id).chapters == ()


def test_a_wrong_row_is_told_beside_it_and_nothing_is_saved(
    dashboard: Dashboard,
) -> None:
    video_id, path = chaptered(dashboard)
    changed = {"start-2": "noon", "title-1": "kept <i>"}

    answer = dashboard.sign_in(Role.EDITOR).submit(path, changed)

    assert answer.status_code == 400
    assert 'id="start-2-about"' in answer.text
    assert form_of(answer, path, form_id="chapters")["title-1"] == ["kept <i>"]
    assert "Saved meanwhile" not in answer.text
    assert ids_in(answer)
    assert dashboard.video(video_id).chapters == STORED


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.vtt", VTT),
        (
            "a.json",
            json.dumps(
                {
                    "chapters": [
                        {"startTime": 0, "title": "One &"},
                        {"startTime": 10, "title": "Two"},
                    ]
                }
            ).encode("utf-8-sig"),
        ),
    ],
)
def test_chapters_are_imported_in_place_of_all_before(
    dashboard: Dashboard, name: str, data: bytes
) -> None:
    video_id, path = chaptered(dashboard)
    person = dashboard.sign_in(Role.EDITOR)

    answer = post_file(person, path, ("file", name, "application/x-foo", data))

    assert answer.status_code == 303
    assert starts(dashboard, video_id) == [(0, "One &"), (10_000, "Two")]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"no chapters", 400),
        (b"{}", 400),
        (b"WEBVTT\n" + b"x" * MAX_CHAPTER_FILE_BYTES, 400),
    ],
    ids=["nothing", "text", "an empty object", "too much"],
)
def test_a_file_without_chapters_changes_nothing(
    dashboard: Dashboard, data: bytes, status: int
) -> None:
    video_id, path = chaptered(dashboard)

    answer = post_file(
        dashboard.sign_in(Role.EDITOR), path, ("file", "a.vtt", "text/vtt", data)
    )

    assert answer.status_code == status
    assert 'class="field-error" id="file-about"' in answer.text
    assert dashboard.video(video_id).chapters == STORED


def test_viewers_see_chapters_and_change_none(dashboard: Dashboard) -> None:
    _, path = chaptered(dashboard)
    _, none = chaptered(dashboard, ())
    viewer = dashboard.sign_in(Role.VIEWER)

    assert "0:00:12.5 <bdi>Autumn</bdi>" in viewer.get(path).text
    assert "Welcome &lt;b&gt;" in viewer.get(path).text
    assert "No chapters yet" in viewer.get(none).text
    assert viewer.post(path, {"start-1": "0", "title-1": "A"}).status_code == 403


def test_more_chapters_than_a_form_has_are_changed_by_a_file(
    dashboard: Dashboard,
) -> None:
    many = [Chapter(start_ms=n, end_ms=n + 1, title="A") for n in range(201)]
    _, path = chaptered(dashboard, many)

    answer = dashboard.sign_in(Role.EDITOR).get(path)

    assert "There are 201 chapters." in answer.text
    assert "start-1" not in answer.text
    assert set(form_of(answer, path)) == {"change_token", "shown.chapters"}


def test_chapters_of_a_video_that_is_not_made_yet_are_kept(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.transcoding()
    path = f"{VIDEOS}/{video_id}/chapters"

    dashboard.sign_in(Role.EDITOR).submit(path, {"start-1": "1:00", "title-1": "A"})

    assert starts(dashboard, video_id) == [(60_000, "A")]
