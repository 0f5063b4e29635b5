"""
Lists of videos by the words that are said in them, in both families.
"""

from typing import Any
from urllib.parse import urlencode

import pytest

from hvcore.domain.videos.spoken_words import MAX_SPOKEN_QUERY_CHARS
from tests.support.http.world import ORG, Key, World, body_of, locations, problem_of

LIST = pytest.mark.parametrize(
    "videos", [f"/v1/api/{ORG}/environments/live/videos", "/v1/videos"]
)
HOSTILE = (
    *('"', "*", "-", "''", "NEAR(a b)", "words:budget", '" OR "1', "%", "\\"),
    *("=0123456789abcdef", "(((((", "^a", "{a}", "a AND", "\u2028", "<b>"),
)


def spoken(api: World, videos: str, words: str) -> dict[str, Any]:
    return body_of(api.get(videos, urlencode({"spoken": words})))


def say(
    api: World, video_id: str, *lines: str, org: str = ORG, key: Key | None = None
) -> None:
    """
    Set captions with a line for each ten seconds.
    """
    cues = [
        f"00:{at * 10 // 60:02}:{at * 10 % 60:02}.500 --> "
        f"00:{at * 10 // 60:02}:{at * 10 % 60 + 5:02}.000\n{line}\n"
        for at, line in enumerate(lines)
    ]
    answer = api.call(
        "PUT",
        f"/v1/api/{org}/videos/{video_id}/captions/en",
        key=key,
        body=("WEBVTT\n\n" + "\n".join(cues)).encode(),
        headers={"Content-Type": "text/vtt"},
    )
    assert answer.status_code == 200, answer.text


@LIST
def test_a_found_video_tells_where_its_words_are_said(api: World, videos: str) -> None:
    said = api.ready()
    say(api, said, "Good morning.", "The <i>budget</i> is 5 &lt; 6 million.")
    say(api, api.ready(), "Good evening.")

    page = body_of(api.get(videos, "spoken=Budget+million"))

    (found,) = page["videos"]
    assert found["id"] == said
    assert found["spokenHits"] == [
        {
            "startSeconds": 10.5,
            "language": "en",
            "snippet": [
                {"text": "The ", "isMatch": False},
                {"text": "budget", "isMatch": True},
                {"text": " is 5 < 6 ", "isMatch": False},
                {"text": "million", "isMatch": True},
                {"text": ".", "isMatch": False},
            ],
        }
    ]
    assert page["pagination"]["total"] == 1
    assert "totalIsMinimum" not in page["pagination"]


@LIST
def test_lists_without_spoken_words_have_no_hits(api: World, videos: str) -> None:
    say(api, api.ready(), "Good morning.")

    for query in ("", "spoken="):
        (found,) = body_of(api.get(videos, query))["videos"]
        assert "spokenHits" not in found


@LIST
@pytest.mark.cases(4)
@pytest.mark.parametrize("words", HOSTILE)
def test_no_sign_of_a_query_language_is_more_than_a_sign(
    api: World, videos: str, words: str
) -> None:
    say(api, api.ready(), "budget")

    page = spoken(api, videos, words)

    assert page["videos"] == []
    assert page["pagination"]["total"] == 0


@LIST
def test_too_long_spoken_words_are_refused(api: World, videos: str) -> None:
    for words in ("a" * (MAX_SPOKEN_QUERY_CHARS + 1), "a" * 10_000, "a\0b"):
        answer = api.get(videos, urlencode({"spoken": words}))
        assert locations(problem_of(answer, 400, "invalid_parameters")) == [
            "query.spoken"
        ]
    longest = ("ab " * MAX_SPOKEN_QUERY_CHARS)[:MAX_SPOKEN_QUERY_CHARS]
    assert spoken(api, videos, longest)["videos"] == []


@LIST
def test_words_of_other_environments_are_not_found(api: World, videos: str) -> None:
    for env in (api.dev, api.other_env):
        say(api, api.ready(env), "secret", org=env.org_id, key=api.system_key())

    assert spoken(api, videos, "secret")["videos"] == []


@LIST
def test_more_than_a_thousand_found_videos_are_said_to_be_more_and_end_there(
    api: World, videos: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FEW", "MAX_COUNTED"):
        monkeypatch.setattr(f"hvcore.persistence.spoken.pages.{name}", 3)
    for _ in range(5):
        say(api, api.ready(), "common")

    found = [
        body_of(api.get(videos, f"spoken=common&pageSize=2&page={at}"))
        for at in (1, 2, 3)
    ]

    assert [len(page["videos"]) for page in found] == [2, 2, 0]
    assert [page["pagination"]["hasNext"] for page in found] == [True, False, False]
    for page in found:
        assert page["pagination"]["total"] == 3
        assert page["pagination"]["totalPages"] == 2
        assert page["pagination"]["totalIsMinimum"] is True


@LIST
def test_a_video_in_the_bin_is_not_found_by_what_is_said(
    api: World, videos: str
) -> None:
    said = api.ready()
    say(api, said, "farewell")
    api.call("DELETE", f"/v1/videos/{said}", query="keepHours=5")

    assert spoken(api, videos, "farewell")["videos"] == []

    api.post(f"/v1/videos/{said}/restore", None)

    (found,) = spoken(api, videos, "farewell")["videos"]
    assert found["id"] == said
