"""
Chapters: set, listed, removed, and told to players.
"""

import json
from contextlib import ExitStack

from falcon.testing import Result

from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from hvcore.settings.shares import ShareSettings
from tests.support.http.cinema import Cinema
from tests.support.http.world import ENV, ORG, World, body_of, problem_of

# The video lasts 12 s.
VTT = b"""WEBVTT

00:00.000 --> 00:05.000
Intro

00:05.000 --> 00:30.000
Q&amp;A <b>"</b> &lt;/script&gt;
"""
SHOWN = [
    {"startSeconds": 0.0, "endSeconds": 5.0, "title": "Intro"},
    {"startSeconds": 5.0, "endSeconds": 12.0, "title": 'Q&A " </script>'},
]
OFFER = '#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters.json{}"'


def put(
    api: World, path: str, body: bytes = VTT, content_type: str = "text/vtt"
) -> Result:
    return api.call("PUT", path, body=body, headers={"Content-Type": content_type})


def test_chapters_are_set_listed_replaced_and_removed(
    cinema: Cinema, videos: str
) -> None:
    api, path = cinema.api, f"{videos}/{cinema.video}/chapters"
    assert body_of(api.get(path)) == {"chapters": []}

    assert body_of(put(api, path)) == {"chapters": SHOWN}
    assert body_of(api.get(path)) == {"chapters": SHOWN}
    assert body_of(api.get(f"/v1/videos/{cinema.video}"))["chapters"] == SHOWN

    other = body_of(put(api, path, VTT.replace(b"Intro", b"Start")))
    assert other["chapters"][0]["title"] == "Start"
    assert body_of(api.delete(path)) == {"chapters": []}
    assert "chapters" not in body_of(api.get(f"/v1/videos/{cinema.video}"))
    problem_of(api.delete(path), 404, "not_found")


def test_players_of_a_private_video_find_its_chapters(cinema: Cinema) -> None:
    put(cinema.api, f"/v1/videos/{cinema.video}/chapters")
    signed = body_of(cinema.api.get(f"/v1/videos/{cinema.video}/signed-url"))
    token = signed["signed_url"].partition("token=")[2]
    at = f"/v1/private/{cinema.video}"

    master = cinema.load(f"{at}/master.m3u8", f"token={token}")
    text = cinema.load(f"{at}/chapters.vtt", f"token={token}")
    apple = cinema.load(f"{at}/chapters.json", f"token={token}")

    assert OFFER.format(f"?token={token}") in master.text.splitlines()
    assert text.headers["content-type"] == "text/vtt"
    assert text.headers["cache-control"] == "private, max-age=10"
    assert text.text.startswith("WEBVTT\n")
    assert text.text.split("\n\n", 1)[1] == (
        "00:00:00.000 --> 00:00:05.000\nIntro\n\n"
        '00:00:05.000 --> 00:00:12.000\nQ&amp;A " &lt;/script&gt;\n'
    )
    assert apple.headers["content-type"] == "application/json"
    assert json.loads(apple.content) == [
        {
            "chapter": 1,
            "start-time": 0.0,
            "duration": 5.0,
            "titles": [{"language": "und", "title": "Intro"}],
        },
        {
            "chapter": 2,
            "start-time": 5.0,
            "duration": 7.0,
            "titles": [{"language": "und", "title": 'Q&A " </script>'}],
        },
    ]
    problem_of(cinema.load(f"{at}/chapters.vtt"), 401, "unauthorized")


def test_chapters_are_shown_to_and_hidden_from_the_next_request(
    cinema: Cinema,
) -> None:
    video = cinema.playable(is_public=True)
    path, at = f"/v1/videos/{video}/chapters", f"/v1/public/{ORG}/{ENV}/{video}"

    def served() -> list[int]:
        names = ("chapters.vtt", "chapters.json")
        return [cinema.load(f"{at}/{name}").status_code for name in names]

    def is_offered() -> bool:
        return OFFER.format("") in cinema.load(f"{at}/master.m3u8").text

    assert (served(), is_offered()) == ([404, 404], False)
    put(cinema.api, path)
    assert (served(), is_offered()) == ([200, 200], True)
    cinema.api.delete(path)
    assert (served(), is_offered()) == ([404, 404], False)
    problem_of(cinema.load(f"{at}/chapters.vtt"), 404, "not_found")


def test_a_video_that_is_not_ready_takes_chapters(api: World) -> None:
    video = api.transcoding()

    found = body_of(put(api, f"/v1/videos/{video}/chapters"))

    # Nobody knows yet how long it is.
    assert found["chapters"][1]["endSeconds"] == 30.0


def test_an_unreadable_chapter_file_changes_nothing(cinema: Cinema) -> None:
    api, path = cinema.api, f"/v1/videos/{cinema.video}/chapters"
    put(api, path)

    for body, status, code in (
        (b"", 400, "invalid_parameters"),
        (b"WEBVTT\n", 400, "invalid_parameters"),
        (b"WEBVTT\n\n00:05.000 --> 00:01.000\nA\n", 400, "invalid_parameters"),
        (b"x" * (MAX_CHAPTER_FILE_BYTES + 1), 413, "payload_too_large"),
    ):
        problem_of(put(api, path, body), status, code)
    for content_type in ("application/json", "application/x-subrip"):
        problem_of(put(api, path, VTT, content_type), 415, "unsupported_media_type")

    assert body_of(api.get(path)) == {"chapters": SHOWN}


def test_chapters_need_their_video(cinema: Cinema) -> None:
    missing = "/v1/videos/vid_0123456789abcdefghijkl/chapters"
    for method in ("GET", "PUT", "DELETE"):
        problem_of(cinema.api.call(method, missing), 404, "video_not_found")


def test_too_many_files_at_a_time_are_told_to_come_again(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/chapters"
    with ExitStack() as others:
        for _ in range(ShareSettings().uploads_of_one):
            others.enter_context(cinema.api.services.chapters.receiving(ORG))

        result = put(cinema.api, path)

    problem_of(result, 503, "unavailable")
    assert int(result.headers["retry-after"]) >= 1
